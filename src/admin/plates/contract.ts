import * as z from 'zod';
import { changeFields, sessionRecord, subscriptionRecord } from '../../history/contract.ts';
import { code, count, flag } from '../../http/response-fields.ts';
import { storedCode } from '../fields.ts';
import { callFields } from '../logged-call.ts';

/** The most characters of a place in an export. */
const PLACE_LENGTH = 2_000;

/** The most of each list that one answer has. */
export const MOST_EXPORTED = 1_000;

export const erasureRequest = z
  .strictObject({
    tenant: storedCode().describe('The code of the tenant that the person turned to.'),
    plate: z.string().trim().describe('The plate, normalized as in a plate check.'),
  })
  .meta({ id: 'PlateErasureRequest', description: 'Whose plate.' });

export const exportRequest = erasureRequest
  .extend({
    after: z
      .string()
      .max(PLACE_LENGTH)
      .nullish()
      .describe('The `next` of the answer before. Null and absent are the same: from the beginning.'),
  })
  .meta({ id: 'PlateExportRequest', description: 'Whose plate, and from where on.' });

const municipality = { municipality_code: code.describe('The municipality.') };

export const exportedSession = z.object({
  ...municipality,
  source_code: code.describe('The source.'),
  ...sessionRecord.required().shape,
});
export const exportedSubscription = z.object({ ...municipality, ...subscriptionRecord.required().shape });
export const exportedChange = z.object({ ...municipality, ...changeFields });

export const exportAnswer = z
  .object({
    sessions: z
      .array(exportedSession)
      .max(MOST_EXPORTED)
      .describe('Its sessions, each as an import’s line has it.'),
    subscriptions: z
      .array(exportedSubscription)
      .max(MOST_EXPORTED)
      .describe('Its subscriptions: the plate’s own part, and no other plate of them.'),
    history: z
      .array(exportedChange)
      .max(MOST_EXPORTED)
      .describe('The journal’s changes of the plate, as evidence shows them.'),
    calls: z
      .array(callFields)
      .max(MOST_EXPORTED)
      .describe('The calls about the plate, as the call look-up shows them.'),
    next: z
      .string()
      .max(PLACE_LENGTH)
      .nullable()
      .describe(
        'To be sent as `after`, for what is left. Null at the end. Where a municipality moves to another database meanwhile, what was told before may be told again.',
      ),
  })
  .meta({ id: 'PlateExportResponse', description: 'What is held on a plate.' });

export const erasureAnswer = z
  .object({
    erased: z
      .object({
        sessions: count.describe('Sessions.'),
        subscriptions: count.describe('Subscriptions.'),
        history: count.describe('Changes in the journal.'),
        calls: count.describe('Logged calls.'),
      })
      .describe('How many of each have lost the plate. All are 0 where nothing was left of it.'),
    more: flag.describe('True when there may be more: the same call again goes on.'),
  })
  .meta({ id: 'PlateErasureResponse', description: 'What was erased by this call.' });

export type ExportAnswer = z.infer<typeof exportAnswer>;
export type ErasureAnswer = z.infer<typeof erasureAnswer>;
