import type { IMPORT_OUTCOMES } from '../db/schema/sessions.ts';
import type { Instant } from '../domain/instant.ts';

/** An import of a source's sessions that has come to its end. */
export interface FinishedImport {
  readonly sourceId: number;
  readonly outcome: (typeof IMPORT_OUTCOMES)[number];
  /** The call's instant: what the file says was true then at the latest. */
  readonly at: Instant;
  readonly requestId: string;
}

/**
 * The later call is the last import, in whatever order they end, and its outcome stands; the last success is kept
 * across failures and never moves back. On the right of `set`, a bare name is the value that was there.
 */
const RECORD = `
insert into source_imports (source_id, last_finished_at, last_outcome, last_successful_at, last_request_id)
values (?1, ?2, ?3, iif(?3 = 'succeeded', ?2, null), ?4)
on conflict (source_id) do update set
  last_finished_at = max(last_finished_at, excluded.last_finished_at),
  last_outcome = iif(excluded.last_finished_at >= last_finished_at, excluded.last_outcome, last_outcome),
  last_request_id = iif(excluded.last_finished_at >= last_finished_at, excluded.last_request_id, last_request_id),
  last_successful_at = coalesce(
    max(last_successful_at, excluded.last_successful_at), last_successful_at, excluded.last_successful_at)`;

/** Keeps how an import of a source has ended: what the source's freshness is judged by. May be done twice. */
export async function recordImport(db: D1Database, finished: FinishedImport): Promise<void> {
  const { sourceId, outcome, at, requestId } = finished;
  await db.prepare(RECORD).bind(sourceId, at, outcome, requestId).run();
}
