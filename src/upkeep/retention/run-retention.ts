import { lastRetention } from '../../base/platform/kv-notes.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { retentionDays, unreadableVariables } from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { batch } from '../../storage/db/batch.ts';
import { DELETIONS, type Deletion, type Position } from './retention-table.ts';

/** D1 allows 1,000 queries per invocation. */
const MAX_STATEMENTS = 900;

/** A run pauses after a step for this many times as long as the step took, so that gates do not wait. */
const PAUSE_FACTOR = 4;

/**
 * Deletes rows past their retention, in small steps with pauses, table after table. If a run leaves rows, it logs that, and the
 * next run deletes them. A table that fails does not stop the others; the run then fails at its end, so that the platform
 * counts it as failed.
 *
 * @throws RangeError without deleting anything if a variable cannot be read: its intended retention is unknown
 */
export async function runRetention(env: Env, now: Instant, maxStatements = MAX_STATEMENTS): Promise<void> {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    logEvent('error', 'retention_stopped', { variables });
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const cuts = cutsOf(env, now);
  const left = { statements: maxStatements };
  const failures: unknown[] = [];
  let isBehind = false;
  for (const deletion of DELETIONS) {
    const progress = { deleted: 0, isDone: false };
    await deletePast(env.DB, deletion, cuts, left, progress).catch((error: unknown) => failures.push(error));
    const { deleted, isDone } = progress;
    isBehind ||= !isDone;
    logEvent(isDone ? 'log' : 'warn', 'retention', { table: deletion.table, deleted, backlog: !isDone });
  }
  const note = lastRetention.write(env.SNAPSHOTS, { version: 1, at: now, behind: isBehind });
  await note.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) {
    throw new AggregateError(failures, 'retention could not delete all rows, or note its run');
  }
}

/** The instants before which rows are past their retention. */
function cutsOf(env: Env, now: Instant) {
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

/** Deletes what is past its retention in a table, while the run may send statements. */
async function deletePast(
  d1: D1Database,
  { rows, remove, lookedUpTo }: Deletion,
  cuts: ReturnType<typeof cutsOf>,
  left: { statements: number },
  progress: { deleted: number; isDone: boolean },
): Promise<void> {
  let from: Position = { municipality: 0, at: 0, key: 0 };
  while (!progress.isDone && left.statements > 0) {
    const startedAtMs = performance.now();
    const values = { ...cuts, ...from, rows };
    const [[next], ...results] =
      lookedUpTo === undefined
        ? [[], ...(await batch(d1, remove, values))]
        : await batch(d1, [lookedUpTo, ...remove], values);
    left.statements -= results.length + (lookedUpTo === undefined ? 0 : 1);
    const deleted = results.at(-1)?.length ?? 0;
    progress.deleted += deleted;
    // With fewer, all of the rows that were looked at and are over have gone.
    if (deleted < rows) {
      progress.isDone = next === undefined;
      from = next ?? from;
    }
    if (deleted > 0) await scheduler.wait(PAUSE_FACTOR * (performance.now() - startedAtMs));
  }
}
