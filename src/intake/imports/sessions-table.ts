import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import { delayDay, delayStep } from '../../domain/patrol/source-delay.ts';
import { storedPlate } from '../../domain/plate.ts';
import { json } from '../../storage/db/json.ts';
import { readWithErased, type StoredRows } from './erased-parts.ts';
import { SESSION_VALUES, type SessionRow } from './session-line.ts';
import {
  CANCEL_SESSIONS,
  CHANGED_VALUES,
  COUNT_DELAYS,
  INSERT_SESSIONS,
  KEEP_SESSIONS,
  READ_SESSIONS,
  type ReadSession,
  UPDATE_SESSIONS,
} from './sessions-statements.ts';
import { type BatchStoredBy, storeBatch } from './stored-by-table.ts';

/** The source whose sessions an import brings. */
export interface SessionSource {
  readonly municipalityId: number;
  readonly sourceCode: string;
}

/** A session as it was read, and what names that version. */
export interface StoredSession extends SessionRow {
  readonly id: number;
  readonly recordedAt: Instant;
}

/** The sessions of these ids that are stored, by id, and what was erased from them. */
export function readSessions(
  db: D1Database,
  source: SessionSource,
  sessionIds: readonly string[],
): Promise<StoredRows<StoredSession>> {
  const { municipalityId, sourceCode } = source;
  const prepared = READ_SESSIONS.prepare(db, { municipalityId, sourceCode, sessionIds: json(sessionIds) });
  return readWithErased(prepared, 'sessionId', rowOf);
}

interface ChangedSession {
  readonly before: StoredSession;
  readonly after: SessionRow;
}

/**
 * Stores sessions, new ones and changed ones, and keeps the versions that they replace: all or nothing. May be done twice.
 *
 * @param stored what the rows were judged by
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
  const delays = delaysOf(created, changed, now);
  const late = { municipalityId, sourceCode, steps: json(delays), day: delayDay(now) };
  await storeBatch(db, { ...source, kind: 'parking_session' }, by, now, [
    ...write(KEEP_SESSIONS, changed.map(changedValues)),
    ...write(INSERT_SESSIONS, created.map(newValues)),
    ...write(CANCEL_SESSIONS, cancelled.map(changedValues)),
    ...write(UPDATE_SESSIONS, updated.map(changedValues)),
    ...(delays.length === 0 ? [] : [COUNT_DELAYS.prepare(db, late)]),
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

/**
 * How late the source has reported what a batch stores: new sessions after their start, later ends after the end before.
 *
 * @returns steps with their counts
 */
function delaysOf(
  created: readonly SessionRow[],
  changed: readonly ChangedSession[],
  now: Instant,
): readonly (readonly [step: number, count: number])[] {
  const steps = new Map<number, number>();
  const count = (since: Instant) => {
    const step = delayStep(now - since);
    if (step !== null) {
      steps.set(step, (steps.get(step) ?? 0) + 1);
    }
  };
  for (const { startsAt } of created) {
    count(startsAt);
  }
  for (const { before, after } of changed) {
    if (before.endsAt !== null && after.endsAt !== null && after.endsAt > before.endsAt) {
      count(before.endsAt);
    }
  }
  return [...steps];
}

function rowOf(row: ReadSession): StoredSession {
  return {
    sessionId: row.sessionId,
    areaId: row.areaId,
    plate: storedPlate(row.plate),
    startsAt: instant(row.startsAt),
    endsAt: nullableInstant(row.endsAt),
    cancelledAt: nullableInstant(row.cancelledAt),
    revision: row.revision,
    id: row.id,
    recordedAt: instant(row.recordedAt),
  };
}
