import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import { storedPlate } from '../../domain/plate.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import { parkingSessions, pastParkingSessions } from '../../storage/db/schema/index.ts';
import {
  bare,
  type Json,
  json,
  jsonArray,
  jsonRows,
  lineAt,
  list,
  parsed,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import {
  type ErasedColumns,
  NO_ERASED_COLUMNS,
  readWithErased,
  type StoredRows,
  unionErased,
} from './erased-parts.ts';
import { SESSION_VALUES, type SessionRow } from './session-line.ts';
import { type BatchStoredBy, storeBatch } from './stored-by-table.ts';

const SOURCE = { municipalityId: value<number>(), sourceCode: value<string>() };
/** Each line has its values, in the order of its statement. */
const LINES = { ...SOURCE, lines: value<Json<readonly (readonly unknown[])[]>>() };

const session = alias(parkingSessions, 'session');

/** In the order of {@link SESSION_VALUES}, then the version. */
const STORED_SESSION = [
  session.sessionId,
  session.areaId,
  session.plate,
  session.startsAt,
  session.endsAt,
  session.cancelledAt,
  session.revision,
  session.id,
  session.recordedAt,
] as const;
type SessionTuple = TupleOf<typeof STORED_SESSION>;

/** All sessions in one row: D1 converts each value of a row to JSON separately, which takes longer than reading it. */
interface ReadSessions {
  readonly sessions: Json<SessionTuple[]>;
}

const READ_SESSIONS = statement(
  { ...SOURCE, sessionIds: value<Json<readonly string[]>>() },
  ({ municipalityId, sourceCode, sessionIds }) => sql<ReadSessions & ErasedColumns>`
  select ${jsonRows(
    jsonArray(STORED_SESSION),
    sql`
    from json_each(${sessionIds}) as wanted
    cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
      on ${session.municipalityId} = ${municipalityId}
      and ${session.sourceCode} = ${sourceCode}
      and ${session.sessionId} = wanted.value`,
  )} as sessions, ${NO_ERASED_COLUMNS}
  ${unionErased({
    ...{ kind: 'parking_session', municipality: municipalityId, source: sourceCode },
    ...{ keys: sessionIds, columns: 1 },
  })}`,
);

/** A new session's line has its values in the order of {@link SESSION_VALUES}. */
const newValue = (name: (typeof SESSION_VALUES)[number]): SQL => lineAt(SESSION_VALUES.indexOf(name));

/** Fails if another import has stored one of the sessions meanwhile. */
const INSERT_SESSIONS = statement(
  LINES,
  ({ municipalityId, sourceCode, lines }) => sql`
  insert into ${parkingSessions} (${list(
    [
      session.municipalityId,
      session.sourceCode,
      ...SESSION_VALUES.map((name) => session[name]),
      session.recordedAt,
    ].map(bare),
  )})
  select ${municipalityId}, ${sourceCode}, ${list([...SESSION_VALUES.map(newValue), lastRecordedAt(municipalityId)])}
  from json_each(${lines}) as line`,
);

/** The columns of a session that may change: its past versions keep them. */
const KEPT = ['areaId', 'plate', 'startsAt', 'endsAt', 'cancelledAt', 'revision'] as const;

/** The columns of a changed session's line: its id, when the version that was read was stored, and the new values. */
const CHANGED_VALUES = ['id', 'recordedAt', ...KEPT] as const;
const changedValue = (name: (typeof CHANGED_VALUES)[number]): SQL => lineAt(CHANGED_VALUES.indexOf(name));

const CHANGED_MEANWHILE = undo('changed_meanwhile');

/**
 * Copies the versions that are about to be replaced to the past. Undoes the transaction if one of them is no longer the
 * version by which the line was judged.
 */
const KEEP_SESSIONS = statement(
  LINES,
  ({ municipalityId, sourceCode, lines }) => sql`
  insert into ${pastParkingSessions} (${list(
    [
      pastParkingSessions.id,
      pastParkingSessions.municipalityId,
      ...KEPT.map((name) => pastParkingSessions[name]),
      pastParkingSessions.recordedAt,
      pastParkingSessions.replacedAt,
    ].map(bare),
  )})
  select coalesce(${session.id}, ${CHANGED_MEANWHILE}),
    ${session.municipalityId},
    ${list(KEPT.map((name) => session[name]))},
    iif(${session.recordedAt} = ${changedValue('recordedAt')}, ${session.recordedAt}, ${CHANGED_MEANWHILE}),
    ${lastRecordedAt(municipalityId)}
  from json_each(${lines}) as line
  left join ${tableAs(parkingSessions, session)}
    on ${session.id} = ${changedValue('id')}
    and ${session.municipalityId} = ${municipalityId}
    and ${session.sourceCode} = ${sourceCode}`,
);

/** SQLite writes every index with a column that is set, even if its value stays. */
const updateSessions = (names: readonly (typeof KEPT)[number][]) =>
  statement(
    LINES,
    ({ municipalityId, lines }) => sql`
  update ${parkingSessions}
  set ${list(names.map((name) => sql`${bare(parkingSessions[name])} = ${changedValue(name)}`))},
    ${bare(parkingSessions.recordedAt)} = ${lastRecordedAt(municipalityId)}
  from json_each(${lines}) as line
  where ${parkingSessions.id} = ${changedValue('id')}`,
  );

const UPDATE_SESSIONS = updateSessions(KEPT);
/** For lines that change only this, so that no index of plates and ends is written. */
const CANCEL_SESSIONS = updateSessions(['cancelledAt', 'revision']);

/** The source whose sessions an import brings. */
export interface SessionSource {
  readonly municipalityId: number;
  readonly sourceCode: string;
}

/** A session as it was read, with what identifies that version. */
interface StoredSession extends SessionRow {
  readonly id: number;
  readonly recordedAt: Instant;
}

/** Reads the stored sessions with these ids, by id, and the erasures from them. */
export function readSessions(
  db: D1Database,
  source: SessionSource,
  sessionIds: readonly string[],
): Promise<StoredRows<StoredSession>> {
  const { municipalityId, sourceCode } = source;
  const prepared = READ_SESSIONS.prepare(db, { municipalityId, sourceCode, sessionIds: json(sessionIds) });
  return readWithErased(prepared, ({ sessions }) =>
    parsed(sessions).map((tuple) => [tuple[0], rowOf(tuple)] as const),
  );
}

interface ChangedSession {
  readonly before: StoredSession;
  readonly after: SessionRow;
}

/**
 * Stores new and changed sessions, and keeps the versions that they replace: all or nothing. Idempotent.
 *
 * @param stored the stored rows by which the lines were judged
 * @throws ChangedMeanwhile
 */
export async function writeSessions(
  db: D1Database,
  source: SessionSource,
  rows: readonly SessionRow[],
  stored: ReadonlyMap<string, StoredSession>,
  by: BatchStoredBy,
): Promise<void> {
  const created: SessionRow[] = [];
  const changed: ChangedSession[] = [];
  for (const after of rows) {
    const before = stored.get(after.sessionId);
    if (before === undefined) {
      created.push(after);
    } else {
      changed.push({ before, after });
    }
  }
  const [cancelled = [], updated = []] = [true, false].map((isEndAlone) =>
    changed.filter((change) => changesEndAlone(change) === isEndAlone),
  );
  const now = by.clock();
  const { municipalityId, sourceCode } = source;
  const write = (statement: typeof INSERT_SESSIONS, lines: readonly (readonly unknown[])[]) =>
    lines.length === 0 ? [] : [statement.prepare(db, { municipalityId, sourceCode, lines: json(lines) })];
  await storeBatch(db, { ...source, kind: 'parking_session' }, by, now, [
    ...write(KEEP_SESSIONS, changed.map(changedValues)),
    ...write(INSERT_SESSIONS, created.map(newValues)),
    ...write(CANCEL_SESSIONS, cancelled.map(changedValues)),
    ...write(UPDATE_SESSIONS, updated.map(changedValues)),
  ]);
}

const changesEndAlone = ({ before, after }: ChangedSession): boolean =>
  before.areaId === after.areaId &&
  before.plate === after.plate &&
  before.startsAt === after.startsAt &&
  before.endsAt === after.endsAt;

const newValues = (row: SessionRow): unknown[] => SESSION_VALUES.map((name) => row[name]);

function changedValues({ before: { id, recordedAt }, after }: ChangedSession): unknown[] {
  const values = { ...after, id, recordedAt };
  return CHANGED_VALUES.map((name) => values[name]);
}

function rowOf(tuple: SessionTuple): StoredSession {
  const [sessionId, areaId, plate, startsAt, endsAt, cancelledAt, revision, id, recordedAt] = tuple;
  return {
    sessionId,
    areaId,
    plate: storedPlate(plate),
    startsAt: instant(startsAt),
    endsAt: nullableInstant(endsAt),
    cancelledAt: nullableInstant(cancelledAt),
    revision,
    id,
    recordedAt: instant(recordedAt),
  };
}
