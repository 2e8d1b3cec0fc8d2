import { guardReason } from '../db/guards.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import { codeOf } from './codes.ts';
import { countParameters } from './daily-changes-table.ts';
import { guardStatements, readWithErased, rethrowChangedMeanwhile, type StoredRows } from './erased-parts.ts';
import { SESSION_VALUES, type SessionRow } from './session-line.ts';
import {
  APPEND_CORRECTED_SESSIONS,
  APPEND_SESSIONS,
  CANCEL_SESSIONS,
  COUNT_DELAYS,
  COUNT_SESSIONS,
  KEEP_PLATES,
  READ_SESSIONS,
  type StoredSession,
  WRITE_SESSIONS,
} from './sessions-statements.ts';
import type { BatchStoredBy } from './stored-by.ts';

/** The source whose sessions an import brings. */
export interface SessionSource {
  readonly municipalityId: number;
  readonly sourceCode: string;
  /** The codes of the municipality's areas, by id. */
  readonly areaCodes: ReadonlyMap<number, string>;
}

/** The sessions of these ids that are stored, by id, and what was erased from them. */
export function readSessions(
  db: D1Database,
  source: SessionSource,
  sessionIds: readonly string[],
): Promise<StoredRows<SessionRow>> {
  const { municipalityId, sourceCode } = source;
  const statement = db.prepare(READ_SESSIONS()).bind(municipalityId, sourceCode, JSON.stringify(sessionIds));
  return readWithErased(statement, 'sessionId', rowOf);
}

/**
 * Stores sessions, new ones and changed ones, and what the journal says of them: all or nothing. May be done twice: what
 * is stored already is not journaled again.
 *
 * @param stored what the rows were judged by
 * @throws ChangedMeanwhile
 */
export async function writeSessions(
  db: D1Database,
  source: SessionSource,
  rows: readonly SessionRow[],
  stored: ReadonlyMap<string, SessionRow>,
  by: BatchStoredBy,
): Promise<void> {
  const linesOf = (some: readonly SessionRow[]) => JSON.stringify(some.map((row) => valuesOf(row, source)));
  const key = [source.municipalityId, source.sourceCode];
  const parameters = [...key, linesOf(rows)];
  const cancelled = rows.filter(({ cancelledAt }) => cancelledAt !== null);
  const write = (keepsPlates: boolean) =>
    db.batch([
      db.prepare(COUNT_SESSIONS()).bind(...parameters, ...countParameters(by.count)),
      ...(keepsPlates ? [db.prepare(KEEP_PLATES()).bind(...parameters)] : []),
      db
        .prepare(keepsPlates ? APPEND_CORRECTED_SESSIONS() : APPEND_SESSIONS())
        .bind(...parameters, by.clock(), by.requestId, by.erasedUpTo),
      db.prepare(COUNT_DELAYS()).bind(...parameters, by.clock()),
      ...(cancelled.length === 0 ? [] : [db.prepare(CANCEL_SESSIONS()).bind(...key, linesOf(cancelled))]),
      db
        .prepare(WRITE_SESSIONS())
        .bind(...parameters, by.clock(), by.requestId, by.erasedUpTo, keepsPlates ? 1 : 0),
      ...guardStatements(db, { ...source, kind: 'parking_session' }, by.guards, by.clock()),
    ]);
  const correctsPlates = rows.some(
    ({ sessionId, plate }) => (stored.get(sessionId)?.plate ?? plate) !== plate,
  );
  await rethrowChangedMeanwhile(
    write(correctsPlates).catch((error) => {
      // Another import has corrected a plate meanwhile.
      if (guardReason(error) === 'plates_not_kept') {
        return write(true);
      }
      throw error;
    }),
  );
}

/** What the statements take of a line: its values, then the code of the area. */
const valuesOf = (row: SessionRow, source: SessionSource): unknown[] => [
  ...SESSION_VALUES.map((name) => row[name]),
  codeOf(source.areaCodes, row.areaId),
];

function rowOf(row: StoredSession): SessionRow {
  return {
    sessionId: row.sessionId,
    areaId: row.areaId,
    plate: storedPlate(row.plate),
    startsAt: instant(row.startsAt),
    endsAt: nullableInstant(row.endsAt),
    cancelledAt: nullableInstant(row.cancelledAt),
    revision: row.revision,
  };
}
