import * as z from 'zod';
import { PURCHASE_OPERATIONS, RESULT_CODES } from '../../domain/purchase-options.ts';
import type { Contract } from '../../serving/contract.ts';
import { METER_BODY } from '../../serving/http/body.ts';
import {
  count,
  dateTime,
  flag,
  place,
  plate,
  sentence,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import {
  eurocents,
  shortText,
  soldTo,
  TERMINAL_CODE_LENGTH,
  terminalCode,
} from '../held-subscriptions/fields.ts';

export const optionsRequest = z
  .object({
    ...soldTo,
    terminal_code: shortText(TERMINAL_CODE_LENGTH)
      .meta({ maxLength: TERMINAL_CODE_LENGTH })
      .describe('The meter. It is logged and returned. Null and blank mean absent.'),
  })
  .meta({
    id: 'SubscriptionOptionsRequest',
    description: 'A plate whose plans to find. Unknown properties are ignored.',
  });

/** A plan as the meter prints it. */
const tariffa = z
  .object({
    codice_tariffa: z
      .string()
      .regex(/^(?!000)[0-9]{3}$/)
      .meta({ maxLength: 3 })
      .describe('The plan’s code: three digits, not `000`, unique in the municipality.'),
    importo_eurocent: eurocents.describe('The price, in euro cents.'),
    scadenza: z
      .string()
      .regex(/^([01][0-9]|2[0-3]):[0-5][0-9] (0[1-9]|[12][0-9]|3[01])\/(0[1-9]|1[0-2])\/[0-9]{4}$/)
      .meta({ maxLength: 16 })
      .describe(
        'The expected expiry if this plan is paid now, `HH:MM DD/MM/YYYY`: the plan’s duration is added to the end of the active period, or to now if there is none; the time of day is that of `generated_at`. The payment sets the final expiry.',
      ),
    descrizione: z
      .string()
      .regex(/^[A-Z0-9 ]{1,20}$/)
      .meta({ maxLength: 20 })
      .describe('The text that the meter shows: uppercase letters, digits and spaces.'),
    jolly_info: z.literal('').describe('Empty in this version.'),
  })
  .meta({ id: 'Tariffa', description: 'A plan as the meter prints it.' });

const optionsResponse = z
  .object({
    api_version: version('2.1'),
    result_code: z
      .enum(RESULT_CODES)
      .describe('What was found. Every code except `OPTIONS_AVAILABLE` is a valid negative.'),
    message: sentence.describe('The same as a text for the person at the meter.'),
    eligible: flag.describe('Whether a plan can be bought.'),
    plate,
    municipality: place.describe('The municipality of the query.'),
    terminal_code: terminalCode,
    timezone: timeZone,
    generated_at: dateTime.describe(
      'The instant of the query. Its hour and minute are those of every `scadenza`.',
    ),
    operation: z
      .enum([...PURCHASE_OPERATIONS, 'none'])
      .describe(
        '`first_activation` of a subscription that the office has approved, `renewal` of one that was activated before, or `none`.',
      ),
    subscriptions_count: count.describe('How many subscriptions the plate has, except freely sold ones.'),
    options_count: count.describe('How many plans there are.'),
    entitlements_count: count.describe('How many of these subscriptions are valid now in at least one area.'),
    /** A code has three digits, and is not `000`. */
    tariffe: z.array(tariffa).max(999).describe('The plans, by code. Empty if not eligible.'),
  })
  .meta({ id: 'SubscriptionOptionsResponse', description: 'What can be bought, or why nothing can.' });

export type OptionsResponse = z.infer<typeof optionsResponse>;

/** The subscription options query 2.1: what a parking meter can sell for a plate. */
export const subscriptionOptions = {
  id: 'findSubscriptionOptions',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-options',
  access: { by: 'credential', scope: 'subscription_options', budget: 'options' },
  // A customer waits: after this, a clear failure is better than an answer. The call log has the rest of two seconds.
  deadlineMs: 1_500,
  body: { kind: 'json', schema: optionsRequest, maxBytes: METER_BODY },
  answer: optionsResponse,
  errors: ['SERVICE_DISABLED', 'INVALID_PLATE'],
  log: { operation: 'subscription_options', whole: true },
} as const satisfies Contract;
