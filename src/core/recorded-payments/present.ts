import type { Language, Text } from '../../base/text/text.ts';
import type { PaymentResult, ReversalResult } from '../../domain/payment.ts';
import { printedExpiry } from '../../domain/plan-expiry.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { FoundPayment } from './contract.ts';
import type { StoredPayment } from './payment-table.ts';

/** The municipality of a payment, as answers name it. */
interface Place {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
}

/** A payment in a list: as it was answered, and what has become of it. */
export function presentFound(payment: StoredPayment, place: Place, language: Language): FoundPayment {
  const { reversedAt, settledOutcome: outcome, settledNote: note, settledAt } = payment;
  const { timeZone } = place;
  return {
    ...presentPayment(payment, place, language),
    already_recorded: false,
    state: payment.state,
    reversed_at: reversedAt === null ? null : formatInstant(reversedAt, timeZone),
    settled:
      outcome === null || settledAt === null
        ? null
        : { outcome, note, at: formatInstant(settledAt, timeZone) },
  };
}

/** A payment as it was answered, without the fields of the call. */
export function presentPayment(payment: StoredPayment, { code, name, timeZone }: Place, language: Language) {
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

/** The message of a payment that made no period. */
const forTheOffice = (en: string, it: string): Text => ({
  en: `The payment is recorded for the office: ${en}.`,
  it: `Il pagamento è registrato per l'ufficio: ${it}.`,
});

/** `message` of a payment: what the collector may show its clerk, or the meter its customer. */
export const PAYMENT_TEXT: Record<PaymentResult, Text> = {
  PERIOD_CREATED: {
    en: 'The payment is recorded, and the subscription is valid until the expiry.',
    it: "Il pagamento è registrato e l'abbonamento è valido fino alla scadenza.",
  },
  SUBSCRIPTION_NOT_FOUND: forTheOffice(
    'this plate has no such subscription',
    'questa targa non ha un tale abbonamento',
  ),
  DIRECT_PURCHASE_NOT_SUPPORTED: forTheOffice(
    'a parking meter does not sell the subscription of this plate',
    "l'abbonamento di questa targa non si acquista al parcometro",
  ),
  PLATE_NOT_ACTIVE: forTheOffice(
    'the plate was not active on the subscription',
    "la targa non era attiva sull'abbonamento",
  ),
  APPLICATION_NOT_APPROVED: forTheOffice(
    'the application for the subscription has not been approved',
    "la richiesta dell'abbonamento non è stata approvata",
  ),
  SUBSCRIPTION_REVOKED: forTheOffice('the subscription was revoked', "l'abbonamento era revocato"),
  SUBSCRIPTION_SUSPENDED: forTheOffice('the subscription was suspended', "l'abbonamento era sospeso"),
  AUTHORIZATION_NOT_STARTED: forTheOffice(
    'the authorization of the subscription had not started',
    "l'autorizzazione dell'abbonamento non era iniziata",
  ),
  AUTHORIZATION_EXPIRED: forTheOffice(
    'the authorization of the subscription had expired',
    "l'autorizzazione dell'abbonamento era scaduta",
  ),
  FUTURE_RENEWAL_ALREADY_PRESENT: forTheOffice(
    'a later period of the subscription is paid already',
    "un periodo successivo dell'abbonamento è già pagato",
  ),
  RENEWAL_NOT_ALLOWED: forTheOffice(
    'the subscription could not be renewed then',
    "l'abbonamento non si poteva rinnovare in quel momento",
  ),
  PLAN_NOT_FOUND: forTheOffice('the subscription has no such plan', "l'abbonamento non ha una tale tariffa"),
  MULTIPLE_SUBSCRIPTIONS_FOUND: forTheOffice(
    'it may be for several subscriptions of this plate',
    'può riguardare più abbonamenti di questa targa',
  ),
  AMOUNT_MISMATCH: forTheOffice('the plan has another price', 'la tariffa ha un altro importo'),
  POSSIBLE_DOUBLE_PAYMENT: forTheOffice(
    'the same plan was paid less than 10 minutes before',
    'la stessa tariffa è stata pagata meno di 10 minuti prima',
  ),
};

/** `message` of a reversal. */
export const REVERSAL_TEXT: Record<ReversalResult, Text> = {
  PAYMENT_REVERSED: { en: 'The payment is reversed.', it: 'Il pagamento è stornato.' },
  ALREADY_REVERSED: { en: 'The payment was reversed before.', it: 'Il pagamento era già stornato.' },
  PAYMENT_NOT_FOUND: {
    en: 'No payment is recorded under this key.',
    it: 'Con questa chiave non è registrato nessun pagamento.',
  },
};
