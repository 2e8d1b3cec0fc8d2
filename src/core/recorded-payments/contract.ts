import * as z from 'zod';
import { PAYMENT_RESULTS } from '../../domain/payment.ts';
import { PURCHASE_OPERATIONS } from '../../domain/purchase-options.ts';
import {
  dateTime,
  flag,
  openCode,
  place,
  plate,
  sentence,
  timeZone,
} from '../../serving/http/response-fields.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { NOTE_LENGTH, SETTLED_OUTCOMES } from '../../storage/db/schema/payments.ts';
import { PAYMENT_STATES } from './payment-parts.ts';

/** Longest code of a terminal, in characters. */
export const TERMINAL_CODE_LENGTH = 64;

export const paidPeriod = z
  .object({
    starts_at: dateTime.describe('Its start.'),
    ends_at: dateTime.describe('Its end: the definitive expiry.'),
  })
  .meta({ id: 'PaidPeriod', description: 'The period that a payment made.' });

/** What was answered of a payment, without what is of the call alone. */
export const paymentFields = {
  result_code: openCode(PAYMENT_RESULTS).describe(
    'What became of the payment. Every code except `PERIOD_CREATED` leaves it to the office.',
  ),
  message: sentence.describe('The same as a text for people.'),
  accepted: flag.describe('Whether the payment made a period.'),
  payment_id: z
    .string()
    .min(1)
    .max(NAME_LENGTH)
    .describe('The collector’s key; a digest of it where it was made from a plate that was erased.'),
  plate: plate.describe('The normalized plate; a pseudonym once it was erased.'),
  municipality: place.describe('The municipality of the payment.'),
  terminal_code: z
    .string()
    .min(1)
    .max(TERMINAL_CODE_LENGTH)
    .optional()
    .describe('As it was sent, trimmed; absent when it was not.'),
  timezone: timeZone,
  collected_at: dateTime.describe('The instant at which the payment was judged.'),
  recorded_at: dateTime.describe('When it was recorded.'),
  subscription_number: z
    .string()
    .min(1)
    .max(NAME_LENGTH)
    .nullable()
    .describe('The subscription that was meant, if it was exactly one; else null.'),
  operation: z
    .enum([...PURCHASE_OPERATIONS, 'none'])
    .describe('What was bought: `first_activation` or `renewal`; `none` where no period was made.'),
  codice_tariffa: z.string().length(3).describe('The code of the plan, as it was sent.'),
  importo_eurocent: z.int().min(1).max(999_999).describe('What was collected, in euro cents.'),
  expected_eurocent: z
    .int()
    .min(1)
    .max(999_999)
    .nullable()
    .describe('The price of the plan, in euro cents; null where no plan was found.'),
  period: paidPeriod.nullable().describe('The period that the payment made; null where it made none.'),
  scadenza: z
    .string()
    .max(16)
    .nullable()
    .describe('The end of that period as a receipt prints it, `HH:MM DD/MM/YYYY`; null where there is none.'),
};

const settled = z
  .object({
    outcome: z.enum(SETTLED_OUTCOMES).describe('What the office did.'),
    note: z.string().max(NOTE_LENGTH).nullable().describe('Its note; null where there is none.'),
    at: dateTime.describe('When.'),
  })
  .meta({ id: 'PaymentSettlement', description: 'How the office settled a payment.' });

export const foundPayment = z
  .object({
    ...paymentFields,
    already_recorded: z.literal(false).describe('As it was answered the first time.'),
    state: z.enum(PAYMENT_STATES).describe('What has become of it.'),
    reversed_at: dateTime.nullable().describe('When it was reversed, as the collector says; else null.'),
    settled: settled.nullable().describe('How the office settled it; else null.'),
  })
  .meta({
    id: 'SubscriptionPayment',
    description: 'A payment, as it was answered, and what has become of it.',
  });

export type FoundPayment = z.infer<typeof foundPayment>;
