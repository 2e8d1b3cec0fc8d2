import * as z from 'zod';
import { PAYMENT_RESULTS } from '../../domain/payment.ts';
import { PURCHASE_OPERATIONS } from '../../domain/purchase-options.ts';
import {
  dateTime,
  flag,
  name,
  openCode,
  place,
  plate,
  sentence,
  timeZone,
} from '../../serving/http/response-fields.ts';
import { NOTE_LENGTH, SETTLED_OUTCOMES } from '../../storage/db/schema/payments.ts';
import { eurocents, terminalCode } from '../held-subscriptions/fields.ts';
import { PAYMENT_STATES } from './payment-table.ts';

export const paidPeriod = z
  .object({
    starts_at: dateTime.describe('Its start.'),
    ends_at: dateTime.describe('Its end: the definitive expiry.'),
  })
  .meta({ id: 'PaidPeriod', description: 'The period that a payment made.' });

/** The fields of an answer about a payment, without those of the call. */
export const paymentFields = {
  result_code: openCode(PAYMENT_RESULTS).describe(
    'The outcome. Every code except `PERIOD_CREATED` leaves the payment to the office.',
  ),
  message: sentence.describe('The same as a text for people.'),
  accepted: flag.describe('Whether the payment made a period.'),
  payment_id: name.describe('The collector’s key; its digest if it contained a plate that was erased.'),
  plate: plate.describe('The normalized plate; a pseudonym once it is erased.'),
  municipality: place.describe('The municipality of the payment.'),
  terminal_code: terminalCode,
  timezone: timeZone,
  collected_at: dateTime.describe('The instant at which the payment was judged.'),
  recorded_at: dateTime.describe('When it was recorded.'),
  subscription_number: name.nullable().describe('The subscription, if exactly one was meant; else null.'),
  operation: z
    .enum([...PURCHASE_OPERATIONS, 'none'])
    .describe('What was bought: `first_activation` or `renewal`; `none` if no period was made.'),
  codice_tariffa: z.string().length(3).describe('The code of the plan, as sent.'),
  importo_eurocent: eurocents.describe('The amount collected, in euro cents.'),
  expected_eurocent: eurocents
    .nullable()
    .describe('The price of the plan, in euro cents; null if no plan was found.'),
  period: paidPeriod.nullable().describe('The period that the payment made; null if it made none.'),
  scadenza: z
    .string()
    .max(16)
    .nullable()
    .describe('The end of that period as a receipt prints it, `HH:MM DD/MM/YYYY`; null if there is none.'),
};

const settled = z
  .object({
    outcome: z.enum(SETTLED_OUTCOMES).describe('What the office did.'),
    note: z.string().max(NOTE_LENGTH).nullable().describe('Its note; null if there is none.'),
    at: dateTime.describe('When the office settled it.'),
  })
  .meta({ id: 'PaymentSettlement', description: 'How the office settled a payment.' });

export const foundPayment = z
  .object({
    ...paymentFields,
    already_recorded: z.literal(false).describe('Always false, as in the first answer.'),
    state: z.enum(PAYMENT_STATES).describe('Its state.'),
    reversed_at: dateTime.nullable().describe('The `reversed_at` of its reversal; null if there is none.'),
    settled: settled.nullable().describe('How the office settled it; null if it did not.'),
  })
  .meta({
    id: 'SubscriptionPayment',
    description: 'A payment as it was answered, with its present state.',
  });

export type FoundPayment = z.infer<typeof foundPayment>;
