import type { Language, Text } from '../../base/text/text.ts';
import type { PaymentResult } from '../../domain/payment.ts';
import { printedExpiry } from '../../domain/plan-expiry.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { FoundPayment } from './contract.ts';
import { type StoredPayment, stateOf } from './payment-table.ts';

/** The municipality of a payment, as answers name it. */
export interface PaymentPlace {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
}

/** A payment in a list: as it was answered, and what has become of it. */
export function presentFound(payment: StoredPayment, place: PaymentPlace, language: Language): FoundPayment {
  const { reversedAt, settledOutcome: outcome, settledNote: note, settledAt } = payment;
  const { timeZone } = place;
  return {
    ...fieldsOf(payment, place, language),
    already_recorded: false,
    state: stateOf(payment),
    reversed_at: reversedAt === null ? null : formatInstant(reversedAt, timeZone),
    settled:
      outcome === null || settledAt === null
        ? null
        : { outcome, note, at: formatInstant(settledAt, timeZone) },
  };
}

/** What was answered of a payment, without what is of the call alone. */
export function fieldsOf(payment: StoredPayment, { code, name, timeZone }: PaymentPlace, language: Language) {
  const { resultCode, startsAt, endsAt, terminalCode } = payment;
  const period = startsAt !== null && endsAt !== null ? { startsAt, endsAt } : null;
  return {
    result_code: resultCode,
    message: PAYMENT_TEXT[resultCode][language],
    accepted: period !== null,
    payment_id: payment.paymentId,
    plate: payment.plate,
    municipality: { code, name },
    ...(terminalCode !== null && { terminal_code: terminalCode }),
    timezone: timeZone,
    collected_at: formatInstant(payment.collectedAt, timeZone),
    recorded_at: formatInstant(payment.recordedAt, timeZone),
    subscription_number: payment.subscriptionNumber,
    operation: payment.operation ?? ('none' as const),
    codice_tariffa: payment.planCode,
    importo_eurocent: payment.amountCents,
    expected_eurocent: payment.expectedCents,
    period: period && {
      starts_at: formatInstant(period.startsAt, timeZone),
      ends_at: formatInstant(period.endsAt, timeZone),
    },
    scadenza: period && printedExpiry(period.endsAt, timeZone),
  };
}

/** `message` of a payment: what the collector may show its clerk, or the meter its customer. */
export const PAYMENT_TEXT: Record<PaymentResult, Text> = {
  PERIOD_CREATED: {
    en: 'The payment is recorded, and the subscription is valid until the expiry.',
    it: "Il pagamento è registrato e l'abbonamento è valido fino alla scadenza.",
  },
  SUBSCRIPTION_NOT_FOUND: {
    en: 'The payment is recorded for the office: this plate has no such subscription.',
    it: "Il pagamento è registrato per l'ufficio: questa targa non ha un tale abbonamento.",
  },
  DIRECT_PURCHASE_NOT_SUPPORTED: {
    en: 'The payment is recorded for the office: a parking meter does not sell the subscription of this plate.',
    it: "Il pagamento è registrato per l'ufficio: l'abbonamento di questa targa non si acquista al parcometro.",
  },
  PLATE_NOT_ACTIVE: {
    en: 'The payment is recorded for the office: the plate was not active on the subscription.',
    it: "Il pagamento è registrato per l'ufficio: la targa non era attiva sull'abbonamento.",
  },
  APPLICATION_NOT_APPROVED: {
    en: 'The payment is recorded for the office: the application for the subscription has not been approved.',
    it: "Il pagamento è registrato per l'ufficio: la richiesta dell'abbonamento non è stata approvata.",
  },
  SUBSCRIPTION_REVOKED: {
    en: 'The payment is recorded for the office: the subscription was revoked.',
    it: "Il pagamento è registrato per l'ufficio: l'abbonamento era revocato.",
  },
  SUBSCRIPTION_SUSPENDED: {
    en: 'The payment is recorded for the office: the subscription was suspended.',
    it: "Il pagamento è registrato per l'ufficio: l'abbonamento era sospeso.",
  },
  AUTHORIZATION_NOT_STARTED: {
    en: 'The payment is recorded for the office: the authorization of the subscription had not started.',
    it: "Il pagamento è registrato per l'ufficio: l'autorizzazione dell'abbonamento non era iniziata.",
  },
  AUTHORIZATION_EXPIRED: {
    en: 'The payment is recorded for the office: the authorization of the subscription had expired.',
    it: "Il pagamento è registrato per l'ufficio: l'autorizzazione dell'abbonamento era scaduta.",
  },
  FUTURE_RENEWAL_ALREADY_PRESENT: {
    en: 'The payment is recorded for the office: a later period of the subscription is paid already.',
    it: "Il pagamento è registrato per l'ufficio: un periodo successivo dell'abbonamento è già pagato.",
  },
  RENEWAL_NOT_ALLOWED: {
    en: 'The payment is recorded for the office: the subscription could not be renewed then.',
    it: "Il pagamento è registrato per l'ufficio: l'abbonamento non si poteva rinnovare in quel momento.",
  },
  PLAN_NOT_FOUND: {
    en: 'The payment is recorded for the office: the subscription has no such plan.',
    it: "Il pagamento è registrato per l'ufficio: l'abbonamento non ha una tale tariffa.",
  },
  MULTIPLE_SUBSCRIPTIONS_FOUND: {
    en: 'The payment is recorded for the office: it may be for several subscriptions of this plate.',
    it: "Il pagamento è registrato per l'ufficio: può riguardare più abbonamenti di questa targa.",
  },
  AMOUNT_MISMATCH: {
    en: 'The payment is recorded for the office: the plan has another price.',
    it: "Il pagamento è registrato per l'ufficio: la tariffa ha un altro importo.",
  },
  POSSIBLE_DOUBLE_PAYMENT: {
    en: 'The payment is recorded for the office: the same plan was paid less than 10 minutes before.',
    it: "Il pagamento è registrato per l'ufficio: la stessa tariffa è stata pagata meno di 10 minuti prima.",
  },
};
