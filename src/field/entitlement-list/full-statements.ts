import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  parkingSessions,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import {
  bare,
  columns,
  jsonArray,
  jsonRows,
  list,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { AREA, MUNICIPALITY, mayBeListed, subscription } from './listed-parts.ts';

const AS_OF = parameter(3);
/** How many rows are looked at, and how many of them are read. */
const MAX_LOOKED_AT = parameter(4);
const MAX_TAKEN = parameter(5);
const LAST = parameter(6);

const session = alias(parkingSessions, 'session');
const plate = alias(subscriptionPlates, 'plate');
const period = alias(subscriptionPeriods, 'period');

const SESSION = {
  id: session.id,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  plate: session.plate,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
} as const;

/** `is_mark` 1: no entry, but the last row that was looked at. */
export type SessionRow = RowOf<typeof SESSION> & { readonly is_mark: number };

/** Sessions of the municipality in the order of their ends, which is that of the index, after a position. */
const IN_ORDER = sql`from ${tableAs(parkingSessions, session, 'parking_sessions_by_end')}
  where ${session.municipalityId} = ${MUNICIPALITY} and ${session.runsUntil} <= ${parameter(9)}
    and (${session.runsUntil}, ${session.startsAt}, ${session.id}) > (${LAST}, ${parameter(7)}, ${parameter(8)})
  order by ${session.runsUntil}, ${session.startsAt}, ${session.id}`;

/**
 * Those of the facility among the next sessions, and where these are fewer than are taken, the last one that was looked at.
 * Nothing is kept aside: of each, its row of the index and its own are read, and that of the index once more for the last.
 * Parameters 6 to 8 are the position, parameter 9 the greatest end.
 */
export const READ_SESSIONS = statement(
  () => sql`
select ${list(Object.keys(SESSION).map((name) => bare({ name })))}, 0 as is_mark
from (select ${columns(SESSION)}, ${session.areaId} as area_id ${IN_ORDER} limit ${MAX_LOOKED_AT})
where area_id = ${AREA} and (cancelled_at is null or cancelled_at > ${AS_OF})
union all
select *, 1 as is_mark from (select ${columns(SESSION)} from (
  select ${session.id} as last ${IN_ORDER} limit 1 offset ${MAX_LOOKED_AT} - 1
) cross join ${tableAs(parkingSessions, session)} on ${session.id} = last)
limit ${MAX_TAKEN}`,
);

const PLATE = [plate.plate, plate.validFrom, plate.validUntil, plate.recordedAt, plate.id] as const;
const PERIOD = [period.startsAt, period.endsAt] as const;
export type PlateTuple = TupleOf<typeof PLATE>;
export type PeriodTuple = TupleOf<typeof PERIOD>;

const SUBSCRIPTION = {
  subscription_number: subscription.subscriptionNumber,
  approval: subscription.approval,
  authorized_from: subscription.authorizedFrom,
  authorized_until: subscription.authorizedUntil,
  suspended_from: subscription.suspendedFrom,
  suspended_until: subscription.suspendedUntil,
  revoked_at: subscription.revokedAt,
  plates: sql<string>`${jsonRows(
    jsonArray(PLATE),
    sql`from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')} where ${plate.subscriptionId} = ${subscription.id}`,
  )}`,
  // Nothing past is listed.
  periods: sql<string>`${jsonRows(
    jsonArray(PERIOD),
    sql`from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id} and ${period.endsAt} > ${AS_OF}`,
  )}`,
} as const;

export type SubscriptionRow = RowOf<typeof SUBSCRIPTION> & {
  readonly position: number;
  /** 0: it is included only because it was the last one looked at. */
  readonly may_be_listed: number;
  /** How many there are, with those whose plates had no room. */
  readonly found: number;
};

/**
 * Subscriptions of the municipality in the order of their numbers, from a number on: those that may be listed, and in any
 * case the last one that was looked at. They end with the one whose plates go beyond parameter 7.
 */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`
with looked_at as materialized (
  select ${subscription.id} as id, ${subscription.subscriptionNumber} as number, ${mayBeListed(AS_OF)} as may_be_listed, row_number() over (order by ${subscription.subscriptionNumber}) as position
  from ${tableAs(subscriptions, subscription)}
  where ${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} >= ${LAST}
  order by ${subscription.subscriptionNumber}
  limit ${MAX_LOOKED_AT}
)
select ${columns(SUBSCRIPTION)}, taken.may_be_listed as may_be_listed, taken.position as position, taken.found as found
from (
  select *, count(*) over () as found, coalesce(sum(iif(number = ${LAST}, 0, plates))
    over (order by position rows between unbounded preceding and 1 preceding), 0) as plates_before
  from (
    select *, (select count(*) from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')} where ${plate.subscriptionId} = looked_at.id) as plates
    from looked_at where may_be_listed or position = ${MAX_LOOKED_AT} order by position limit ${MAX_TAKEN}
  )
) as taken
cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = taken.id
where taken.plates_before < ${parameter(7)}
order by taken.position`,
);
