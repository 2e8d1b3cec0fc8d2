import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { takeShared, termsOf } from '../../storage/db/subscription-fields.ts';
import type { SubscriptionTuple } from './plate-subscriptions-table.ts';

/**
 * The subscription of a row.
 *
 * @param limitedTo the codes of its areas that were read, for one that is limited to areas
 */
export function subscriptionOf(
  tuple: SubscriptionTuple,
  plate: Plate,
  limitedTo: readonly string[],
): Subscription {
  const [number, ...values] = tuple;
  const [stored, isEverywhere, validity, periods] = takeShared(values);
  return {
    subscriptionNumber: number,
    plate,
    plateValidity: validity.map(spanOf),
    ...termsOf(stored),
    periods: periods.map(([startsAt, endsAt]) => ({ startsAt: instant(startsAt), endsAt: instant(endsAt) })),
    areas: isEverywhere === 1 ? 'all' : limitedTo,
  };
}

const spanOf = ([from, until]: readonly [number | null, number | null]): Span => ({
  from: nullableInstant(from),
  until: nullableInstant(until),
});
