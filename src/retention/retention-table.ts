import { NEVER } from '../db/schema/sessions.ts';
import { HOUR_MS, type Instant } from '../domain/instant.ts';

/** What the retention deletes, each with the statement that deletes at most `?2` rows that are past `?1`. */
export const DELETIONS = {
  call_log: `
delete from call_log where request_id in (select request_id from call_log where at < ?1 limit ?2)`,

  parking_sessions: `
delete from parking_sessions where id in (
  select s.id from municipalities m join parking_sessions s on s.municipality_id = m.id
  where s.runs_until < ?1 limit ?2
)`,

  // A forgotten stop: the session has no end of its own, and ended when its source's longest time was over.
  open_parking_sessions: `
delete from parking_sessions where id in (
  select s.id from municipalities m
  join parking_sessions s on s.municipality_id = m.id
  join sources o on o.municipality_id = s.municipality_id and o.code = s.source_code
  where s.runs_until = ${NEVER} and s.starts_at + o.open_session_max_hours * ${HOUR_MS} < ?1 limit ?2
)`,

  // Its plates, periods and areas go with it.
  subscriptions: `
delete from subscriptions where id in (
  select b.id from subscriptions b
  where b.authorized_until < ?1
    and not exists (select 1 from subscription_periods p where p.subscription_id = b.id and p.ends_at >= ?1)
  limit ?2
)`,
} as const;

export type Deletion = keyof typeof DELETIONS;

/**
 * Deletes at most `rows` of what ended before an instant.
 *
 * @returns how many were deleted (the rows that go with a subscription are not counted)
 */
export async function deleteBefore(
  db: D1Database,
  deletion: Deletion,
  before: Instant,
  rows: number,
): Promise<number> {
  const { results } = await db
    .prepare(`${DELETIONS[deletion]} returning 1 as deleted`)
    .bind(before, rows)
    .all();
  return results.length;
}
