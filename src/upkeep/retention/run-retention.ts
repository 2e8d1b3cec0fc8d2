import { lastRetention } from '../../base/platform/kv-notes.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { retentionDays, unreadableVariables } from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { batch } from '../../storage/db/batch.ts';
import { DELETIONS, type Position } from './retention-table.ts';

/** D1 allows 1,000 queries per invocation. */
const MAX_STATEMENTS = 900;

/** A run pauses after a step for this many times as long as the step took, so that gates do not wait. */
const PAUSE_FACTOR = 4;

const BEFORE_ALL: Position = { municipality: 0, at: 0, key: 0 };

/**
 * Deletes rows past their retention, in small steps with pauses, table after table. If a run leaves rows, it logs that, and the
 * next run deletes them. A table that fails does not stop the others; the run then fails at its end, so that the platform
 * counts it as failed.
 *
 * @throws RangeError without deleting anything if a variable cannot be read: its intended retention is unknown
 */
export async function runRetention(env: Env, now: Instant, maxStatements = MAX_STATEMENTS): Promise<void> {
  const cuts = requireCuts(env, now);
  const failures: unknown[] = [];
  let statements = maxStatements;
  let isBehind = false;
  for (const { table, rows, queries } of DELETIONS) {
    let deleted = 0;
    let from: Position | undefined = BEFORE_ALL;
    try {
      while (from !== undefined && statements > 0) {
        const startedAtMs = performance.now();
        const results: unknown[][] = await batch(env.DB, queries, { ...cuts, ...from, rows });
        const [gone = [], [next] = []] = results.toReversed();
        statements -= queries.length;
        deleted += gone.length;
        // With fewer, all of the rows that were looked at and are over have gone.
        if (gone.length < rows) from = next as Position | undefined;
        if (gone.length > 0) await scheduler.wait(PAUSE_FACTOR * (performance.now() - startedAtMs));
      }
    } catch (error) {
      failures.push(error);
    }
    const backlog = from !== undefined;
    isBehind ||= backlog;
    logEvent(backlog ? 'warn' : 'log', 'retention', { table, deleted, backlog });
  }
  const note = lastRetention.write(env.SNAPSHOTS, { version: 1, at: now, behind: isBehind });
  await note.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) {
    throw new AggregateError(failures, 'retention could not delete all rows, or note its run');
  }
}

/** The instants before which rows are past their retention. */
function requireCuts(env: Env, now: Instant) {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    logEvent('error', 'retention_stopped', { variables });
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const { callLog, sessions, subscriptions } = retentionDays(env);
  const daysAgo = (days: number): Instant => instant(now - days * DAY_MS);
  return {
    calls: daysAgo(callLog),
    sessions: daysAgo(sessions),
    subscriptions: daysAgo(subscriptions),
    day: daysAgo(1),
    longest: daysAgo(Math.max(callLog, sessions, subscriptions)),
  };
}
