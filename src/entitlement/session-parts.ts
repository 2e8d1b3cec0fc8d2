import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, parkingSessions, sources } from '../db/schema/index.ts';
import { jsonArray, jsonRows, literal, parameter, type TupleOf, tableAs } from '../db/sql.ts';
import { MINUTE_MS } from '../domain/instant.ts';
import { SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import { MAX_READ_SESSIONS } from '../domain/plate-reading.ts';
import { municipality } from '../lookups/municipality-table.ts';

/** Parameters 1 and 2 are the municipality's. */
export const AREA = parameter(3);
export const PLATE = parameter(4);
export const AT = parameter(5);
const WINDOW_START = sql`(${AT} - ${literal(SESSION_WINDOW_MS)})`;
const WINDOW_END = sql`(${AT} + ${literal(SESSION_WINDOW_MS)})`;

/** The area that was asked for. */
export const askedArea = alias(areas, 'asked_area');
const session = alias(parkingSessions, 'session');
const scanned = alias(parkingSessions, 'scanned');
/** Where a session is, when no area was asked for. */
export const sessionArea = alias(areas, 'session_area');
const source = alias(sources, 'source');

/**
 * How many hours a session without an end may run: its source is read for such a one alone.
 *
 * @param of the sessions, under any alias
 */
export const longestRun = (of: typeof session) => sql<number | null>`case when ${of.endsAt} is null then (
      select ${source.openSessionMaxHours} from ${tableAs(sources, source)}
      where ${source.municipalityId} = ${of.municipalityId} and ${source.code} = ${of.sourceCode}
    ) end`;

const valuesIn = (area: typeof askedArea | typeof sessionArea) =>
  [
    session.sessionId,
    session.sourceCode,
    session.startsAt,
    session.endsAt,
    session.cancelledAt,
    longestRun(session),
    area.code,
    area.name,
  ] as const;
export type SessionTuple = TupleOf<ReturnType<typeof valuesIn>>;

/** What is read: everything around the instant, or, of a plate with too many sessions, first what may matter. */
export type ReadFirst = 'all' | 'what_matters';

/**
 * What {@link sessionsJson} is, parsed. For the window: how many sessions were looked at (one above the limit where there
 * are more), and those that count. For a plate with too many: whether all that may be valid or open a gate were looked at,
 * how many there are of each, and those that are read.
 */
export type SessionsTuple =
  | [lookedAt: number, sessions: SessionTuple[]]
  | [isWhole: number, valid: number, near: number, sessions: SessionTuple[]];

export const sessionsJson = (read: ReadFirst, inArea: boolean): SQL =>
  read === 'all' ? sessionsOfWindow(inArea) : firstSessions(inArea);

/** The upper bound is inclusive: the longest entry tolerance reaches a session that starts exactly 24 h later. */
const isInWindow = sql`${session.startsAt} <= ${WINDOW_END}`;
const isInArea = (of: typeof scanned | typeof session, inArea: boolean): SQL =>
  inArea ? sql`and ${of.areaId} = ${askedArea.id}` : sql``;

/** The sessions `s`, made of `from`, as JSON. */
const asTuples = (from: SQL, where: SQL, inArea: boolean): SQL =>
  inArea
    ? jsonRows(jsonArray(valuesIn(askedArea)), sql`from ${from} where ${where} ${isInArea(session, true)}`)
    : jsonRows(
        jsonArray(valuesIn(sessionArea)),
        sql`from ${from} cross join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId} where ${where}`,
      );

const ofPlate = sql`${scanned.municipalityId} = ${municipality.id} and ${scanned.plate} = ${PLATE}`;
const BY_END = sql`${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate`;

/** In one pass, with one row above the limit to see whether there are more. */
const sessionsOfWindow = (inArea: boolean): SQL => sql`(
  select json_array(count(*), json_group_array(${jsonArray(valuesIn(inArea ? askedArea : sessionArea))})
    filter (where ${isInWindow} ${isInArea(session, inArea)}))
  from (
    select * from ${BY_END} where ${ofPlate} and ${scanned.runsUntil} > ${WINDOW_START}
    limit ${literal(MAX_READ_SESSIONS + 1)}
  ) session ${inArea ? sql`` : sql`left join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}`}
)`;

