import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { MAX_READ_SESSIONS } from '../../domain/plate-bounds.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import { KNOWN_AT, type When } from '../../serving/lookups/when-parts.ts';
import { areas, parkingSessions, pastParkingSessions, sources } from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { jsonArray, list, literal, parameter, type TupleOf, tableAs } from '../../storage/db/sql.ts';

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

const ofPlate = sql`${scanned.municipalityId} = ${municipality.id} and ${scanned.plate} = ${PLATE} and ${scanned.runsUntil} > ${WINDOW_START}`;
const BY_PLATE = sql`${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate`;

/** The columns of a session that a check reads, in one order: the present and the past make one table. */
const READ = ['id', 'municipalityId', 'areaId', 'startsAt', 'endsAt', 'cancelledAt'] as const;
const past = alias(pastParkingSessions, 'past');
const own = alias(parkingSessions, 'own');

/**
 * The rows of the plate that are looked at, under the names of the present's columns, and whether each is one of its sessions that
 * end after the window's start: what else was known of them by then is looked at as well.
 */
const SESSIONS: Readonly<Record<When, { readonly rows: SQL; readonly counts: SQL }>> = {
  now: { rows: sql`select * from ${BY_PLATE} where ${ofPlate}`, counts: sql`` },
  known: {
    rows: sql`
select ${list(READ.map((name) => scanned[name]))}, ${scanned.sessionId}, ${scanned.sourceCode}, ${scanned.recordedAt} <= ${KNOWN_AT} as counts
from ${BY_PLATE} where ${ofPlate}
union all
select ${list(READ.map((name) => past[name]))}, ${own.sessionId}, ${own.sourceCode}, ${own.id} is not null
from ${tableAs(pastParkingSessions, past, 'past_parking_sessions_by_plate')}
left join ${tableAs(parkingSessions, own)} on ${own.id} = iif(
  ${past.replacedAt} > ${KNOWN_AT} and coalesce(${past.endsAt}, ${literal(OPEN_END)}) > ${WINDOW_START}, ${past.id}, null)
where ${past.municipalityId} = ${municipality.id} and ${past.plate} = ${PLATE} and ${past.recordedAt} <= ${KNOWN_AT}`,
    counts: sql`counts and`,
  },
};

/** The upper bound is inclusive: the longest entry tolerance reaches a session that starts exactly 24 h later. */
const isInWindow = sql`${session.startsAt} <= ${WINDOW_END}`;

/** In one pass, with one row above the bound to see whether there are more. */
export const sessionsJson = (when: When, inArea: boolean): SQL => sql`(
  select json_array(count(*), json_group_array(${jsonArray(valuesIn(inArea ? askedArea : sessionArea))})
    filter (where ${SESSIONS[when].counts} ${isInWindow} ${inArea ? sql`and ${session.areaId} = ${askedArea.id}` : sql``}))
  from (
    ${SESSIONS[when].rows} limit ${literal(MAX_READ_SESSIONS + 1)}
  ) session ${inArea ? sql`` : sql`left join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}`}
)`;
