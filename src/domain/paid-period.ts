import { type Instant, instant } from './instant.ts';
import type { SubscriptionPeriod } from './subscription.ts';

/** A payment that made a period, and when its reversal was recorded. */
export interface PeriodPayment extends SubscriptionPeriod {
  /** Null: it was not reversed. */
  readonly reversalRecordedAt: Instant | null;
}

/**
 * The periods that are left of payments (`docs/interface/payments.md`, "Reversals"). A reversal removes a period that has not begun,
 * and ends a running one at the instant at which it is recorded, so that no earlier answer becomes wrong. One that is over stays.
 */
export const paidPeriods = (payments: readonly PeriodPayment[]): SubscriptionPeriod[] =>
  payments.flatMap(({ startsAt, endsAt, reversalRecordedAt }) => {
    const until = reversalRecordedAt ?? endsAt;
    return startsAt < until ? [{ startsAt, endsAt: instant(Math.min(endsAt, until)) }] : [];
  });

/** A payment as it was known at an instant, when a later reversal had not been recorded. */
export const paymentKnownAt = <Payment extends PeriodPayment>(payment: Payment, at: Instant): Payment =>
  payment.reversalRecordedAt !== null && payment.reversalRecordedAt > at
    ? { ...payment, reversalRecordedAt: null }
    : payment;
