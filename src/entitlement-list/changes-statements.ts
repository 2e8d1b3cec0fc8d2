import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import {
  columns,
  jsonArray,
  jsonRows,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../db/sql.ts';
import type { SubscriptionRecord } from '../history/subscription-record.ts';
import { AREA, MUNICIPALITY, mayBeListed, subscription } from './listed-parts.ts';

/*
 * What has changed after a cursor, each with the versions that the caller may hold. A right that changes again while the pages
 * are sent moves behind the last of these changes: the next ones find it.
 */
/** What the caller may hold. */
const HELD_FROM = parameter(3);
const HELD_TO = parameter(4);
/** Where to continue, and the last change to send. */
const FROM = sql`(${parameter(5)}, ${parameter(6)})`;
const UP_TO = parameter(7);
const MAX_LOOKED_AT = parameter(8);
/** Of subscriptions: the facility's code; the instant of the caller's list; the bytes that one answer reads. */
const AREA_CODE = parameter(9);
const HELD_AT = parameter(10);
const MAX_BYTES = parameter(11);

/** Whether the caller may hold a past version. */
const mayBeHeld = ({ recordedAt, replacedAt }: Record<'recordedAt' | 'replacedAt', SQLWrapper>): SQL =>
  sql`${replacedAt} > ${HELD_FROM} and ${recordedAt} <= ${HELD_TO}`;

const session = alias(parkingSessions, 'session');
const past = alias(pastParkingSessions, 'past');

const HELD_SESSION = [past.plate, past.startsAt, past.endsAt, past.cancelledAt] as const;

/** The versions of a session that the caller may hold: since when the first is, how many, and those in the facility. */
export type HeldSessionsTuple = [since: number | null, count: number, here: TupleOf<typeof HELD_SESSION>[]];

const CHANGED_SESSION = {
  id: session.id,
  recorded_at: session.recordedAt,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  plate: session.plate,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
  is_here: sql<number>`${session.areaId} = ${AREA}`,
  held: sql<string>`(
    select json_array(min(${past.recordedAt}), count(*), json_group_array(${jsonArray(HELD_SESSION)}) filter (where ${past.areaId} = ${AREA}))
    from ${tableAs(pastParkingSessions, past)} where ${past.id} = ${session.id} and ${mayBeHeld(past)})`,
  position: sql<number>`row_number() over (order by ${session.recordedAt}, ${session.id})`,
} as const;

/** A session that is or was in the facility, and the last one that was looked at. */
export type ChangedSessionRow = RowOf<typeof CHANGED_SESSION>;

export const CHANGED_SESSIONS = statement(
  () => sql`
select * from (
  select ${columns(CHANGED_SESSION)} from ${tableAs(parkingSessions, session, 'parking_sessions_by_recording')}
  where ${session.municipalityId} = ${MUNICIPALITY} and (${session.recordedAt}, ${session.id}) >= ${FROM} and ${session.recordedAt} <= ${UP_TO}
  order by ${session.recordedAt}, ${session.id} limit ${MAX_LOOKED_AT}
) where is_here or json_array_length(held, '$[2]') > 0 or position = ${MAX_LOOKED_AT}
order by position`,
);

const changedPlate = alias(subscriptionPlates, 'changed_plate');
const span = alias(subscriptionPlates, 'span');
const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const period = alias(subscriptionPeriods, 'period');
const version = alias(pastSubscriptions, 'version');

const PERIOD = [period.startsAt, period.endsAt] as const;
const SPAN = [span.recordedAt, span.id, span.plate, span.validFrom, span.validUntil] as const;
const PAST_SPAN = [
  pastSpan.recordedAt,
  pastSpan.id,
  pastSpan.plate,
  pastSpan.validFrom,
  pastSpan.validUntil,
  pastSpan.replacedAt,
] as const;
export type PeriodTuple = TupleOf<typeof PERIOD>;
export type SpanTuple = TupleOf<typeof SPAN>;
export type PastSpanTuple = TupleOf<typeof PAST_SPAN>;

const recorded = <Value>(field: keyof SubscriptionRecord): SQL<Value> =>
  sql<Value>`${version.record} ->> ${sql.raw(`'$.${field}'`)}`;

const VERSION = [
  version.recordedAt,
  version.replacedAt,
  recorded<SubscriptionRecord['approval']>('approval'),
  recorded<number | null>('authorized_from'),
  recorded<number | null>('authorized_until'),
  recorded<number | null>('suspended_from'),
  recorded<number | null>('suspended_until'),
  recorded<number | null>('revoked_at'),
  sql<number>`(${recorded('areas')} = 'all' or exists (select 1 from json_each(${version.record}, '$.areas') as named where named.value = ${AREA_CODE}))`,
  sql<
    TupleOf<typeof PERIOD>[]
  >`(select json_group_array(json(paid.value)) from json_each(${version.record}, '$.periods') as paid where paid.value ->> 1 > ${HELD_AT})`,
] as const;
/** What the plates have shared. */
export type SharedTuple = TupleOf<typeof VERSION>;

const heldVersions = sql`from ${tableAs(pastSubscriptions, version)} where ${version.id} = ${subscription.id} and ${mayBeHeld(version)}`;
const replacedSpans = sql`from ${tableAs(pastSubscriptionPlates, pastSpan)} where ${pastSpan.subscriptionId} = ${subscription.id} and ${pastSpan.replacedAt} > ${HELD_FROM}`;
/** All of them where what they share has changed. */
const changedPlates = sql`from ${tableAs(subscriptionPlates, changedPlate, 'subscription_plates_by_subscription')}
    where ${changedPlate.subscriptionId} = ${subscription.id} and ${changedPlate.recordedAt} > iif(${subscription.recordedAt} > ${HELD_FROM}, -1, ${HELD_FROM})`;
const comingPeriods = sql`from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id} and ${period.endsAt} > ${HELD_AT}`;

/** What a row takes, roughly. */
const BYTES = sql`(
    64 * ((select count(*) ${changedPlates}) + (select count(*) ${replacedSpans})) + 32 * (select count(*) ${comingPeriods})
    + coalesce((select sum(octet_length(${version.record})) ${heldVersions}), 0))`;

const CHANGED_SUBSCRIPTION = {
  id: subscription.id,
  changed_at: sql<number>`${subscription.changedAt}`,
  recorded_at: subscription.recordedAt,
  subscription_number: subscription.subscriptionNumber,
  approval: subscription.approval,
  authorized_from: subscription.authorizedFrom,
  authorized_until: subscription.authorizedUntil,
  suspended_from: subscription.suspendedFrom,
  suspended_until: subscription.suspendedUntil,
  revoked_at: subscription.revokedAt,
  periods: sql<string>`${jsonRows(jsonArray(PERIOD), comingPeriods)}`,
  versions: sql<string>`${jsonRows(jsonArray(VERSION), heldVersions)}`,
  // Of the plates of which anything has changed, all spans: a plate's right is one.
  spans: sql<string>`${jsonRows(
    jsonArray(SPAN),
    sql`from (select ${changedPlate.plate} as plate ${changedPlates} union select ${pastSpan.plate} ${replacedSpans}) as changed
      cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')} on ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = changed.plate
        and ${span.subscriptionId} = ${subscription.id}`,
  )}`,
  past_spans: sql<string>`${jsonRows(jsonArray(PAST_SPAN), sql`${replacedSpans} and ${pastSpan.recordedAt} <= ${HELD_TO}`)}`,
} as const;

export type ChangedSubscriptionRow = RowOf<typeof CHANGED_SUBSCRIPTION> & {
  readonly position: number;
  readonly is_listed: number;
  /** How many were found, with those that have no room. */
  readonly found: number;
};

/** They end with the one that goes beyond the most bytes. */
export const CHANGED_SUBSCRIPTIONS = statement(
  () => sql`
with changed as materialized (
  select ${subscription.id} as id, ${mayBeListed(HELD_AT)} as is_listed, row_number() over (order by ${subscription.changedAt}, ${subscription.id}) as position
  from ${tableAs(subscriptions, subscription, 'subscriptions_by_change')}
  where ${subscription.municipalityId} = ${MUNICIPALITY} and (${subscription.changedAt}, ${subscription.id}) >= ${FROM} and ${subscription.changedAt} <= ${UP_TO}
  order by ${subscription.changedAt}, ${subscription.id} limit ${MAX_LOOKED_AT}
),
weighed as materialized (
  select changed.*, ${BYTES} as bytes from changed cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = changed.id
  where is_listed or ${subscription.recordedAt} > ${HELD_FROM} or position = ${MAX_LOOKED_AT}
)
select ${columns(CHANGED_SUBSCRIPTION)}, taken.position as position, taken.is_listed as is_listed, taken.found as found
from (
  select *, count(*) over () as found,
    coalesce(sum(bytes) over (order by position rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from weighed
) as taken
cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = taken.id
where taken.bytes_before < ${MAX_BYTES}
order by taken.position`,
);
