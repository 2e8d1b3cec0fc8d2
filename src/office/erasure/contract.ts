import * as z from 'zod';
import { plateOfTenant } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { count } from '../../serving/http/response-fields.ts';

const CURSOR_LENGTH = 100;

const erasureRequest = z
  .strictObject({
    ...plateOfTenant,
    after: z
      .string()
      .trim()
      .max(CURSOR_LENGTH)
      .nullish()
      .transform((text) => text || undefined)
      .describe('The `next` of the previous answer. Null or absent: from the beginning.'),
    lift: z.boolean().nullish().describe('True: the plate may be stored again from now on. Erases nothing.'),
  })
  .meta({ id: 'PlateErasureRequest', description: 'The plate, and where to continue.' });

const erasureAnswer = z
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
    next: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .describe('Send it as `after` for the rest. Null at the end.'),
  })
  .meta({ id: 'PlateErasureResponse', description: 'The rows that this call erased the plate from.' });

export type ErasureAnswer = z.infer<typeof erasureAnswer>;

/** Erases a plate from all of a tenant's data, a bounded part per call. */
export const erasureOfPlate = {
  id: 'erasePlate',
  method: 'POST',
  access: { by: 'administrator', office: 'changes' },
  deadlineMs: 10_000,
  path: '/api/v2/admin/plates/erase',
  body: { kind: 'json', schema: erasureRequest, maxBytes: QUERY_BODY },
  answer: erasureAnswer,
  errors: ['TENANT_NOT_ALLOWED', 'INVALID_PLATE'],
  log: { operation: 'admin', action: 'plate.erase' },
} as const satisfies Contract;
