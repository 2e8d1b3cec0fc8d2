import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
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
  const [
    number,
    approval,
    from,
    until,
    suspendedFrom,
    suspendedUntil,
    revokedAt,
    allAreas,
    validity,
    periods,
  ] = tuple;
  return {
    subscriptionNumber: number,
    plate,
    plateValidity: validity.map(spanOf),
    approval,
    authorized: spanOf([from, until]),
    suspended:
      suspendedFrom === null
        ? null
        : { from: instant(suspendedFrom), until: nullableInstant(suspendedUntil) },
    revokedAt: nullableInstant(revokedAt),
    periods: periods.map(([startsAt, endsAt]) => ({ startsAt: instant(startsAt), endsAt: instant(endsAt) })),
    areas: allAreas === 1 ? 'all' : limitedTo,
  };
}

const spanOf = ([from, until]: readonly [number | null, number | null]): Span => ({
  from: nullableInstant(from),
  until: nullableInstant(until),
});
