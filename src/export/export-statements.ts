import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { LIVING_IDS } from '../admin/living-parts.ts';
import type { CallRow } from '../admin/logged-call.ts';
import { CALL_TABLES, type CallTable, ofBothTables, PLATES_OF_CALLS } from '../call-log/calls-parts.ts';
import { isAboutOwnPlate, SESSION_HISTORY } from '../db/journal-sql.ts';
import { areas, journal, parkingSessions, subscriptionAreas, subscriptionTypes } from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import {
  aliased,
  bare,
  columns,
  jsonArray,
  jsonRows,
  list,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
} from '../db/sql.ts';
import { type ChangeRow, j, selectChanges } from '../history/history-table.ts';
import {
  someSubscriptionsOfPlate,
  subscription,
  WHOLE_SUBSCRIPTION_JSON,
} from '../lookups/plate-subscriptions-table.ts';

/**
 * Parameter 1: ids of municipalities, a JSON list; 2: the plate; but for sessions, which are small and have an order of their
 * own, 3: the place to go on from; 4: how many.
 */
const PLATE = parameter(2);
const AFTER = parameter(3);
const MOST = parameter(4);
/** 5: how many bytes, but for the first row's. */
const MOST_BYTES = parameter(5);

/** Rows of which each says its `bytes`, as `page`, as far as the most bytes go. They are asked for in their order. */
const asFarAsBytes = (rows: SQL): SQL => sql`(
  select * from (
    select *, coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before from (${rows})
  ) where bytes_before < ${MOST_BYTES}
) as page`;
/** What each row of such a page says besides its own. */
const BYTES = sql<number>`page.bytes`;

/** How large a row is. */
export interface Sized {
  readonly bytes: number;
}

const s = alias(parkingSessions, 's');
const r = alias(parkingSessions, 'r');
const a = alias(areas, 'a');

const SESSION = {
  id: s.id,
  municipality_id: s.municipalityId,
  source_code: s.sourceCode,
  session_id: s.sessionId,
  area_id: s.areaId,
  area_code: a.code,
  starts_at: s.startsAt,
  ends_at: s.endsAt,
  cancelled_at: s.cancelledAt,
  revision: s.revision,
} as const;
export type ExportedSessionRow = RowOf<typeof SESSION>;

/** Stands for the cancellation of a session that has none. */
export const NOT_CANCELLED = -OPEN_END;
const noCancellation = literal(NOT_CANCELLED);
const CANCELLED_AFTER = parameter(3);
const ID_AFTER = parameter(7);
const MOST_SESSIONS = parameter(8);

/** What an index has behind the plate, each of them never null, and the parameter that holds where to go on from. */
const FROM_START = [
  [r.startsAt, parameter(4)],
  [r.runsUntil, parameter(5)],
  [r.areaId, parameter(6)],
] as const;
const FROM_CANCELLATION = [[r.cancelledAt, CANCELLED_AFTER], ...FROM_START] as const;

/** The next sessions of an index. Those that stand at the very place are told apart by their ids, which it has last. */
function nextIn(index: string, condition: SQL, order: typeof FROM_START | typeof FROM_CANCELLATION): SQL {
  const all = list(order.map(([column]) => column));
  const place = list(order.map(([, parameter]) => parameter));
  const isThere = sql.join(
    order.map(([column, parameter]) => sql`${column} = ${parameter}`),
    sql` and `,
  );
  const cancelled = order === FROM_START ? noCancellation : r.cancelledAt;
  const some = (isNext: SQL): SQL => sql`
    select * from (
      select ${cancelled} as c, ${list([r.startsAt, r.runsUntil, r.areaId, r.id].map((column) => sql`${column} as ${bare(column)}`))}
      from ${aliased(parkingSessions, r, index)}
      where ${r.municipalityId} = held.value and ${r.plate} = ${PLATE} and ${condition} and ${isNext}
      order by ${all}, ${r.id} limit ${MOST_SESSIONS}
    )`;
  return sql`${some(sql`${isThere} and ${r.id} > ${ID_AFTER}`)} union all ${some(sql`(${all}) > (${place})`)}`;
}

/**
 * Parameters 3 to 7: the place to go on from; 8: how many. In the order of two indexes, so that none that was answered is
 * looked at again: those that are not cancelled by their start, then the others by their cancellation.
 */
export const SESSIONS = statement(
  () => sql`select ${columns(SESSION)} from json_each(${LIVING_IDS}) as held
cross join ${aliased(parkingSessions, s)} on ${s.id} in (
  select id from (
    ${nextIn('parking_sessions_by_plate_start', sql`${r.cancelledAt} is null and ${CANCELLED_AFTER} = ${noCancellation}`, FROM_START)}
    union all
    ${nextIn('parking_sessions_by_plate_cancellation', sql`${r.cancelledAt} is not null`, FROM_CANCELLATION)}
  ) order by c, starts_at, runs_until, area_id, id limit ${MOST_SESSIONS}
)
cross join ${aliased(areas, a)} on ${a.id} = ${s.areaId}
order by coalesce(${s.cancelledAt}, ${noCancellation}), ${list([s.startsAt, s.runsUntil, s.areaId, s.id])} limit ${MOST_SESSIONS}`,
);

