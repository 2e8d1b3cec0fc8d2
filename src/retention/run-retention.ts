import { DAY_MS, type Instant, instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { retentionDays } from './retention-days.ts';
import { type Deletion, deleteBefore } from './retention-table.ts';

/** Rows of one statement: few enough that the database answers others in between. */
const ROWS_PER_BATCH = 1_000;
/** Batches of one kind in one run: all kinds together stay far under D1's 1,000 queries. What is left waits a day. */
const MOST_BATCHES = 200;

/**
 * Deletes what is past its retention, in bounded batches. A kind that fails does not stop the others; the run then
 * fails at its end, so that the platform counts it as failed.
 */
export async function runRetention(env: Env, now: Instant): Promise<void> {
  const days = retentionDays(env);
  const kinds: [Deletion, number][] = [
    ['call_log', days.callLog],
    ['parking_sessions', days.sessions],
    ['open_parking_sessions', days.sessions],
    ['subscriptions', days.subscriptions],
  ];
  const failures: unknown[] = [];
  for (const [deletion, keptDays] of kinds) {
    try {
      const deleted = await deleteInBatches(env.DB, deletion, instant(now - keptDays * DAY_MS));
      console.log(JSON.stringify({ event: 'retention', deletion, deleted }));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, 'the retention could not delete everything that is past it');
  }
}

async function deleteInBatches(db: D1Database, deletion: Deletion, before: Instant): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const rows = await deleteBefore(db, deletion, before, ROWS_PER_BATCH);
    deleted += rows;
    if (rows < ROWS_PER_BATCH) {
      break;
    }
  }
  return deleted;
}
