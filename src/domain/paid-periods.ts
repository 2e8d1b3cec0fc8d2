import type { Instant } from './instant.ts';
import type { SubscriptionPeriod } from './subscription.ts';

/** A period as it is stored. */
export interface StoredPeriod extends SubscriptionPeriod {
  /** The `payment_id` of the payment that made it; null: a line of an import brought it. */
  readonly paidBy: string | null;
}

/** The periods that a subscription has, and those of payments that a reversal took back, each as it was until then. */
export interface HeldPeriods {
  readonly periods: readonly StoredPeriod[];
  readonly withdrawn: readonly StoredPeriod[];
}

/**
 * The periods of a subscription after a line of an import. The line replaces those that lines brought; paid ones stay. Where it has
 * a period with the very start of a paid one, its end counts from then on. A period that a reversal took back does not come back
 * until the line's end is another, unless another payment has one with that start: the line then speaks of that one.
 *
 * @param brought the line's, in the order of their starts
 */
export function periodsAfterLine(
  { periods, withdrawn }: HeldPeriods,
  brought: readonly SubscriptionPeriod[],
): readonly StoredPeriod[] {
  const paid = periods.filter(({ paidBy }) => paidBy !== null);
  const gone = withdrawn.filter(
    (old) => !paid.some(({ startsAt, paidBy }) => startsAt === old.startsAt && paidBy !== old.paidBy),
  );
  const taken = brought.filter((period) => !gone.some((old) => isSamePeriod(old, period)));
  const ends = new Map(taken.map(({ startsAt, endsAt }) => [startsAt, endsAt]));
  const starts = new Set(paid.map(({ startsAt }) => startsAt));
  return [
    ...paid.map((period) => ({ ...period, endsAt: ends.get(period.startsAt) ?? period.endsAt })),
    ...taken
      .filter(({ startsAt }) => !starts.has(startsAt))
      .map(({ startsAt, endsAt }) => ({ startsAt, endsAt, paidBy: null })),
  ].sort((a, b) => a.startsAt - b.startsAt);
}

const isSamePeriod = (a: SubscriptionPeriod, b: SubscriptionPeriod): boolean =>
  a.startsAt === b.startsAt && a.endsAt === b.endsAt;

/** Of each period, in the order of their starts, the latest end of it and those before it. */
export function coveredUntil(periods: readonly SubscriptionPeriod[]): readonly Instant[] {
  let latest: Instant | null = null;
  return periods.map(({ endsAt }) => {
    latest = latest === null || endsAt > latest ? endsAt : latest;
    return latest;
  });
}
