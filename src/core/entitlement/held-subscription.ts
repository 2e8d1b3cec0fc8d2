import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { type ByName, takeShared } from '../../storage/db/subscription-fields.ts';
import type { SubscriptionTuple } from './plate-subscriptions-table.ts';

/**
 * The subscription of a row.
 *
 * @param limitedTo the codes of its areas that were read, for one that is limited to areas
 */
export function subscriptionOf(
  [number, ...values]: SubscriptionTuple,
  plate: Plate,
  limitedTo: readonly string[],
): Subscription {
  const [stored, isEverywhere, validity, periods] = takeShared(values);
  return {
    ...sharedPartOf(number, stored, periods, isEverywhere === 1 ? 'all' : limitedTo),
    plate,
    plateValidity: validity.map(spanOf),
  };
}

/** The part of a subscription that its plates share. */
export const sharedPartOf = (
  subscriptionNumber: string,
  stored: ByName<number | null>,
  periods: readonly (readonly [startsAt: number, endsAt: number])[],
  areas: Subscription['areas'],
) => ({
  subscriptionNumber,
  approval: stored.approval,
  authorized: authorizationOf(stored),
  suspended:
    stored.suspended_from === null
      ? null
      : { from: instant(stored.suspended_from), until: nullableInstant(stored.suspended_until) },
  revokedAt: nullableInstant(stored.revoked_at),
  periods: periods.map(([startsAt, endsAt]) => ({ startsAt: instant(startsAt), endsAt: instant(endsAt) })),
  areas,
});

export const authorizationOf = (stored: ByName<number | null>): Span =>
  spanOf([stored.authorized_from, stored.authorized_until]);

export const spanOf = ([from, until]: readonly [number | null, number | null]): Span => ({
  from: nullableInstant(from),
  until: nullableInstant(until),
});
