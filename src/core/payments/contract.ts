import * as z from 'zod';
import {
  anyInstantText,
  customIssue,
  holdsNoToken,
  instantText,
  NO_TOKEN,
  optionalText,
  params,
} from '../../base/forms/fields.ts';
import type { Text } from '../../base/text/text.ts';
import { DAY_MS, INSTANT_LENGTH, INSTANT_PATTERN } from '../../domain/instant.ts';
import { REVERSAL_RESULTS } from '../../domain/payment.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { METER_BODY, QUERY_BODY } from '../../serving/http/body.ts';
import {
  count,
  flag,
  openCode,
  place,
  sentence,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { newCode, planCode } from '../../storage/configuration/forms.ts';
import {
  NOTE_LENGTH,
  PAYMENT_ID_LENGTH,
  SETTLED_OUTCOMES,
  STORED_ID_LENGTH,
} from '../../storage/db/schema/payments.ts';
import { isKeyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { eurocents, shortText, soldTo, TERMINAL_CODE_LENGTH } from '../held-subscriptions/fields.ts';
import { foundPayment, paymentFields } from '../recorded-payments/contract.ts';
import { PAYMENT_STATES } from '../recorded-payments/payment-table.ts';

export const MAX_FOUND = 1_000;
const CURSOR_LENGTH = 500;
/** `after` of a search: the instant and the key of the last payment that was answered. */
export const CURSOR = /^(\d{1,15})\.(.+)$/s;
/** The longest window of a search. */
const MAX_WINDOW_MS = 31 * DAY_MS;

/** The key of a stored payment: as sent, or the digest that replaced it when a plate was erased. */
const storedPaymentId = newCode(STORED_ID_LENGTH).refine(
  (text) => isKeyDigest(text) || [...text].length <= PAYMENT_ID_LENGTH,
  params(
    `must have at most ${PAYMENT_ID_LENGTH} characters`,
    `deve avere al massimo ${PAYMENT_ID_LENGTH} caratteri`,
  ),
);
/** A text that is stored as sent. Null and blank mean absent. */
const keptText = (longest: number) =>
  shortText(longest)
    .refine(
      (text) => text?.isWellFormed() ?? true,
      params('must not have an unpaired surrogate', 'non deve avere metà di un carattere'),
    )
    .refine((text) => text === undefined || holdsNoToken(text), NO_TOKEN)
    .meta({ maxLength: longest });
const terminalCode = keptText(TERMINAL_CODE_LENGTH);
/** The text of a reversal or a settlement. */
const note = keptText(NOTE_LENGTH);
const { municipality_code } = soldTo;
/** The office has to name it. */
const ofTheOffice = { municipality_code: storedCode().describe('The municipality.') };

export const paymentRequest = z
  .strictObject({
    payment_id: newCode(PAYMENT_ID_LENGTH).describe(
      'The collector’s key of the payment, unique in the municipality. It identifies a payment that is sent again.',
    ),
    ...soldTo,
    terminal_code: terminalCode.describe('The meter. It is stored and returned. Null and blank mean absent.'),
    codice_tariffa: planCode.describe('The code of the plan that was sold.'),
    importo_eurocent: eurocents.describe('The amount collected, in euro cents.'),
    collected_at: anyInstantText.describe(
      'When the money was collected: at most 400 days ago. Up to 5 seconds in the future counts as now.',
    ),
    options_request_id: optionalText.describe(
      'The `request_id` of the options answer that was sold from. It is only kept in the log.',
    ),
    subscription_number: optionalText.describe(
      'The subscription that was sold. Null, blank or absent: any of the plate’s.',
    ),
  })
  .meta({
    id: 'SubscriptionPaymentRequest',
    description: 'A collected payment. Unknown properties are refused.',
  });

const paymentResponse = z
  .object({
    api_version: version('2.1'),
    ...paymentFields,
    already_recorded: flag.describe(
      'Whether an earlier call recorded the payment, so that this one changed nothing.',
    ),
  })
  .meta({ id: 'SubscriptionPaymentResponse', description: 'The outcome of a payment.' });

export const reversalRequest = z
  .strictObject({
    municipality_code,
    payment_id: storedPaymentId.describe('The collector’s key of the payment.'),
    reversed_at: anyInstantText.describe(
      'When the sale was reversed: not before the collection, and otherwise as `collected_at`.',
    ),
    reason: note.describe('Why. Null and blank mean absent.'),
  })
  .meta({
    id: 'PaymentReversalRequest',
    description: 'The payment to reverse. Unknown properties are refused.',
  });

export const officeReversalRequest = reversalRequest.extend(ofTheOffice).meta({
  id: 'OfficePaymentReversalRequest',
  description: 'The payment to reverse. Unknown properties are refused.',
});

const reversalResponse = z
  .object({
    api_version: version('2.1'),
    result_code: openCode(REVERSAL_RESULTS).describe('The outcome of the reversal.'),
    message: sentence.describe('The same as a text for people.'),
    accepted: flag.describe('Whether the payment is reversed.'),
    payment_id: foundPayment.shape.payment_id,
    municipality: place.describe('The municipality of the payment.'),
    timezone: timeZone,
    payment: foundPayment.nullable().describe('The payment as it is now; null if there is none.'),
  })
  .meta({ id: 'PaymentReversalResponse', description: 'The outcome of a reversal.' });

const instantFilter = optionalText
  .pipe(instantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });

const selection = z.strictObject({
  municipality_code,
  payment_id: optionalText
    .pipe(storedPaymentId.optional())
    .meta({ maxLength: STORED_ID_LENGTH })
    .describe('Only the payment with this key. Not together with other filters.'),
  from: instantFilter.describe('Only payments collected at or after this instant.'),
  until: instantFilter.describe('Only payments collected before this instant, at most 31 days after `from`.'),
  terminal_code: terminalCode.describe('Only payments of this terminal.'),
  state: optionalText
    .pipe(z.enum(PAYMENT_STATES).optional())
    .describe('Only payments in this state. The totals count every state.'),
  after: optionalText
    .refine(
      (text) => text === undefined || (text.length <= CURSOR_LENGTH && CURSOR.test(text)),
      params('is not the `next` of a search for payments', 'non è il `next` di una ricerca di pagamenti'),
    )
    .meta({ maxLength: CURSOR_LENGTH })
    .describe('The `next` of the previous answer. Null or absent: from the beginning.'),
});

/** A search is for one payment by its key, or for those of a window. */
function requireOneSelection(body: z.infer<typeof selection>, context: z.RefinementCtx): void {
  const { municipality_code: _, payment_id, ...window } = body;
  const { from, until } = window;
  const refuse = (name: string, text: Text) =>
    context.addIssue({ code: 'custom', path: [name], params: customIssue(text) });
  if (payment_id !== undefined) {
    for (const [name, value] of Object.entries(window)) if (value !== undefined) refuse(name, NOT_TOGETHER);
    return;
  }
  if (from === undefined) refuse('from', MISSING);
  if (until === undefined) refuse('until', MISSING);
  else if (from !== undefined && (until <= from || until - from > MAX_WINDOW_MS)) refuse('until', NO_WINDOW);
}

const NOT_TOGETHER = {
  en: 'must not be sent together with payment_id',
  it: 'non va inviato insieme a payment_id',
};
const NO_WINDOW = {
  en: 'must be later than from, and at most 31 days later',
  it: 'deve essere successivo a from, di 31 giorni al massimo',
};

export const findRequest = selection.superRefine(requireOneSelection).meta({
  id: 'PaymentSearchRequest',
  description: 'Which payments to find. Null and blank mean absent. Unknown properties are refused.',
});

export const officeFindRequest = selection.extend(ofTheOffice).superRefine(requireOneSelection).meta({
  id: 'OfficePaymentSearchRequest',
  description: 'Which payments to find. Null and blank mean absent. Unknown properties are refused.',
});

const total = z
  .object({
    count: count.describe('How many.'),
    eurocent: count.describe('Their sum, in euro cents.'),
  })
  .meta({ id: 'PaymentTotal', description: 'The payments of a state.' });

const findResponse = z
  .object({
    payments: z.array(foundPayment).max(MAX_FOUND).describe('By `collected_at`, then by `payment_id`.'),
    next: z
      .string()
      .max(CURSOR_LENGTH)
      .nullable()
      .describe('Send it as `after` for the rest. Null at the end.'),
    totals: z
      .object({
        accepted: total.describe('Payments that made a period.'),
        unsettled: total.describe('Payments that wait for the office.'),
        settled: total.describe('Payments that the office settled.'),
        reversed: total.describe('Reversed payments.'),
      })
      .describe('For the whole window and every state: the day’s closing.'),
  })
  .meta({ id: 'PaymentSearchResponse', description: 'The payments that were found.' });

export const settlementRequest = z
  .strictObject({
    ...ofTheOffice,
    payment_id: storedPaymentId.describe('The key of an unsettled payment.'),
    outcome: z
      .enum(SETTLED_OUTCOMES)
      .describe('Whether the money was refunded, or the subscription corrected.'),
    note: note.describe('A note. Null and blank mean absent.'),
  })
  .meta({
    id: 'PaymentSettlementRequest',
    description: 'How a payment was settled. Unknown properties are refused.',
  });

const settlementResponse = z
  .object({ payment: foundPayment.describe('The payment as it is now.') })
  .meta({ id: 'PaymentSettlementResponse', description: 'The settled payment.' });

export type PaymentResponse = z.infer<typeof paymentResponse>;
export type ReversalResponse = z.infer<typeof reversalResponse>;
export type FindResponse = z.infer<typeof findResponse>;

const OF_METERS = {
  method: 'POST',
  access: { by: 'credential', scope: 'subscription_payments', budget: 'payments' },
  // A collector waits: after this, a clear failure is better than an answer. The call log has the rest of two seconds.
  deadlineMs: 1_500,
  log: { operation: 'subscription_payment', whole: true },
} as const;

const OF_THE_OFFICE = {
  method: 'POST',
  access: { by: 'administrator', office: 'changes' },
  deadlineMs: 5_000,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
} as const;

/** A payment 2.1: money that was collected becomes a paid period. */
export const recorded = {
  ...OF_METERS,
  id: 'recordPayment',
  path: '/api/v2/parking-meters/subscription-payments',
  body: { kind: 'json', schema: paymentRequest, maxBytes: METER_BODY },
  answer: paymentResponse,
  errors: ['PAYMENT_CONFLICT', 'INVALID_PLATE', 'COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE'],
} as const satisfies Contract;

/** A sale that failed at the device, or was refunded. */
export const reversed = {
  ...OF_METERS,
  id: 'reversePayment',
  path: '/api/v2/parking-meters/subscription-payments/reverse',
  body: { kind: 'json', schema: reversalRequest, maxBytes: METER_BODY },
  answer: reversalResponse,
  errors: ['COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE'],
} as const satisfies Contract;

/** The day's closing, and how a collector learns the fate of an answer that it lost. */
export const found = {
  ...OF_METERS,
  id: 'findPayments',
  path: '/api/v2/parking-meters/subscription-payments/search',
  deadlineMs: 2_000,
  body: { kind: 'json', schema: findRequest, maxBytes: METER_BODY },
  answer: findResponse,
  log: { operation: 'subscription_payment' },
} as const satisfies Contract;

/** The same for the office. */
export const foundForTheOffice = {
  ...OF_THE_OFFICE,
  id: 'findPaymentsForOffice',
  path: '/api/v2/admin/payments/search',
  access: { by: 'administrator', office: 'reads' },
  body: { kind: 'json', schema: officeFindRequest, maxBytes: QUERY_BODY },
  answer: findResponse,
} as const satisfies Contract;

/** The same for the office. */
export const reversedByTheOffice = {
  ...OF_THE_OFFICE,
  id: 'reversePaymentForOffice',
  path: '/api/v2/admin/payments/reverse',
  body: { kind: 'json', schema: officeReversalRequest, maxBytes: QUERY_BODY },
  answer: reversalResponse,
  errors: [...OF_THE_OFFICE.errors, 'COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE'],
  log: { operation: 'admin', action: 'payment.reverse' },
} as const satisfies Contract;

/** The office has refunded what made no period, or corrected the title. */
export const settled = {
  ...OF_THE_OFFICE,
  id: 'settlePayment',
  path: '/api/v2/admin/payments/settle',
  body: { kind: 'json', schema: settlementRequest, maxBytes: QUERY_BODY },
  answer: settlementResponse,
  log: { operation: 'admin', action: 'payment.settle' },
} as const satisfies Contract;
