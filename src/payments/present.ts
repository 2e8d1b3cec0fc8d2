import type { ReversalResult } from '../domain/payment.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import { fieldsOf, type PaymentPlace, presentFound } from '../recorded-payments/present.ts';
import type { Language } from '../text/text.ts';
import type { PaymentResponse, ReversalResponse } from './contract.ts';
import { REVERSAL_TEXT } from './texts.ts';

/** The answer to a payment, the first one or that to the same payment sent again. */
export const presentPayment = (
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
export const presentReversal = (
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
