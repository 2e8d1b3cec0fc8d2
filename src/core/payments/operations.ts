import { storedPlate } from '../../domain/plate.ts';
import { OPTIONS_BODY, QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { presentFound } from '../recorded-payments/present.ts';
import {
  findRequest,
  findResponse,
  officeFindRequest,
  paymentRequest,
  paymentResponse,
  reversalRequest,
  reversalResponse,
  settlementRequest,
  settlementResponse,
} from './contract.ts';
import { findReading, presentPayments, selectedBy } from './find.ts';
import { presentPayment, presentReversal } from './present.ts';
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
  whenObjectIsAway: 'fail',
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
  errors: [
    'PAYMENT_CONFLICT',
    'INVALID_PLATE',
    'COLLECTED_AT_IN_FUTURE',
    'COLLECTED_AT_OUT_OF_RANGE',
    'MUNICIPALITY_MOVING',
  ],
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
  errors: ['COLLECTED_AT_IN_FUTURE', 'COLLECTED_AT_OUT_OF_RANGE', 'MUNICIPALITY_MOVING'],
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
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND', 'MUNICIPALITY_MOVING'],
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
