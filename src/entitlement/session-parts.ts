import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, parkingSessions, sources } from '../db/schema/index.ts';
import { jsonArray, literal, parameter, type TupleOf, tableAs } from '../db/sql.ts';
import { SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import { MAX_READ_SESSIONS } from '../domain/plate-bounds.ts';
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

/** How many sessions were looked at (one above the bound where there are more), and those that count. */
export type SessionsTuple = [lookedAt: number, sessions: SessionTuple[]];

/** The upper bound is inclusive: the longest entry tolerance reaches a session that starts exactly 24 h later. */
const isInWindow = sql`${session.startsAt} <= ${WINDOW_END}`;

/** In one pass, with one row above the bound to see whether there are more. */
export const sessionsJson = (inArea: boolean): SQL => sql`(
  select json_array(count(*), json_group_array(${jsonArray(valuesIn(inArea ? askedArea : sessionArea))})
    filter (where ${isInWindow} ${inArea ? sql`and ${session.areaId} = ${askedArea.id}` : sql``}))
  from (
    select * from ${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate
    where ${scanned.municipalityId} = ${municipality.id} and ${scanned.plate} = ${PLATE} and ${scanned.runsUntil} > ${WINDOW_START}
    limit ${literal(MAX_READ_SESSIONS + 1)}
  ) session ${inArea ? sql`` : sql`left join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}`}
)`;
