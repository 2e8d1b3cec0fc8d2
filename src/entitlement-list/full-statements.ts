import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
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
  columns,
  jsonArray,
  jsonRows,
  parameter,
  type RowOf,
  statement,
  type TupleOf,
} from '../db/sql.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
const AS_OF = parameter(3);
/** How many rows are looked at, and how many are taken of them. */
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
  area_id: s.areaId,
  plate: s.plate,
  starts_at: s.startsAt,
  ends_at: s.endsAt,
  cancelled_at: s.cancelledAt,
  runs_until: sql<number>`${s.runsUntil}`,
} as const;

/** `position`: among the rows that were looked at, from 1. */
export type SessionRow = RowOf<typeof SESSION> & { readonly position: number };

/**
 * Sessions of the municipality in the order of their ends, after a position: those of the facility, and in any case the
 * last one that was looked at. Parameters 6 to 8 are the position, parameter 9 the greatest end.
 */
export const READ_SESSIONS = statement(
  () => sql`
with looked_at as materialized (
  select ${columns(SESSION)}, row_number() over (order by ${s.runsUntil}, ${s.startsAt}, ${s.id}) as position
  from ${aliased(parkingSessions, s)}
  where ${s.municipalityId} = ${MUNICIPALITY} and ${s.runsUntil} <= ${parameter(9)}
    and (${s.runsUntil}, ${s.startsAt}, ${s.id}) > (${LAST}, ${parameter(7)}, ${parameter(8)})
  order by ${s.runsUntil}, ${s.startsAt}, ${s.id}
  limit ${MOST_LOOKED_AT}
)
select * from looked_at
where (area_id = ${AREA} and (cancelled_at is null or cancelled_at > ${AS_OF})) or position = ${MOST_LOOKED_AT}
order by position
limit ${MOST_TAKEN}`,
);

/** The row of the journal that put a plate on its subscription. */
const CAME_WITH = sql<number | null>`(
  select coalesce(${j.cameWith}, ${j.sequence}) from ${aliased(journal, j)}
  where ${j.municipalityId} = ${b.municipalityId} and ${j.kind} = 'subscription' and ${j.sourceCode} is null
    and ${j.key} = ${b.subscriptionNumber} and ${j.plate} = ${p.plate}
  order by ${j.sequence} desc limit 1
)`;

const PLATE = [p.plate, p.validFrom, p.validUntil, CAME_WITH] as const;
const PERIOD = [d.startsAt, d.endsAt] as const;
export type PlateTuple = TupleOf<typeof PLATE>;
export type PeriodTuple = TupleOf<typeof PERIOD>;

const IN_FACILITY = sql`(${b.allAreas} or exists (
    select 1 from ${aliased(subscriptionAreas, x)} where ${x.subscriptionId} = ${b.id} and ${x.areaId} = ${AREA}
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
    sql`from ${aliased(subscriptionPlates, p)} where ${p.subscriptionId} = ${b.id}`,
  )}`,
  // Nothing past is listed.
  periods: sql<string>`${jsonRows(
    jsonArray(PERIOD),
    sql`from ${aliased(subscriptionPeriods, d)} where ${d.subscriptionId} = ${b.id} and ${d.endsAt} > ${AS_OF}`,
  )}`,
} as const;

export type SubscriptionRow = RowOf<typeof SUBSCRIPTION> & {
  readonly position: number;
  /** 0: it is here only as the last one that was looked at. */
  readonly may_be_listed: number;
};

/**
 * Subscriptions of the municipality in the order of their numbers, from a number on: those that may be listed, and in any
 * case the last one that was looked at.
 */
export const READ_SUBSCRIPTIONS = statement(
  () => sql`
with looked_at as materialized (
  select ${b.id} as id, ${MAY_BE_LISTED} as may_be_listed, row_number() over (order by ${b.subscriptionNumber}) as position
  from ${aliased(subscriptions, b)}
  where ${b.municipalityId} = ${MUNICIPALITY} and ${b.subscriptionNumber} >= ${LAST}
  order by ${b.subscriptionNumber}
  limit ${MOST_LOOKED_AT}
)
select ${columns(SUBSCRIPTION)}, looked_at.may_be_listed as may_be_listed, looked_at.position as position
from (
  select * from looked_at where may_be_listed or position = ${MOST_LOOKED_AT} order by position limit ${MOST_TAKEN}
) as looked_at
cross join ${aliased(subscriptions, b)} on ${b.id} = looked_at.id
order by looked_at.position`,
);
