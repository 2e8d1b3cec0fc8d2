import * as z from 'zod';
import { PURCHASE_OPERATIONS, RESULT_CODES } from '../domain/purchase-options.ts';
import { count, dateTime, place, plate, sentence, timeZone } from '../http/response-fields.ts';
import { TERMINAL_CODE_LENGTH } from './request.ts';

/** A plan as the meter prints it. Held at run time too: a plan that does not fit is not sold. */
export const tariffa = z.object({
  /** Three digits; `000` is reserved. */
  codice_tariffa: z
    .string()
    .regex(/^(?!000)[0-9]{3}$/)
    .meta({ maxLength: 3 }),
  importo_eurocent: z.int().min(1).max(999_999),
  /** `HH:MM DD/MM/YYYY`: the expiry expected after paying this plan. */
  scadenza: z
    .string()
    .regex(/^([01][0-9]|2[0-3]):[0-5][0-9] (0[1-9]|[12][0-9]|3[01])\/(0[1-9]|1[0-2])\/[0-9]{4}$/)
    .meta({ maxLength: 16 }),
  descrizione: z
    .string()
    .regex(/^[A-Z0-9 ]{1,20}$/)
    .meta({ maxLength: 20 }),
  jolly_info: z.literal(''),
});

export const optionsResponse = z.object({
  api_version: z.literal('2.1'),
  result_code: z.enum(RESULT_CODES),
  message: sentence,
  eligible: z.boolean(),
  plate,
  municipality: place,
  /** As it was sent; absent when it was not. */
  terminal_code: z.string().min(1).max(TERMINAL_CODE_LENGTH).optional(),
  timezone: timeZone,
  /** The consultation instant. */
  generated_at: dateTime,
  operation: z.enum([...PURCHASE_OPERATIONS, 'none']),
  subscriptions_count: count,
  options_count: count,
  entitlements_count: count,
  /** A code has three digits, `000` is none. */
  tariffe: z.array(tariffa).max(999),
});

export type Tariffa = z.infer<typeof tariffa>;
export type OptionsResponse = z.infer<typeof optionsResponse>;
