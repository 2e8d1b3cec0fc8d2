import { instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import type { SessionRow } from './session-line.ts';

/** The source whose sessions an import brings. */
export interface SessionSource {
  readonly municipalityId: number;
  readonly sourceCode: string;
}

const READ = `
select session_id, area_id, plate, starts_at, ends_at, cancelled_at, revision
from json_each(?3) as wanted
cross join parking_sessions as s
  on s.municipality_id = ?1 and s.source_code = ?2 and s.session_id = wanted.value`;

/** Two imports of one source may run at once: what the other has stored since is not undone where it is newer. */
const WRITE = `
insert into parking_sessions
  (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at, revision)
select ?1, ?2, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
from json_each(?3)
where true
on conflict (municipality_id, source_code, session_id) do update set
  area_id = excluded.area_id,
  plate = excluded.plate,
  starts_at = excluded.starts_at,
  ends_at = excluded.ends_at,
  cancelled_at = excluded.cancelled_at,
  revision = coalesce(excluded.revision, revision)
where excluded.revision is null or revision is null or excluded.revision >= revision`;

interface StoredSession {
  readonly session_id: string;
  readonly area_id: number;
  readonly plate: string;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
  readonly revision: number | null;
}

/** The sessions of these ids that are stored, by id. */
export async function readSessions(
  db: D1Database,
  source: SessionSource,
  sessionIds: readonly string[],
): Promise<Map<string, SessionRow>> {
  const { results } = await db
    .prepare(READ)
    .bind(source.municipalityId, source.sourceCode, JSON.stringify(sessionIds))
    .all<StoredSession>();
  return new Map(results.map((row) => [row.session_id, rowOf(row)]));
}

/** Stores sessions, new ones and changed ones, all or none of them. May be done twice. */
export async function writeSessions(
  db: D1Database,
  source: SessionSource,
  rows: readonly SessionRow[],
): Promise<void> {
  const values = rows.map((row) => [
    row.sessionId,
    row.areaId,
    row.plate,
    row.startsAt,
    row.endsAt,
    row.cancelledAt,
    row.revision,
  ]);
  await db.prepare(WRITE).bind(source.municipalityId, source.sourceCode, JSON.stringify(values)).run();
}

function rowOf(row: StoredSession): SessionRow {
  return {
    sessionId: row.session_id,
    areaId: row.area_id,
    plate: storedPlate(row.plate),
    startsAt: instant(row.starts_at),
    endsAt: nullableInstant(row.ends_at),
    cancelledAt: nullableInstant(row.cancelled_at),
    revision: row.revision,
  };
}
