import { type Instant, instant } from './instant.ts';
import type { SubscriptionPeriod } from './subscription.ts';

/** A payment that made a period, and when its reversal was recorded. */
export interface PeriodPayment extends SubscriptionPeriod {
  /** Null: it was not reversed. */
  readonly reversalRecordedAt: Instant | null;
}

/**
 * The period that is left of a payment (`docs/interface/payments.md`, "Reversals"). A reversal removes a period that has not begun,
 * and ends a running one at the instant at which it is recorded, so that no earlier answer becomes wrong. One that is over stays.
 */
export function paidPeriod({
  startsAt,
  endsAt,
  reversalRecordedAt,
}: PeriodPayment): SubscriptionPeriod | null {
  if (reversalRecordedAt === null) return { startsAt, endsAt };
  return startsAt < reversalRecordedAt
    ? { startsAt, endsAt: instant(Math.min(endsAt, reversalRecordedAt)) }
    : null;
}

/** {@link paidPeriod} as it was known at an instant, when a later reversal had not been recorded. */
export const paidPeriodKnownAt = (payment: PeriodPayment, knownAt: Instant): SubscriptionPeriod | null =>
  paidPeriod(
    payment.reversalRecordedAt !== null && payment.reversalRecordedAt > knownAt
      ? { ...payment, reversalRecordedAt: null }
      : payment,
  );
