import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { MAX_READ_SESSIONS } from '../../domain/plate-bounds.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import { areas, parkingSessions, pastParkingSessions, sources } from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { type Json, jsonArray, list, literal, type TupleOf, tableAs } from '../../storage/db/sql.ts';

/** What a check asks, as parameters of its statement. */
export interface CheckParameters {
  readonly plate: SQL;
  readonly at: SQL;
  /** Null: today's state is read. */
  readonly knownAt: SQL | null;
}

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
export const longestRun = (of: typeof session) => sql<number | null>`
  case when ${of.endsAt} is null then (
    select ${source.openSessionMaxHours}
    from ${tableAs(sources, source)}
    where ${source.municipalityId} = ${of.municipalityId}
      and ${source.code} = ${of.sourceCode}
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

/** How many sessions were looked at (one above the bound where there are more), and those that count. */
type SessionsTuple = [lookedAt: number, sessions: SessionTuple[]];

const windowStart = (at: SQL): SQL => sql`(${at} - ${literal(SESSION_WINDOW_MS)})`;
const windowEnd = (at: SQL): SQL => sql`(${at} + ${literal(SESSION_WINDOW_MS)})`;

const BY_PLATE = sql`${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate`;
const ofPlate = ({ plate, at }: CheckParameters): SQL => sql`
      ${scanned.municipalityId} = ${municipality.id}
      and ${scanned.plate} = ${plate}
      and ${scanned.runsUntil} > ${windowStart(at)}`;

/** The columns of a session that a check reads, in one order: the present and the past make one table. */
const READ = ['id', 'municipalityId', 'areaId', 'startsAt', 'endsAt', 'cancelledAt'] as const;
const past = alias(pastParkingSessions, 'past');
const own = alias(parkingSessions, 'own');

/**
 * The plate's rows, under the present table's column names. For a past state, `counts` marks rows of sessions that end after
 * the window's start; other rows only count towards the bound.
 */
const rows = (asked: CheckParameters): SQL =>
  asked.knownAt === null
    ? sql`
    select *
    from ${BY_PLATE}
    where ${ofPlate(asked)}`
    : rowsThen(asked, asked.knownAt);

const rowsThen = (asked: CheckParameters, knownAt: SQL): SQL => sql`
    select ${list(READ.map((name) => scanned[name]))}, ${scanned.sessionId}, ${scanned.sourceCode},
      ${scanned.recordedAt} <= ${knownAt} as counts
    from ${BY_PLATE}
    where ${ofPlate(asked)}
    union all
    select ${list(READ.map((name) => past[name]))}, ${own.sessionId}, ${own.sourceCode}, ${own.id} is not null
    from ${tableAs(pastParkingSessions, past, 'past_parking_sessions_by_plate')}
    left join ${tableAs(parkingSessions, own)}
      on ${own.id} = iif(
        ${past.replacedAt} > ${knownAt}
        and coalesce(${past.endsAt}, ${literal(OPEN_END)}) > ${windowStart(asked.at)}, ${past.id}, null)
    where ${past.municipalityId} = ${municipality.id}
      and ${past.plate} = ${asked.plate}
      and ${past.recordedAt} <= ${knownAt}`;

/**
 * In one pass, with one row above the bound to see whether there are more. The upper bound of the window is inclusive: the
 * longest entry tolerance reaches a session that starts exactly 24 h later.
 */
export const sessionsJson = (asked: CheckParameters, inArea: boolean): SQL<Json<SessionsTuple>> => sql`(
  select json_array(
    count(*),
    json_group_array(${jsonArray(valuesIn(inArea ? askedArea : sessionArea))}) filter (
      where ${asked.knownAt === null ? sql`` : sql`counts and`}
        ${session.startsAt} <= ${windowEnd(asked.at)}
        ${inArea ? sql`and ${session.areaId} = ${askedArea.id}` : sql``}))
  from (
    ${rows(asked)}
    limit ${literal(MAX_READ_SESSIONS + 1)}
  ) session
  ${inArea ? sql`` : sql`left join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}`}
)`;
