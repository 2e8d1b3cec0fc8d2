import * as z from 'zod';
import { plateOfTenant } from '../../serving/administration/fields.ts';
import { contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { count, flag } from '../../serving/http/response-fields.ts';

export const erasureRequest = z
  .strictObject(plateOfTenant)
  .meta({ id: 'PlateErasureRequest', description: 'Whose plate.' });

export const erasureAnswer = z
  .object({
    erased: z
      .object({
        sessions: count.describe('Sessions.'),
        subscriptions: count.describe('Subscriptions.'),
        history: count.describe('Versions of sessions and of plates on subscriptions, present and past.'),
        payments: count.describe('Payments, which keep their amounts.'),
        calls: count.describe('Logged calls.'),
      })
      .describe('The number of each that have lost the plate. All are 0 if nothing was left to erase.'),
    more: flag.describe('True if there may be more: repeat the call to continue.'),
  })
  .meta({ id: 'PlateErasureResponse', description: 'The rows that this call erased the plate from.' });

export type ErasureAnswer = z.infer<typeof erasureAnswer>;

/** Erases a plate from all of a tenant's data, a bounded part per call. */
export const erasureOfPlate = contract({
  id: 'erasePlate',
  method: 'POST',
  access: { by: 'administrator', office: 'changes' },
  deadlineMs: 10_000,
  path: '/api/v2/admin/plates/erase',
  body: { kind: 'json', schema: erasureRequest, maxBytes: QUERY_BODY },
  answer: erasureAnswer,
  errors: ['TENANT_NOT_ALLOWED', 'INVALID_PLATE'],
  log: { operation: 'admin', action: 'plate.erase' },
});
