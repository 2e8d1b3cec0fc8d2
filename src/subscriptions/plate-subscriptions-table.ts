import { instant, nullableInstant } from '../domain/instant.ts';
import type { Span } from '../domain/interval.ts';
import type { Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';

/**
 * The subscriptions `b` of a plate in a municipality `m`, each once, with the plate's validities `l.validity`: to stand
 * behind `from`.
 *
 * @param plate the statement's parameter that holds the plate
 */
export const subscriptionsOfPlate = (plate: string): string => `(
    select subscription_id, json_group_array(json_array(valid_from, valid_until)) as validity
    from subscription_plates where municipality_id = m.id and plate = ${plate}
    group by subscription_id
  ) l join subscriptions b on b.id = l.subscription_id`;

/** Such a subscription as JSON, an array, since names would be parsed again for every item. */
export const SUBSCRIPTION_JSON = `json_array(
    b.subscription_number, b.approval, b.authorized_from, b.authorized_until,
    b.suspended_from, b.suspended_until, b.revoked_at, b.all_areas, json(l.validity),
    (select json_group_array(json_array(p.starts_at, p.ends_at))
     from subscription_periods p where p.subscription_id = b.id)
  )`;

/** What {@link SUBSCRIPTION_JSON} is, parsed. */
export type SubscriptionTuple = [
  subscriptionNumber: string,
  approval: Subscription['approval'],
  authorizedFrom: number | null,
  authorizedUntil: number | null,
  suspendedFrom: number | null,
  suspendedUntil: number | null,
  revokedAt: number | null,
  allAreas: number,
  plateValidity: [from: number | null, until: number | null][],
  periods: [startsAt: number, endsAt: number][],
];

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
