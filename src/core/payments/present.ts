import type { Language, Text } from '../../base/text/text.ts';
import type { ReversalResult } from '../../domain/payment.ts';
import type { StoredPayment } from '../recorded-payments/payment-table.ts';
import { fieldsOf, type PaymentPlace, presentFound } from '../recorded-payments/present.ts';
import type { PaymentResponse, ReversalResponse } from './contract.ts';

/** What became of a reversal, and the payment as it is now. */
export interface Reversal {
  readonly resultCode: ReversalResult;
  readonly payment: StoredPayment | null;
}

/** `message` of a reversal. */
export const REVERSAL_TEXT: Record<ReversalResult, Text> = {
  PAYMENT_REVERSED: { en: 'The payment is reversed.', it: 'Il pagamento è stornato.' },
  ALREADY_REVERSED: { en: 'The payment was reversed before.', it: 'Il pagamento era già stornato.' },
  PAYMENT_NOT_FOUND: {
    en: 'No payment is recorded under this key.',
    it: 'Con questa chiave non è registrato nessun pagamento.',
  },
};

/** The answer to a payment, the first one or that to the same payment sent again. */
export const presentPayment = (
  /** As it was sent: what is stored may be its digest. */
  paymentId: string,
  payment: StoredPayment,
  isFirst: boolean,
  place: PaymentPlace,
  language: Language,
): PaymentResponse => ({
  api_version: '2.1',
  ...fieldsOf(payment, place, language),
  payment_id: paymentId,
  already_recorded: !isFirst,
});

/** The answer to a reversal. */
export const presentReversal = (
  paymentId: string,
  { resultCode, payment }: Reversal,
  place: PaymentPlace,
  language: Language,
): ReversalResponse => ({
  api_version: '2.1',
  result_code: resultCode,
  message: REVERSAL_TEXT[resultCode][language],
  accepted: resultCode === 'PAYMENT_REVERSED' || resultCode === 'ALREADY_REVERSED',
  payment_id: paymentId,
  municipality: { code: place.code, name: place.name },
  timezone: place.timeZone,
  payment: payment && presentFound(payment, place, language),
});
