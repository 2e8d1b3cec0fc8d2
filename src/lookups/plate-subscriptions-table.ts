import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { subscriptionPeriods, subscriptionPlates, subscriptions } from '../db/schema/index.ts';
import { aliased, jsonArray, jsonRows, list, literal, type TupleOf } from '../db/sql.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import type { Span } from '../domain/interval.ts';
import type { Plate } from '../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../domain/plate-reading.ts';
import type { Subscription } from '../domain/subscription.ts';
import { m } from './municipality-table.ts';

/** A subscription of the plate. */
export const b = alias(subscriptions, 'b');
const l = alias(subscriptionPlates, 'l');
const p = alias(subscriptionPeriods, 'p');

const PERIOD = [p.startsAt, p.endsAt] as const;
const VALIDITY = [l.validFrom, l.validUntil] as const;

/** How many spans of the plate on subscriptions are looked at. */
export const MAX_SPANS = 1_000;

const ofPlate = (plate: SQL): SQL => sql`${l.municipalityId} = ${m.id} and ${l.plate} = ${plate}`;
const isOn = (at: SQL): SQL => sql`(${l.validFrom} is null or ${l.validFrom} <= ${at})`;

/**
 * The subscriptions `b` of a plate in the municipality `m`, as a JSON array: how many spans of the plate on them were
 * looked at, how many subscriptions were found, and an item for each that is read. Beyond {@link MAX_SPANS} spans, or the
 * subscriptions that are read at most, it is incomplete.
 *
 * @param plate the statement's parameter that holds the plate; likewise `at`
 */
export const subscriptionsHeld = (plate: SQL, _at: SQL, item: SQL): SQL => sql`(
  select json_array(coalesce(sum(own.spans), 0), count(*), json_group_array(${item})) from (
    select ${l.subscriptionId} as subscription_id, count(*) as spans,
      json_group_array(${jsonArray(VALIDITY)}) as validity
    from (
      select * from ${aliased(subscriptionPlates, l)} indexed by subscription_plates_by_plate
      where ${ofPlate(plate)} limit ${literal(MAX_SPANS + 1)}
    ) as l group by ${l.subscriptionId} limit ${literal(MAX_READ_SUBSCRIPTIONS + 1)}
  ) own cross join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id
)`;

/** The same, only for those that the plate is on at an instant: for a plate that has too many. */
export const subscriptionsOn = (plate: SQL, at: SQL, item: SQL): SQL => sql`(
  with spans as materialized (
    select ${l.subscriptionId}, ${l.validFrom}, ${l.validUntil}
    from ${aliased(subscriptionPlates, l)} indexed by subscription_plates_by_end
    where ${ofPlate(plate)} and ${l.onUntil} > ${at} limit ${literal(MAX_SPANS + 1)}
  ), own as materialized (
    select ${l.subscriptionId} as subscription_id, json_group_array(${jsonArray(VALIDITY)}) as validity
    from spans as l where ${isOn(at)} group by ${l.subscriptionId} limit ${literal(MAX_READ_SUBSCRIPTIONS + 1)}
  )
  select json_array((select count(*) from spans), (select count(*) from own), ${jsonRows(
    item,
    sql`from (select * from own limit ${literal(MAX_READ_SUBSCRIPTIONS)}) own
      cross join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id`,
  )})
)`;

/**
 * All subscriptions `b` of a plate in the municipality `m`, each once, and one more than the maximum where there are more;
 * for use after `from`. Only spans of the plate that contain the instant.
 *
 * @param plate the statement's parameter that holds the plate; likewise `at`
 */
export const subscriptionsOfPlate = (plate: SQL, at: SQL): SQL => sql`(
  select held.subscription_id, ${jsonRows(
    jsonArray(VALIDITY),
    sql`from ${aliased(subscriptionPlates, l)} indexed by subscription_plates_by_end
      where ${ofPlate(plate)} and ${l.onUntil} > ${at} and ${isOn(at)} and ${l.subscriptionId} = held.subscription_id`,
  )} as validity
  from (
    select distinct ${l.subscriptionId} as subscription_id
    from ${aliased(subscriptionPlates, l)} indexed by subscription_plates_by_plate
    where ${ofPlate(plate)} limit ${literal(MAX_READ_SUBSCRIPTIONS + 1)}
  ) held
) own cross join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id`;

interface SubscriptionsRange {
  /** Ids of municipalities, a JSON list. */
  readonly ids: SQL;
  readonly plate: SQL;
  /** The id of the subscription that they come after, and how many to read. */
  readonly after: SQL;
  readonly most: SQL;
}

/** The next subscriptions of a plate in several municipalities, in the order of their ids. */
export const someSubscriptionsOfPlate = ({ ids, plate, after, most }: SubscriptionsRange): SQL => sql`(
  select ${l.subscriptionId} as subscription_id, json_group_array(${jsonArray(VALIDITY)}) as validity
  from json_each(${ids}) as held cross join ${aliased(subscriptionPlates, l)}
    on ${l.municipalityId} = held.value and ${l.plate} = ${plate} and ${l.subscriptionId} > ${after}
  group by ${l.subscriptionId} order by ${l.subscriptionId} limit ${most}
) own join ${aliased(subscriptions, b)} on ${b.id} = own.subscription_id`;

/** The one that contains the instant or ended last before it, and the next: no other matters. */
const nearestPeriods = (at: SQL): SQL => {
  const some = (which: SQL) =>
    sql`select * from (select ${list(PERIOD)} from ${aliased(subscriptionPeriods, p)}
      where ${p.subscriptionId} = ${b.id} and ${p.startsAt} ${which} limit 1)`;
  return sql`(${some(sql`<= ${at} order by ${p.startsAt} desc`)} union all ${some(sql`> ${at} order by ${p.startsAt}`)}) as p`;
};

const allPeriods = sql`${aliased(subscriptionPeriods, p)} where ${p.subscriptionId} = ${b.id}`;

const subscription = (periods: SQL) =>
  [
    b.subscriptionNumber,
    b.approval,
    b.authorizedFrom,
    b.authorizedUntil,
    b.suspendedFrom,
    b.suspendedUntil,
    b.revokedAt,
    b.allAreas,
    sql<TupleOf<typeof VALIDITY>[]>`json(own.validity)`,
    sql<TupleOf<typeof PERIOD>[]>`${jsonRows(jsonArray(PERIOD), sql`from ${periods}`)}`,
  ] as const;

/** Such a subscription as JSON: a {@link SubscriptionTuple}, with the periods that matter at an instant. */
export const subscriptionJson = (at: SQL): SQL<SubscriptionTuple> =>
  sql<SubscriptionTuple>`${jsonArray(subscription(nearestPeriods(at)))}`;

/** The same with all its periods. */
export const WHOLE_SUBSCRIPTION_JSON = sql<SubscriptionTuple>`${jsonArray(subscription(allPeriods))}`;

/** What {@link subscriptionJson} is, parsed. */
export type SubscriptionTuple = TupleOf<ReturnType<typeof subscription>>;

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