const y = alias(subscriptionTypes, 'y');
const x = alias(subscriptionAreas, 'x');
const SUBSCRIPTION = [
  subscription.id,
  WHOLE_SUBSCRIPTION_JSON,
  y.code,
  subscription.revision,
  sql<
    string[]
  >`${jsonRows(a.code, sql`from ${aliased(subscriptionAreas, x, primaryKeyOf(subscriptionAreas))} cross join ${aliased(areas, a)} on ${a.id} = ${x.areaId} where ${x.subscriptionId} = ${subscription.id}`)}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

const SUBSCRIPTION_ROWS = sql`select ${columns({
  id: subscription.id,
  municipality_id: subscription.municipalityId,
  subscription: jsonArray(SUBSCRIPTION),
})} from ${someSubscriptionsOfPlate({ ids: LIVING_IDS, plate: PLATE, after: AFTER, most: MOST })}
join ${aliased(subscriptionTypes, y)} on ${y.id} = ${subscription.typeId} order by own.subscription_id`;

/** `subscription` is JSON of an {@link ExportedSubscriptionTuple}. */
export const SUBSCRIPTIONS = statement(
  () =>
    sql`select * from ${asFarAsBytes(sql`select *, octet_length(subscription) as bytes from (${SUBSCRIPTION_ROWS})`)} order by id`,
);
export interface ExportedSubscriptionRow extends Sized {
  readonly id: number;
  readonly municipality_id: number;
  readonly subscription: string;
}

const h = alias(journal, 'h');
const i = alias(journal, 'i');
export type ExportedChangeRow = ChangeRow & Sized & { readonly municipality_id: number };
/**
 * A text's length stands in its row: records are read of those changes alone that are answered. An answer writes names and
 * whole dates where a record has a list of numbers: it is about twice as long.
 */
export const CHANGES = statement(
  () => sql`${selectChanges(
    { municipality_id: sql`${j.municipalityId}`, bytes: BYTES },
    sql`${asFarAsBytes(sql`select ${h.sequence} as sequence, 2 * coalesce(octet_length(${h.record}), 0) as bytes
      from json_each(${LIVING_IDS}) as held cross join ${aliased(journal, h)}
        on ${h.sequence} in (
          select sequence from (
            select * from (
              select ${i.sequence} as sequence from ${aliased(journal, i, 'journal_by_plate')}
              where ${i.municipalityId} = held.value and ${i.plate} = ${PLATE} and ${i.sequence} > ${AFTER}
              order by ${i.sequence} limit ${MOST}
            ) union all select * from (
              select ${i.sequence} from ${aliased(parkingSessions, r, 'parking_sessions_by_plate')}
              cross join ${aliased(journal, i, SESSION_HISTORY)} on ${isAboutOwnPlate(i, r)} and ${i.sequence} > ${AFTER}
              where ${r.municipalityId} = held.value and ${r.plate} = ${PLATE}
              order by ${i.sequence} limit ${MOST}
            )
          ) order by sequence limit ${MOST}
        )
      order by ${h.sequence} limit ${MOST}`)}
cross join ${aliased(journal, j)} on ${j.sequence} = page.sequence`,
  )}
order by ${j.sequence}`,
);

export type ExportedCallRow = CallRow & Sized;
const callsIn = ({ from, columns: of, hasDigestIn, since, order }: CallTable): SQL => sql`select * from (
  select ${of.requestId} as request_id, ${of.at} as at,
    coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
  from ${from}
  where ${hasDigestIn(parameter(1))} and coalesce(${of.tenant}, ${parameter(6)}) = ${parameter(6)}
    and ${since(parameter(2))} and (${of.at}, ${of.requestId}) > (${parameter(2)}, ${parameter(3)})
  order by ${order} limit ${MOST})`;
/** Each once: a patrol may be about the plate more than once. */
const ofPlate = sql.join([...CALL_TABLES, PLATES_OF_CALLS].map(callsIn), sql` union `);

/**
 * Parameter 1: the digests, a JSON list; 2 and 3: the instant and the id to go on from; 4 and 5 as above; 6: the tenant,
 * whose code may be another one's municipality's.
 */
export const CALLS = statement(
  () => sql`with page as materialized (
  select * from ${asFarAsBytes(sql`select * from (${ofPlate}) order by at, request_id limit ${MOST}`)}
)
select * from (${ofBothTables(
    (table) => sql`select ${columns(table.columns)}, ${columns({ bytes: BYTES })}
  from page cross join ${table.from} on ${table.isOf(sql.raw('page.request_id'))}`,
  )})
order by at, "requestId"`,
);
