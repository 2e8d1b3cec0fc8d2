import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { LIVING_IDS } from '../admin/living-parts.ts';
import type { CallRow } from '../admin/logged-call.ts';
import { type CallTable, hasRequestId, LOGGED_CALLS, PLATES_OF_CALLS } from '../call-log/calls-parts.ts';
import { isAboutOwnPlate, requestIdOf, SESSION_HISTORY } from '../db/journal-sql.ts';
import { areas, journal, parkingSessions, subscriptionAreas, subscriptionTypes } from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import {
  bare,
  columns,
  jsonArray,
  jsonObject,
  jsonRows,
  list,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../db/sql.ts';
import { type ChangeRow, change, firstVersionInJournal, selectChanges } from '../history/history-table.ts';
import { recordBytes } from '../history/shared-rows-parts.ts';
import {
  someSubscriptionsOfPlate,
  subscription,
  WHOLE_SUBSCRIPTION_JSON,
} from '../lookups/plate-subscriptions-table.ts';

/**
 * Parameter 1: ids of municipalities, a JSON list; 2: the plate; except for sessions, which are small and have an order of their
 * own, 3: where to go on from; 4: how many.
 */
const PLATE = parameter(2);
const AFTER = parameter(3);
const LIMIT = parameter(4);
/** 5: how many bytes, but for the first row's. */
const MAX_BYTES = parameter(5);

/** Rows of which each says its `bytes`, as `page`, as far as the most bytes go. They are asked for in their order. */
const asFarAsBytes = (rows: SQL): SQL => sql`(
  select * from (
    select *, coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before from (${rows})
  ) where bytes_before < ${MAX_BYTES}
) as page`;
/** What each row of such a page says of its size. */
const BYTES = sql<number>`page.bytes`;

/** How large a row is. */
export interface Sized {
  readonly bytes: number;
}

const session = alias(parkingSessions, 'session');
const candidate = alias(parkingSessions, 'candidate');
const area = alias(areas, 'area');

const SESSION = {
  id: session.id,
  municipality_id: session.municipalityId,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  area_id: session.areaId,
  area_code: area.code,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
  revision: session.revision,
  known_at: session.knownAt,
  known_by: requestIdOf(session.knownBy),
} as const;
export type ExportedSessionRow = RowOf<typeof SESSION>;

/** In place of the cancellation, for a session that has none. */
export const NOT_CANCELLED = -OPEN_END;
const noCancellation = literal(NOT_CANCELLED);
const CANCELLED_AFTER = parameter(3);
const ID_AFTER = parameter(7);
const MAX_SESSIONS = parameter(8);

/** What an index has after the plate, each of them never null, and the parameter that holds where to go on from. */
const FROM_START = [
  [candidate.startsAt, parameter(4)],
  [candidate.runsUntil, parameter(5)],
  [candidate.areaId, parameter(6)],
] as const;
const FROM_CANCELLATION = [[candidate.cancelledAt, CANCELLED_AFTER], ...FROM_START] as const;

/** The next sessions of an index. Those with the same position differ by their ids, which it has last. */
function nextIn(index: string, condition: SQL, order: typeof FROM_START | typeof FROM_CANCELLATION): SQL {
  const all = list(order.map(([column]) => column));
  const place = list(order.map(([, parameter]) => parameter));
  const isThere = sql.join(
    order.map(([column, parameter]) => sql`${column} = ${parameter}`),
    sql` and `,
  );
  const cancelled = order === FROM_START ? noCancellation : candidate.cancelledAt;
  const some = (isNext: SQL): SQL => sql`
    select * from (
      select ${cancelled} as cancellation, ${list([candidate.startsAt, candidate.runsUntil, candidate.areaId, candidate.id].map((column) => sql`${column} as ${bare(column)}`))}
      from ${tableAs(parkingSessions, candidate, index)}
      where ${candidate.municipalityId} = held.value and ${candidate.plate} = ${PLATE} and ${condition} and ${isNext}
      order by ${all}, ${candidate.id} limit ${MAX_SESSIONS}
    )`;
  return sql`${some(sql`${isThere} and ${candidate.id} > ${ID_AFTER}`)} union all ${some(sql`(${all}) > (${place})`)}`;
}

/**
 * Parameters 3 to 7: where to go on from; 8: how many. In the order of two indexes, so that none that was answered is
 * looked at again: those that are not cancelled by their start, then the others by their cancellation.
 */
export const SESSIONS = statement(
  () => sql`select ${columns(SESSION)} from json_each(${LIVING_IDS}) as held
cross join json_each((select json_group_array(id) from (
  select id from (
    ${nextIn('parking_sessions_by_plate_start', sql`${candidate.cancelledAt} is null and ${CANCELLED_AFTER} = ${noCancellation}`, FROM_START)}
    union all
    ${nextIn('parking_sessions_by_plate_cancellation', sql`${candidate.cancelledAt} is not null`, FROM_CANCELLATION)}
  ) order by cancellation, starts_at, runs_until, area_id, id limit ${MAX_SESSIONS}
))) as next
cross join ${tableAs(parkingSessions, session)} on ${session.id} = next.value
cross join ${tableAs(areas, area)} on ${area.id} = ${session.areaId}
order by coalesce(${session.cancelledAt}, ${noCancellation}), ${list([session.startsAt, session.runsUntil, session.areaId, session.id])} limit ${MAX_SESSIONS}`,
);

const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const subscriptionArea = alias(subscriptionAreas, 'subscription_area');
const SUBSCRIPTION = [
  subscription.id,
  WHOLE_SUBSCRIPTION_JSON,
  subscriptionType.code,
  subscription.revision,
  sql<
    string[]
  >`${jsonRows(area.code, sql`from ${tableAs(subscriptionAreas, subscriptionArea, primaryKeyOf(subscriptionAreas))} cross join ${tableAs(areas, area)} on ${area.id} = ${subscriptionArea.areaId} where ${subscriptionArea.subscriptionId} = ${subscription.id}`)}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

const SUBSCRIPTION_ROWS = sql`select ${columns({
  id: subscription.id,
  municipality_id: subscription.municipalityId,
  subscription: jsonArray(SUBSCRIPTION),
})} from ${someSubscriptionsOfPlate({ ids: LIVING_IDS, plate: PLATE, after: AFTER, max: LIMIT })}
join ${tableAs(subscriptionTypes, subscriptionType)} on ${subscriptionType.id} = ${subscription.typeId} order by own.subscription_id`;

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

const sized = alias(journal, 'sized');
const found = alias(journal, 'found');
/** `first`: JSON of a `FirstVersionRow`. */
export type ExportedChangeRow = ChangeRow &
  Sized & { readonly municipality_id: number; readonly first: string | null };
/**
 * A text's length is in its row: records are read of those changes alone that are answered. An answer writes names and
 * whole dates where a record has a list of numbers: it is about twice as long.
 */
export const CHANGES = statement(
  () => sql`${selectChanges(
    {
      municipality_id: sql`${change.municipalityId}`,
      bytes: BYTES,
      first: sql`iif(${change.firstAt} is null, null, ${jsonObject(firstVersionInJournal(change))})`,
    },
    sql`${asFarAsBytes(sql`select ${sized.sequence} as sequence, 2 * ${recordBytes(sized)} as bytes
      from json_each(${LIVING_IDS}) as held cross join json_each((select json_group_array(sequence) from (
          select sequence from (
            select * from (
              select ${found.sequence} as sequence from ${tableAs(journal, found, 'journal_by_plate')}
              where ${found.municipalityId} = held.value and ${found.plate} = ${PLATE} and ${found.sequence} > ${AFTER}
              order by ${found.sequence} limit ${LIMIT}
            ) union all select * from (
              select ${found.sequence} from ${tableAs(parkingSessions, candidate, 'parking_sessions_by_plate')}
              cross join ${tableAs(journal, found, SESSION_HISTORY)} on ${isAboutOwnPlate(found, candidate)} and ${found.sequence} > ${AFTER}
              where ${candidate.municipalityId} = held.value and ${candidate.plate} = ${PLATE}
              order by ${found.sequence} limit ${LIMIT}
            )
          ) order by sequence limit ${LIMIT}
        ))) as next cross join ${tableAs(journal, sized)} on ${sized.sequence} = next.value
      order by ${sized.sequence} limit ${LIMIT}`)}
cross join ${tableAs(journal, change)} on ${change.sequence} = page.sequence`,
  )}
order by ${change.sequence}`,
);

export type ExportedCallRow = CallRow & Sized;
const callsIn = ({ from, columns: of, hasDigestIn, since, order }: CallTable): SQL => sql`select * from (
  select ${of.requestId} as request_id, ${of.at} as at,
    coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
  from ${from}
  where ${hasDigestIn(parameter(1))} and coalesce(${of.tenant}, ${parameter(6)}) = ${parameter(6)}
    and ${since(parameter(2))} and (${of.at}, ${of.requestId}) > (${parameter(2)}, ${parameter(3)})
  order by ${order} limit ${LIMIT})`;
/** Each once: a patrol may be about the plate more than once. */
const ofPlate = sql.join([LOGGED_CALLS, PLATES_OF_CALLS].map(callsIn), sql` union `);

/**
 * Parameter 1: the digests, a JSON list; 2 and 3: the instant and the id to go on from; 4 and 5 as above; 6: the tenant,
 * whose code may be another one's municipality's.
 */
export const CALLS = statement(
  () => sql`with page as materialized (
  select * from ${asFarAsBytes(sql`select * from (${ofPlate}) order by at, request_id limit ${LIMIT}`)}
)
select ${columns(LOGGED_CALLS.columns)}, ${columns({ bytes: BYTES })}
from page cross join ${LOGGED_CALLS.from} on ${hasRequestId(sql.raw('page.request_id'))}
order by at, "requestId"`,
);
