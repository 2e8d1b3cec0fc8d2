import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { newestOfPlate } from '../db/journal-sql.ts';
import {
  journal,
  parkingSessions,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import {
  aliased,
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
} from '../db/sql.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
const AS_OF = parameter(3);
/** How many rows are looked at, and how many of them are read. */
const MOST_LOOKED_AT = parameter(4);
const MOST_TAKEN = parameter(5);
const LAST = parameter(6);

const s = alias(parkingSessions, 's');
const b = alias(subscriptions, 'b');
const p = alias(subscriptionPlates, 'p');
const d = alias(subscriptionPeriods, 'd');
const x = alias(subscriptionAreas, 'x');
const j = alias(journal, 'j');

const SESSION = {
  id: s.id,
  source_code: s.sourceCode,
  session_id: s.sessionId,
  plate: s.plate,
  starts_at: s.startsAt,
  ends_at: s.endsAt,
  cancelled_at: s.cancelledAt,
} as const;

/** `is_mark` 1: no entry, but the last row that was looked at. */
export type SessionRow = RowOf<typeof SESSION> & { readonly is_mark: number };

/** Sessions of the municipality in the order of their ends, which is that of the index, after a position. */
const IN_ORDER = sql`from ${aliased(parkingSessions, s, 'parking_sessions_by_end')}
  where ${s.municipalityId} = ${MUNICIPALITY} and ${s.runsUntil} <= ${parameter(9)}
    and (${s.runsUntil}, ${s.startsAt}, ${s.id}) > (${LAST}, ${parameter(7)}, ${parameter(8)})
  order by ${s.runsUntil}, ${s.startsAt}, ${s.id}`;

/**
 * Those of the facility among the next sessions, and where these are fewer than are taken, the last one that was looked at.
 * Nothing is kept aside: of each, its row of the index and its own are read, and that of the index once more for the last.
 * Parameters 6 to 8 are the position, parameter 9 the greatest end.
 */
export const READ_SESSIONS = statement(
  () => sql`
select ${list(Object.keys(SESSION).map((name) => bare({ name })))}, 0 as is_mark
from (select ${columns(SESSION)}, ${s.areaId} as area_id ${IN_ORDER} limit ${MOST_LOOKED_AT})
where area_id = ${AREA} and (cancelled_at is null or cancelled_at > ${AS_OF})
union all
select *, 1 as is_mark from (select ${columns(SESSION)} from (
  select ${s.id} as last ${IN_ORDER} limit 1 offset ${MOST_LOOKED_AT} - 1
) cross join ${aliased(parkingSessions, s)} on ${s.id} = last)
limit ${MOST_TAKEN}`,
);

/** The row of the journal that put a plate on its subscription. */
const CAME_WITH = newestOfPlate(
  j,
  { municipality: b.municipalityId, number: b.subscriptionNumber, plate: p.plate },
  sql<number>`coalesce(${j.cameWith}, ${j.sequence})`,
);

const PLATE = [p.plate, p.validFrom, p.validUntil, CAME_WITH] as const;
const PERIOD = [d.startsAt, d.endsAt] as const;
export type PlateTuple = TupleOf<typeof PLATE>;
export type PeriodTuple = TupleOf<typeof PERIOD>;

const IN_FACILITY = sql`(${b.allAreas} or exists (
    select 1 from ${aliased(subscriptionAreas, x, primaryKeyOf(subscriptionAreas))} where ${x.subscriptionId} = ${b.id} and ${x.areaId} = ${AREA}
  ))`;

/** Whether it may be valid in the facility at some instant ahead. */
const MAY_BE_LISTED = sql`(${b.approval} = 'approved'
  and (${b.revokedAt} is null or ${b.revokedAt} > ${AS_OF})
  and (${b.authorizedUntil} is null or ${b.authorizedUntil} > ${AS_OF})
  and ${IN_FACILITY})`;

const SUBSCRIPTION = {
  subscription_number: b.subscriptionNumber,
  approval: b.approval,
  authorized_from: b.authorizedFrom,
  authorized_until: b.authorizedUntil,
  suspended_from: b.suspendedFrom,
  suspended_until: b.suspendedUntil,
  revoked_at: b.revokedAt,
  plates: sql<string>`${jsonRows(
    jsonArray(PLATE),
    sql`from ${aliased(subscriptionPlates, p, 'subscription_plates_by_subscription')} where ${p.subscriptionId} = ${b.id}`,
  )}`,
  // Nothing past is listed.
  periods: sql<string>`${jsonRows(
    jsonArray(PERIOD),
    sql`from ${aliased(subscriptionPeriods, d, primaryKeyOf(subscriptionPeriods))} where ${d.subscriptionId} = ${b.id} and ${d.endsAt} > ${AS_OF}`,
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
  select ${b.id} as id, ${b.subscriptionNumber} as number, ${MAY_BE_LISTED} as may_be_listed, row_number() over (order by ${b.subscriptionNumber}) as position
  from ${aliased(subscriptions, b)}
  where ${b.municipalityId} = ${MUNICIPALITY} and ${b.subscriptionNumber} >= ${LAST}
  order by ${b.subscriptionNumber}
  limit ${MOST_LOOKED_AT}
)
select ${columns(SUBSCRIPTION)}, taken.may_be_listed as may_be_listed, taken.position as position, taken.found as found
from (
  select *, count(*) over () as found, coalesce(sum(iif(number = ${LAST}, 0, plates))
    over (order by position rows between unbounded preceding and 1 preceding), 0) as plates_before
  from (
    select *, (select count(*) from ${aliased(subscriptionPlates, p, 'subscription_plates_by_subscription')} where ${p.subscriptionId} = looked_at.id) as plates
    from looked_at where may_be_listed or position = ${MOST_LOOKED_AT} order by position limit ${MOST_TAKEN}
  )
) as taken
cross join ${aliased(subscriptions, b)} on ${b.id} = taken.id
where taken.plates_before < ${parameter(7)}
order by taken.position`,
);
