import * as z from 'zod';
import { plateOfTenant } from '../admin/fields.ts';
import { callFields } from '../admin/logged-call.ts';
import { changeFields, sessionRecord, subscriptionRecord } from '../history/contract.ts';
import { code } from '../http/response-fields.ts';
import { foundPayment } from '../recorded-payments/contract.ts';

/** The most characters of a cursor of an export. */
const CURSOR_LENGTH = 2_000;

/** The most of each list that one answer has. */
export const MAX_EXPORTED = 1_000;

export const exportRequest = z
  .strictObject({
    ...plateOfTenant,
    after: z
      .string()
      .max(CURSOR_LENGTH)
      .nullish()
      .describe('The `next` of the answer before. Null and absent are the same: from the beginning.'),
  })
  .meta({ id: 'PlateExportRequest', description: 'Whose plate, and where to continue.' });

const municipality = { municipality_code: code.describe('The municipality.') };

const exportedSession = z.object({
  ...municipality,
  source_code: code.describe('The source.'),
  ...sessionRecord.required().shape,
});
const exportedSubscription = z.object({ ...municipality, ...subscriptionRecord.required().shape });
const exportedPayment = z.object({ ...municipality, ...foundPayment.shape });
const exportedChange = z.object({ ...municipality, ...changeFields });

export const exportAnswer = z
  .object({
    sessions: z
      .array(exportedSession)
      .max(MAX_EXPORTED)
      .describe('Its sessions, each as an import’s line has it.'),
    subscriptions: z
      .array(exportedSubscription)
      .max(MAX_EXPORTED)
      .describe('Its subscriptions: the plate’s own part, and no other plate of them.'),
    history: z
      .array(exportedChange)
      .max(MAX_EXPORTED)
      .describe('The history of the plate, as evidence shows it.'),
    payments: z
      .array(exportedPayment)
      .max(MAX_EXPORTED)
      .describe('The payments for it, as a search for payments shows them.'),
    calls: z
      .array(callFields)
      .max(MAX_EXPORTED)
      .describe('The calls about the plate, as the call look-up shows them.'),
    next: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .describe(
        'To be sent as `after`, for the rest. Null at the end. If a municipality moves to another database meanwhile, some of it may come twice.',
      ),
  })
  .meta({ id: 'PlateExportResponse', description: 'What is held on a plate.' });

export type ExportAnswer = z.infer<typeof exportAnswer>;