/** How many index entries are looked at for sessions that may matter. Each costs a tenth of a row. */
const MAX_ENTRIES = 2_000;
const ENTRIES = literal(MAX_ENTRIES + 1);

const minutes = (column: SQLWrapper): SQL => sql`coalesce(${column}, 0) * ${literal(MINUTE_MS)}`;
/** A session that ended earlier or starts later is outside every tolerance. */
const TOLERATED_FROM = sql`(${AT} - ${minutes(askedArea.exitGraceMinutes)})`;
const TOLERATED_UNTIL = sql`(${AT} + ${minutes(askedArea.entryGraceMinutes)})`;

const ENTRY = sql`${scanned.id} as id, ${scanned.startsAt} as starts_at, ${scanned.runsUntil} as runs_until`;
const MATTERS = sql`starts_at <= ${TOLERATED_UNTIL} and runs_until > ${TOLERATED_FROM}`;

/**
 * Sessions that may matter are searched from two sides, in the indexes alone: among those that end later, and among those
 * that have started. One of the two is complete unless the plate has too many of both; cancelled ones are in neither.
 */
const firstSessions = (inArea: boolean): SQL => sql`(
  with by_end as materialized (
    select ${ENTRY}, ${scanned.cancelledAt} is null or ${scanned.cancelledAt} > ${AT} as stands
    from ${BY_END} where ${ofPlate} and ${scanned.runsUntil} > ${TOLERATED_FROM} ${isInArea(scanned, inArea)}
    order by ${scanned.runsUntil} limit ${ENTRIES}
  ), by_start as materialized (
    select ${ENTRY} from ${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate_start
    where ${ofPlate} and ${scanned.cancelledAt} is null and ${scanned.startsAt} <= ${TOLERATED_UNTIL} ${isInArea(scanned, inArea)}
    order by ${scanned.startsAt} desc limit ${ENTRIES}
  ), by_cancellation as materialized (
    select ${ENTRY} from ${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate_cancellation
    where ${ofPlate} and ${scanned.cancelledAt} > ${AT} ${isInArea(scanned, inArea)}
    order by ${scanned.cancelledAt} limit ${ENTRIES}
  ), that_matter as materialized (
    select id, max(starts_at <= ${AT} and runs_until > ${AT}) as may_be_valid from (
      select * from (select id, starts_at, runs_until from by_end where stands) where ${MATTERS}
      union all select * from by_start where ${MATTERS}
      union all select * from by_cancellation where ${MATTERS}
    ) group by id
  ), others as materialized (
    select ${scanned.id} as id from ${BY_END} where ${ofPlate} and ${scanned.runsUntil} > ${WINDOW_START} ${isInArea(scanned, inArea)}
    order by ${scanned.runsUntil} limit ${literal(MAX_READ_SESSIONS)}
  ), to_read as materialized (
    select id from (
      select id, 1 + may_be_valid as rank from that_matter union all select id, 0 from others
    ) group by id order by max(rank) desc limit ${literal(MAX_READ_SESSIONS)}
  )
  select json_array(
    (select count(*) from by_end) <= ${literal(MAX_ENTRIES)}
      or ((select count(*) from by_start) <= ${literal(MAX_ENTRIES)}
        and (select count(*) from by_cancellation) <= ${literal(MAX_ENTRIES)}),
    (select count(*) from that_matter where may_be_valid),
    (select count(*) from that_matter),
    ${asTuples(sql`to_read cross join ${tableAs(parkingSessions, session)} on ${session.id} = to_read.id`, isInWindow, inArea)}
  )
)`;
