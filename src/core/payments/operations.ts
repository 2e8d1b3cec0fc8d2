import type { Language, Text } from '../../base/text/text.ts';
import type { ReversalResult } from '../../domain/payment.ts';
import { storedPlate } from '../../domain/plate.ts';
import { OPTIONS_BODY, QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import { fieldsOf, type PaymentPlace, presentFound } from '../recorded-payments/present.ts';
import {
  findRequest,
  findResponse,
  officeFindRequest,
  type PaymentResponse,
  paymentRequest,
  paymentResponse,
  type ReversalResponse,
  reversalRequest,
  reversalResponse,
  settlementRequest,
  settlementResponse,
} from './contract.ts';
import { findReading, presentPayments, selectedBy } from './find.ts';
import { paymentReading, recordPayment } from './record.ts';
import { reversalReading, reversePayment } from './reverse.ts';
import { findForOffice, settlePayment } from './settle.ts';

/** A collector waits: after this, a clear failure is better than an answer. */
const ANSWER_WITHIN_MS = 2_000;
/** The time for the answer itself; the rest is for writing the call log. */
const DECIDE_WITHIN_MS = 1_500;
const OFFICE_WITHIN_MS = 5_000;

const ACCESS = {
  by: 'credential',
  scope: 'subscription_payments',
  budget: 'payments',
  tokenHeaders: 'authorization_only',
  // A collector sends the same again.
} as const;
const WHOLE = {
  operation: 'subscription_payment',
  whole: { answerWithinMs: ANSWER_WITHIN_MS },
} as const;

/** A payment 2.1: money that was collected becomes a paid period. */
export const record = operation({
  id: 'recordPayment',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-payments',
  access: ACCESS,
  deadlineMs: DECIDE_WITHIN_MS,
  body: { kind: 'json', schema: paymentRequest, maxBytes: OPTIONS_BODY },
  reads: paymentReading,
  answer: paymentResponse,
  errors: ['PAYMENT_CONFLICT', 'INVALID_PLATE', 'COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE'],
  log: WHOLE,
  handle: async ({ body }, context) => {
    const { payment, isFirst } = await recordPayment(body, context);
    return {
      answer: presentPayment(payment, isFirst, context.municipality, context.language),
      outcome: payment.resultCode,
    };
  },
});

/** A sale that failed at the device, or was refunded. */
export const reverse = operation({
  id: 'reversePayment',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-payments/reverse',
  access: ACCESS,
  deadlineMs: DECIDE_WITHIN_MS,
  body: { kind: 'json', schema: reversalRequest, maxBytes: OPTIONS_BODY },
  reads: reversalReading,
  answer: reversalResponse,
  errors: ['COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE'],
  log: WHOLE,
  handle: async ({ body }, context) => {
    const reversal = await reversePayment(body, context);
    const { payment, resultCode } = reversal;
    return {
      answer: presentReversal(body.payment_id, reversal, context.municipality, context.language),
      outcome: resultCode,
      // Only a digest of it is kept.
      ...(payment !== null && !isPseudonym(payment.plate) && { plate: storedPlate(payment.plate) }),
    };
  },
});

/** The day's closing, and how a collector learns the fate of an answer that it lost. */
export const find = operation({
  id: 'findPayments',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-payments/search',
  access: ACCESS,
  deadlineMs: ANSWER_WITHIN_MS,
  body: { kind: 'json', schema: findRequest, maxBytes: OPTIONS_BODY },
  reads: findReading,
  answer: findResponse,
  log: { operation: 'subscription_payment' },
  handle: async (_request, { municipality, language }) => ({
    answer: presentPayments(municipality.found, language),
  }),
});

/** The same for the office. */
export const findForTheOffice = operation({
  id: 'findPaymentsForOffice',
  method: 'POST',
  path: '/api/v2/admin/payments/search',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: OFFICE_WITHIN_MS,
  body: { kind: 'json', schema: officeFindRequest, maxBytes: QUERY_BODY },
  answer: findResponse,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  handle: async ({ body }, context) => {
    const { municipality_code: code } = body;
    const selected = selectedBy(context.env, body);
    await context.bounds.requireMunicipalities([code]);
    const found = await findForOffice(context, code, selected);
    return { answer: presentPayments(found, context.language), municipality: code };
  },
});

/** The office has refunded what made no period, or corrected the subscription. */
export const settle = operation({
  id: 'settlePayment',
  method: 'POST',
  path: '/api/v2/admin/payments/settle',
  access: { by: 'administrator', office: 'changes' },
  deadlineMs: OFFICE_WITHIN_MS,
  body: { kind: 'json', schema: settlementRequest, maxBytes: QUERY_BODY },
  answer: settlementResponse,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  log: { operation: 'admin', action: 'payment.settle' },
  handle: async ({ body }, context) => {
    const { municipality_code: code } = body;
    await context.bounds.requireMunicipalities([code]);
    const { payment, place } = await settlePayment(body, context);
    return {
      answer: { payment: presentFound(payment, place, context.language) },
      ...{ municipality: code, target: code },
    };
  },
});

/** `message` of a reversal. */
export const REVERSAL_TEXT: Record<ReversalResult, Text> = {
  PAYMENT_REVERSED: { en: 'The payment is reversed.', it: 'Il pagamento è stornato.' },
  ALREADY_REVERSED: { en: 'The payment was reversed before.', it: 'Il pagamento era già stornato.' },
  PAYMENT_NOT_FOUND: {
    en: 'No payment is recorded under this key.',
    it: 'Con questa chiave non è registrato nessun pagamento.',
  },
  NEXT_PERIOD_PAID: {
    en: 'The next period is paid already: the office decides.',
    it: "Il periodo successivo è già pagato: decide l'ufficio.",
  },
};

/** The answer to a payment, the first one or that to the same payment sent again. */
const presentPayment = (
  payment: StoredPayment,
  isFirst: boolean,
  place: PaymentPlace,
  language: Language,
): PaymentResponse => ({
  api_version: '2.1',
  ...fieldsOf(payment, place, language),
  already_recorded: !isFirst,
});

/** The answer to a reversal. */
const presentReversal = (
  paymentId: string,
  { resultCode, payment }: { readonly resultCode: ReversalResult; readonly payment: StoredPayment | null },
  place: PaymentPlace,
  language: Language,
): ReversalResponse => ({
  api_version: '2.1',
  result_code: resultCode,
  message: REVERSAL_TEXT[resultCode][language],
  accepted: resultCode === 'PAYMENT_REVERSED' || resultCode === 'ALREADY_REVERSED',
  payment_id: payment?.paymentId ?? paymentId,
  municipality: { code: place.code, name: place.name },
  timezone: place.timeZone,
  payment: payment && presentFound(payment, place, language),
});
