import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import {
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import {
  jsonArray,
  jsonRows,
  list,
  literal,
  primaryKeyOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import {
  fieldColumns,
  recordValue,
  recordValues,
  splitFieldValues,
  type ValuesByName,
} from '../../storage/db/subscription-fields.ts';

/** A subscription of the plate. */
export const subscription = alias(subscriptions, 'subscription');
export const span = alias(subscriptionPlates, 'span');
const period = alias(subscriptionPeriods, 'period');

const PERIOD = [period.startsAt, period.endsAt] as const;
/**
 * For each period, its start and how far it and all earlier periods reach. If periods overlap, the last one that started
 * tells whether any covers the instant.
 */
const COVERING = sql`${period.startsAt}, ${period.coveredUntil} as ends_at`;
export const VALIDITY = [span.validFrom, span.validUntil] as const;

/** How many spans of the plate on subscriptions are looked at. */
export const MAX_SPANS = 10_000;

const MAX_HELD = { spans: literal(MAX_SPANS), subscriptions: literal(MAX_READ_SUBSCRIPTIONS) };

const ofPlate = (plate: SQL): SQL =>
  sql`${span.municipalityId} = ${municipality.id} and ${span.plate} = ${plate}`;
const isOn = (at: SQL): SQL => sql`(${span.validFrom} is null or ${span.validFrom} <= ${at})`;
const SPANS_BY_PLATE = sql`${tableAs(subscriptionPlates, span)} indexed by subscription_plates_by_plate`;

/**
 * The subscriptions `subscription` of a plate in the municipality `municipality`, as a JSON array: how many spans of the plate on them were
 * looked at, how many subscriptions were found, and an item for each that is read. Beyond {@link MAX_SPANS} spans, or the
 * subscriptions that are read at most, it is incomplete.
 */
export const subscriptionsHeld = (plate: SQL, item: SQL): SQL => sql`(
  select json_array(coalesce(sum(own.spans), 0), count(*), json_group_array(${item}))
  from (
    select ${span.subscriptionId} as subscription_id,
      count(*) as spans,
      json_group_array(${jsonArray(VALIDITY)}) as validity
    from (
      select *
      from ${SPANS_BY_PLATE}
      where ${ofPlate(plate)}
      limit ${MAX_HELD.spans} + 1
    ) as span
    group by ${span.subscriptionId}
    limit ${MAX_HELD.subscriptions} + 1
  ) own
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.subscription_id
)`;

const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const version = alias(pastSubscriptions, 'version');
const later = alias(pastSubscriptions, 'later');

/**
 * The same as they were known at an instant, with items of {@link subscriptionJsonThen}. What else was known of the plate by then is
 * looked at as well.
 */
export const subscriptionsHeldThen = (plate: SQL, knownAt: SQL, item: SQL): SQL => sql`(
  select json_array(
    coalesce(sum(own.spans), 0),
    count(*),
    json_group_array(${item}) filter (where own.counting))
  from (
    select subscription_id,
      count(*) as spans,
      count(*) filter (where counts) as counting,
      json_group_array(${jsonArray([sql.raw('valid_from'), sql.raw('valid_until')])}) filter (where counts) as validity
    from (
      select ${list([span.subscriptionId, ...VALIDITY])}, ${span.recordedAt} <= ${knownAt} as counts
      from ${SPANS_BY_PLATE}
      where ${ofPlate(plate)}
      union all
      select ${list([pastSpan.subscriptionId, pastSpan.validFrom, pastSpan.validUntil])}, (${pastSpan.recordedAt} <= ${knownAt} and ${pastSpan.replacedAt} > ${knownAt})
      from ${tableAs(pastSubscriptionPlates, pastSpan, 'past_subscription_plates_by_plate')}
      where ${pastSpan.municipalityId} = ${municipality.id}
        and ${pastSpan.plate} = ${plate}
      limit ${MAX_HELD.spans} + 1
    )
    group by subscription_id
    limit ${MAX_HELD.subscriptions} + 1
  ) own
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.subscription_id
  left join ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))}
    on ${version.id} = ${subscription.id}
    and ${version.recordedAt} <= ${knownAt}
    and ${version.replacedAt} = (
      select min(${later.replacedAt})
      from ${tableAs(pastSubscriptions, later, primaryKeyOf(pastSubscriptions))}
      where ${later.id} = ${subscription.id}
        and ${later.replacedAt} > ${knownAt}
    )
)`;

/**
 * All subscriptions `subscription` of a plate in the municipality `municipality`, each once, and one more than the maximum where there are more;
 * for use after `from`. Only spans of the plate that contain the instant; `own.spans` says how many were looked at, one more
 * than {@link MAX_SPANS} where there are more.
 */
export const subscriptionsOfPlate = (plate: SQL, at: SQL): SQL => sql`(
  select ${span.subscriptionId} as subscription_id,
    count(*) as spans,
    json_group_array(${jsonArray(VALIDITY)}) filter (where ${span.onUntil} > ${at} and ${isOn(at)}) as validity
  from (
    select *
    from ${SPANS_BY_PLATE}
    where ${ofPlate(plate)}
    limit ${literal(MAX_SPANS + 1)}
  ) as span
  group by ${span.subscriptionId}
  limit ${literal(MAX_READ_SUBSCRIPTIONS + 1)}
) own
cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.subscription_id`;

const OWN_PERIODS = sql`${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))}
      where ${period.subscriptionId} = ${subscription.id}`;

/** Those of its periods that meet a condition, which may have an order and a limit behind it. */
const periodsThat = (condition: SQL): SQL => sql`
    select * from (
      select ${COVERING}
      from ${OWN_PERIODS}
        and ${period.startsAt} ${condition}
    )`;

/** The period that contains the instant or ended last before it, and the next one: no other matters. */
const nearestPeriods = (at: SQL): SQL => sql`(
    ${periodsThat(sql`<= ${at} order by ${period.startsAt} desc limit 1`)}
    union all
    ${periodsThat(sql`> ${at} order by ${period.startsAt} limit 1`)}
  ) as period`;

/** All periods that touch a time, the last one that started before it, and the next one after it. */
const periodsAround = (from: SQL, until: SQL): SQL => sql`(
    ${periodsThat(sql`<= ${from} order by ${period.startsAt} desc limit 1`)}
    union all
    ${periodsThat(sql`> ${from} and ${period.startsAt} <= ${until}`)}
    union all
    ${periodsThat(sql`> ${until} order by ${period.startsAt} limit 1`)}
  ) as period`;

const subscriptionValues = (periods: SQL) =>
  [
    subscription.subscriptionNumber,
    ...fieldColumns(subscription),
    subscription.allAreas,
    sql<TupleOf<typeof VALIDITY>[]>`json(own.validity)`,
    sql<TupleOf<typeof PERIOD>[]>`${jsonRows(jsonArray(PERIOD), sql`from ${periods}`)}`,
  ] as const;

/** Such a subscription as JSON: a {@link SubscriptionTuple}, with the periods that matter at an instant. */
export const subscriptionJson = (at: SQL): SQL<SubscriptionTuple> =>
  sql<SubscriptionTuple>`${jsonArray(subscriptionValues(nearestPeriods(at)))}`;

/** The same with those that matter from an instant until another. */
export const subscriptionJsonAround = (from: SQL, until: SQL): SQL<SubscriptionTuple> =>
  sql<SubscriptionTuple>`${jsonArray(subscriptionValues(periodsAround(from, until)))}`;

/** The same with all its periods. */
export const WHOLE_SUBSCRIPTION_JSON = sql<SubscriptionTuple>`${jsonArray(subscriptionValues(OWN_PERIODS))}`;

/** As {@link nearestPeriods}, of a past version. */
const nearestPeriodsThen = (at: SQL): SQL => {
  const startingAt = sql`from json_each(${version.record}, '$.periods') where value ->> 0`;
  return jsonRows(
    sql`json(value)`,
    sql`from (
      select json_array(max(value ->> 0), max(value ->> 1)) as value
      ${startingAt} <= ${at}
      having count(*) > 0
      union all
      select *
      from (
        select json_array(value ->> 0, value ->> 1) as value
        ${startingAt} > ${at}
        order by value ->> 0
        limit 1
      )
    )`,
  );
};

/**
 * The same of a subscription that {@link subscriptionsHeldThen} has found: of the version of then, or of today's where it has not
 * been replaced since.
 */
export const subscriptionJsonThen = (at: SQL): SQL<SubscriptionTuple> => {
  const then = [
    sql`${subscription.subscriptionNumber}`,
    ...recordValues(version.record),
    sql`${recordValue(version.record, 'areas')} = 'all'`,
    sql`json(own.validity)`,
    nearestPeriodsThen(at),
  ];
  return sql<SubscriptionTuple>`iif(${version.id} is null, ${jsonArray(subscriptionValues(nearestPeriods(at)))}, ${jsonArray(then)})`;
};

/** Whether the version of then was valid in an area, named by its code; null where today's is that version. */
export const allowedThen = (areaCode: SQL): SQL => sql`
  iif(${version.id} is null, null, exists (
    select 1
    from json_each(${version.record}, '$.areas') as named
    where named.value = ${areaCode}
  ))`;

/** The parsed value of {@link subscriptionJson}. */
export type SubscriptionTuple = TupleOf<ReturnType<typeof subscriptionValues>>;

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
  const [stored, isEverywhere, validity, periods] = splitFieldValues(values);
  return {
    ...sharedPartOf(number, stored, periods, isEverywhere === 1 ? 'all' : limitedTo),
    plate,
    plateValidity: validity.map(spanOf),
  };
}

/** The part of a subscription that its plates share. */
export const sharedPartOf = (
  subscriptionNumber: string,
  stored: ValuesByName<number | null>,
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

export const authorizationOf = (stored: ValuesByName<number | null>): Span =>
  spanOf([stored.authorized_from, stored.authorized_until]);

export const spanOf = ([from, until]: readonly [number | null, number | null]): Span => ({
  from: nullableInstant(from),
  until: nullableInstant(until),
});
