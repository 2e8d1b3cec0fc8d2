import * as z from 'zod';
import { REVERSAL_RESULTS } from '../../domain/payment.ts';
import { line, params, storedCode } from '../../serving/administration/fields.ts';
import {
  anyInstantText,
  holdsNoToken,
  instantText,
  NO_TOKEN,
  optionalText,
} from '../../serving/http/fields.ts';
import {
  count,
  flag,
  openCode,
  place,
  sentence,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import { customIssue } from '../../serving/http/validation.ts';
import {
  NOTE_LENGTH,
  PAYMENT_ID_LENGTH,
  SETTLED_OUTCOMES,
  STORED_ID_LENGTH,
} from '../../storage/db/schema/payments.ts';
import { isKeyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { foundPayment, paymentFields, TERMINAL_CODE_LENGTH } from '../recorded-payments/contract.ts';
import { PAYMENT_STATES } from '../recorded-payments/payment-parts.ts';

/** The most payments that one answer lists. */
export const MAX_FOUND = 1_000;
/** The most characters of what continues a search. */
const CURSOR_LENGTH = 500;

const TOO_LONG = {
  params: customIssue({
    en: `must have at most ${TERMINAL_CODE_LENGTH} characters`,
    it: `deve avere al massimo ${TERMINAL_CODE_LENGTH} caratteri`,
  }),
};

const paymentIdOf = (longest: number) =>
  line(longest).refine(
    (text) => text !== '.' && text !== '..',
    params('must not be . or ..', 'non deve essere . né ..'),
  );
const paymentId = paymentIdOf(PAYMENT_ID_LENGTH);
/** The key of a stored payment: as it was sent, or the digest that is listed in its place since a plate was erased. */
const storedPaymentId = paymentIdOf(STORED_ID_LENGTH).refine(
  (text) => isKeyDigest(text) || [...text].length <= PAYMENT_ID_LENGTH,
  params(
    `must have at most ${PAYMENT_ID_LENGTH} characters`,
    `deve avere al massimo ${PAYMENT_ID_LENGTH} caratteri`,
  ),
);
const isStorable = (text: string | undefined): boolean => text?.isWellFormed() ?? true;
const NOT_STORABLE = params('must not have half a character', 'non deve avere metà di un carattere');
const terminalCode = optionalText
  .refine(isStorable, NOT_STORABLE)
  .refine((text) => text === undefined || [...text].length <= TERMINAL_CODE_LENGTH, TOO_LONG)
  .refine((text) => text === undefined || holdsNoToken(text), NO_TOKEN)
  .meta({ maxLength: TERMINAL_CODE_LENGTH });
const municipalityOfCredential = optionalText.describe(
  'The municipality. Null, blank and absent stand for the credential’s only municipality.',
);

/** A text that goes with a reversal or a settlement; null and blank are the same as absent. */
const note = optionalText
  .refine(isStorable, NOT_STORABLE)
  .refine((text) => text === undefined || [...text].length <= NOTE_LENGTH, {
    params: customIssue({
      en: `must have at most ${NOTE_LENGTH} characters`,
      it: `deve avere al massimo ${NOTE_LENGTH} caratteri`,
    }),
  })
  .refine((text) => text === undefined || holdsNoToken(text), NO_TOKEN)
  .meta({ maxLength: NOTE_LENGTH });

export const paymentRequest = z
  .strictObject({
    payment_id: paymentId.describe(
      'The collector’s own key of the payment, unique in the municipality. The same payment sent again is recognised by it.',
    ),
    plate: z
      .string()
      .trim()
      .describe('The plate of the vehicle, as it was typed; normalized as in the plate check.'),
    municipality_code: municipalityOfCredential,
    terminal_code: terminalCode.describe(
      'The meter. It is stored, and returned in the answer. Null, blank and absent are the same.',
    ),
    codice_tariffa: z
      .string()
      .trim()
      .regex(/^(?!000)[0-9]{3}$/)
      .meta({ maxLength: 3 })
      .describe('The code of the plan that was sold.'),
    importo_eurocent: z.int().min(1).max(999_999).describe('What was collected, in euro cents.'),
    collected_at: anyInstantText.describe(
      'When the money was collected. Up to 5 seconds ahead is taken as now; not more than 400 days ago.',
    ),
    options_request_id: optionalText.describe(
      'The `request_id` of the options answer that was sold from. Where that answer offered this plan for this plate at most 60 minutes before, the plan counts as it was configured then. Anything else is as if absent.',
    ),
    subscription_number: optionalText.describe(
      'The only subscription that is meant. Null, blank and absent are the same: any of the plate.',
    ),
  })
  .meta({
    id: 'SubscriptionPaymentRequest',
    description: 'A payment that was collected. Unknown properties are refused.',
  });

export const paymentResponse = z
  .object({
    api_version: version('2.1'),
    ...paymentFields,
    already_recorded: flag.describe(
      'Whether an earlier call recorded the payment: this one changed nothing.',
    ),
  })
  .meta({ id: 'SubscriptionPaymentResponse', description: 'What became of a payment.' });

export const reversalRequest = z
  .strictObject({
    payment_id: storedPaymentId.describe('The collector’s key of the payment.'),
    municipality_code: municipalityOfCredential,
    reversed_at: anyInstantText.describe(
      'When the sale was reversed: not before its collection, and otherwise as `collected_at`.',
    ),
    reason: note.describe('Why. Null, blank and absent are the same.'),
  })
  .meta({
    id: 'PaymentReversalRequest',
    description: 'The payment to reverse. Unknown properties are refused.',
  });

export const reversalResponse = z
  .object({
    api_version: version('2.1'),
    result_code: openCode(REVERSAL_RESULTS).describe('What became of the reversal.'),
    message: sentence.describe('The same as a text for people.'),
    accepted: flag.describe('Whether the payment is reversed.'),
    payment_id: foundPayment.shape.payment_id,
    municipality: place.describe('The municipality of the payment.'),
    timezone: timeZone,
    payment: foundPayment.nullable().describe('The payment as it is now; null where there is none.'),
  })
  .meta({ id: 'PaymentReversalResponse', description: 'What became of a reversal.' });

const stateFilter = z
  .enum(PAYMENT_STATES)
  .nullish()
  .transform((state) => state ?? undefined);
const instantFilter = instantText.nullish().transform((at) => at ?? undefined);

/** Which payments: the one of a key, or those of a window. */
const selection = {
  payment_id: storedPaymentId
    .nullish()
    .transform((id) => id ?? undefined)
    .describe('The one with this key. Not together with what follows.'),
  from: instantFilter.describe('Those that were collected from this instant on.'),
  until: instantFilter.describe('And before this one: later than `from`, by 31 days at most.'),
  terminal_code: terminalCode.describe('Those of this terminal alone.'),
  state: stateFilter.describe('Those in this state alone. The totals count every state.'),
  after: z
    .string()
    .max(CURSOR_LENGTH)
    .nullish()
    .transform((after) => after || undefined)
    .describe('The `next` of the answer before. Null and absent are the same: from the beginning.'),
};

export const findRequest = z
  .strictObject({ municipality_code: municipalityOfCredential, ...selection })
  .meta({
    id: 'PaymentSearchRequest',
    description: 'Which payments to find. Unknown properties are refused.',
  });

export const officeFindRequest = z
  .strictObject({ municipality_code: storedCode().describe('The municipality.'), ...selection })
  .meta({
    id: 'OfficePaymentSearchRequest',
    description: 'Which payments to find. Unknown properties are refused.',
  });

const total = z
  .object({
    count: count.describe('How many.'),
    eurocent: count.describe('What was collected with them, in euro cents.'),
  })
  .meta({ id: 'PaymentTotal', description: 'The payments of a state.' });

export const findResponse = z
  .object({
    payments: z
      .array(foundPayment)
      .max(MAX_FOUND)
      .describe('In the order of `collected_at`, then of `payment_id`.'),
    next: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .describe('To be sent as `after`, for the rest. Null at the end.'),
    totals: z
      .object({
        accepted: total.describe('Those that made a period.'),
        unsettled: total.describe('Those that wait for the office.'),
        settled: total.describe('Those that the office has settled.'),
        reversed: total.describe('Those that were taken back.'),
      })
      .describe('Of the whole window, whatever the state that was asked for: the day’s closing.'),
  })
  .meta({ id: 'PaymentSearchResponse', description: 'The payments that were found.' });

export const settlementRequest = z
  .strictObject({
    municipality_code: storedCode().describe('The municipality.'),
    payment_id: storedPaymentId.describe('The key of the payment, which is unsettled.'),
    outcome: z
      .enum(SETTLED_OUTCOMES)
      .describe('Whether the money was refunded, or the subscription corrected.'),
    note: note.describe('What to remember of it. Null, blank and absent are the same.'),
  })
  .meta({
    id: 'PaymentSettlementRequest',
    description: 'How a payment was settled. Unknown properties are refused.',
  });

export const settlementResponse = z
  .object({ payment: foundPayment.describe('The payment as it is now.') })
  .meta({ id: 'PaymentSettlementResponse', description: 'The settled payment.' });

export type PaymentRequest = z.infer<typeof paymentRequest>;
export type PaymentResponse = z.infer<typeof paymentResponse>;
export type ReversalRequest = z.infer<typeof reversalRequest>;
export type ReversalResponse = z.infer<typeof reversalResponse>;
export type FindRequest = z.infer<typeof findRequest>;
export type FindResponse = z.infer<typeof findResponse>;
export type SettlementRequest = z.infer<typeof settlementRequest>;
