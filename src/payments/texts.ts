import type { ReversalResult } from '../domain/payment.ts';
import type { Text } from '../text/text.ts';

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
