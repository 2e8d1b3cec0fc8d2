import * as z from 'zod';
import { optionalText } from '../../base/forms/fields.ts';
import { foundPayment } from '../../core/recorded-payments/contract.ts';
import { plateOfTenant } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { code } from '../../serving/http/response-fields.ts';
import { callFields } from '../administration/logged-call.ts';
import { sessionRecord, subscriptionRecord, versionFields } from '../history/history.ts';
import { MAX_EXPORTED } from './page.ts';

const CURSOR_LENGTH = 200;

const exportRequest = z
  .strictObject({
    ...plateOfTenant,
    after: optionalText
      .pipe(z.string().max(CURSOR_LENGTH).optional())
      .meta({ maxLength: CURSOR_LENGTH })
      .describe('The `next` of the previous answer. Null, blank or absent: from the beginning.'),
  })
  .meta({ id: 'PlateExportRequest', description: 'The plate, and where to continue.' });

const municipality = { municipality_code: code.describe('The municipality.') };

const exportedSession = z.object({
  ...municipality,
  source_code: code.describe('The source.'),
  ...sessionRecord.shape,
});
const exportedSubscription = z.object({ ...municipality, ...subscriptionRecord.shape });
const exportedPayment = z.object({ ...municipality, ...foundPayment.shape });
const exportedVersion = z.object({ ...municipality, ...versionFields });

const exportAnswer = z
  .object({
    sessions: z
      .array(exportedSession)
      .max(MAX_EXPORTED)
      .describe('Its sessions, in the form of an import’s line.'),
    subscriptions: z
      .array(exportedSubscription)
      .max(MAX_EXPORTED)
      .describe('Its subscriptions, without their other plates.'),
    history: z.array(exportedVersion).max(MAX_EXPORTED).describe('Every version of them, as in evidence.'),
    payments: z
      .array(exportedPayment)
      .max(MAX_EXPORTED)
      .describe('The payments for it, as in a search for payments.'),
    calls: z.array(callFields).max(MAX_EXPORTED).describe('The calls about it, as in the call look-up.'),
    next: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .describe('Send it as `after` for the rest. Null at the end.'),
  })
  .meta({ id: 'PlateExportResponse', description: 'The data held on a plate.' });

export type ExportAnswer = z.infer<typeof exportAnswer>;

/** Exports a tenant's data about a plate. */
export const exportOfPlate = {
  id: 'exportPlate',
  method: 'POST',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 10_000,
  path: '/api/v2/admin/plates/export',
  body: { kind: 'json', schema: exportRequest, maxBytes: QUERY_BODY },
  answer: exportAnswer,
  errors: ['TENANT_NOT_ALLOWED', 'INVALID_PLATE'],
  log: { operation: 'admin', action: 'plate.export' },
} as const satisfies Contract;
