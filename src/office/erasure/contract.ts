import * as z from 'zod';
import { plateOfTenant } from '../../serving/administration/fields.ts';
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
