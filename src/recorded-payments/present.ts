import { printedExpiry } from '../domain/plan-expiry.ts';
import { formatInstant } from '../domain/zoned-time.ts';
import type { Language } from '../text/text.ts';
import type { FoundPayment } from './contract.ts';
import type { StoredPayment } from './payment-parts.ts';
import { PAYMENT_TEXT } from './texts.ts';

/** The municipality of a payment, as answers name it. */
export interface PaymentPlace {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
}

/** A payment in a list: as it was answered, and what has become of it. */
export function presentFound(payment: StoredPayment, place: PaymentPlace, language: Language): FoundPayment {
  const { state, reversedAt, settled } = payment;
  const { timeZone } = place;
  return {
    ...fieldsOf(payment, place, language),
    already_recorded: false,
    state,
    reversed_at: reversedAt === null ? null : formatInstant(reversedAt, timeZone),
    settled: settled === null ? null : { ...settled, at: formatInstant(settled.at, timeZone) },
  };
}

/** What was answered of a payment, without what is of the call alone. */
export function fieldsOf(payment: StoredPayment, { code, name, timeZone }: PaymentPlace, language: Language) {
  const { resultCode, period, terminalCode } = payment;
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
