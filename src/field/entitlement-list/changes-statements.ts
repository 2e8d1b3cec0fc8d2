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
} from '../../storage/db/schema/index.ts';
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
} from '../../storage/db/sql.ts';
import type { SubscriptionRecord } from '../../storage/history/subscription-record.ts';
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
/** Of subscriptions: the facility's code; the instant of the caller's list; how many plates are looked at. */
const AREA_CODE = parameter(9);
const HELD_AT = parameter(10);
const MAX_PLATES = parameter(11);

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
    from ${tableAs(pastParkingSessions, past, primaryKeyOf(pastParkingSessions))} where ${past.id} = ${session.id} and ${mayBeHeld(past)})`,
} as const;

export type ChangedSessionRow = RowOf<typeof CHANGED_SESSION>;

export const CHANGED_SESSIONS = statement(
  () => sql`
select ${columns(CHANGED_SESSION)} from ${tableAs(parkingSessions, session, 'parking_sessions_by_recording')}
where ${session.municipalityId} = ${MUNICIPALITY} and (${session.recordedAt}, ${session.id}) >= ${FROM} and ${session.recordedAt} <= ${UP_TO}
order by ${session.recordedAt}, ${session.id} limit ${MAX_LOOKED_AT}`,
);

const changedSpan = alias(subscriptionPlates, 'changed_span');
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

const heldVersions = sql`from ${tableAs(pastSubscriptions, version, primaryKeyOf(pastSubscriptions))} where ${version.id} = ${subscription.id} and ${mayBeHeld(version)}`;
const replacedSpans = sql`from ${tableAs(pastSubscriptionPlates, pastSpan, primaryKeyOf(pastSubscriptionPlates))} where ${pastSpan.subscriptionId} = ${subscription.id} and ${pastSpan.replacedAt} > ${HELD_FROM}`;
const comingPeriods = sql`from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id} and ${period.endsAt} > ${HELD_AT}`;

const SHARED_CHANGED = sql`${subscription.recordedAt} > ${HELD_FROM}`;
const changedSpans = sql`${changedSpan.subscriptionId} = ${subscription.id} and ${changedSpan.recordedAt} > iif(${SHARED_CHANGED}, -1, ${HELD_FROM})`;
const CHANGED_SPANS = tableAs(subscriptionPlates, changedSpan, 'subscription_plates_by_subscription');

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
  // Of a plate of which any has changed, all: they are one right.
  spans: sql<string>`iif(${SHARED_CHANGED}, ${jsonRows(
    jsonArray(SPAN),
    sql`from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_subscription')} where ${span.subscriptionId} = ${subscription.id}`,
  )}, ${jsonRows(
    jsonArray(SPAN),
    sql`from (select ${changedSpan.plate} as plate from ${CHANGED_SPANS} where ${changedSpans} union select ${pastSpan.plate} ${replacedSpans}) as changed
      cross join ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')} on ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = changed.plate
        and ${span.subscriptionId} = ${subscription.id}`,
  )})`,
  past_spans: sql<string>`${jsonRows(jsonArray(PAST_SPAN), sql`${replacedSpans} and ${pastSpan.recordedAt} <= ${HELD_TO}`)}`,
  is_listed: sql<number>`${mayBeListed(HELD_AT)}`,
} as const;

export type ChangedSubscriptionRow = RowOf<typeof CHANGED_SUBSCRIPTION>;

/** In any order. They end with the one that goes beyond the most plates: a subscription has hundreds of them, often one. */
export const CHANGED_SUBSCRIPTIONS = statement(
  () => sql`
select ${columns(CHANGED_SUBSCRIPTION)} from (
  select distinct id from (
    select ${subscription.id} as id from (
      select * from ${tableAs(subscriptions, subscription, 'subscriptions_by_change')}
      where ${subscription.municipalityId} = ${MUNICIPALITY} and (${subscription.changedAt}, ${subscription.id}) >= ${FROM} and ${subscription.changedAt} <= ${UP_TO}
      order by ${subscription.changedAt}, ${subscription.id} limit ${MAX_LOOKED_AT}
    ) as subscription left join ${CHANGED_SPANS} on ${changedSpans} limit ${MAX_PLATES}
  )
) as found cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = found.id`,
);
