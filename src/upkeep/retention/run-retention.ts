import { lastRetention } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import { retentionDays, unreadableVariables } from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { batch } from '../../storage/db/batch.ts';
import { type Cuts, DELETIONS, type Deletion } from './retention-table.ts';
import { type Step, WALKS, walk } from './walked-table.ts';

/** The limits of a run: D1 allows 1,000 queries per invocation, and a cron invocation may last 15 minutes. */
interface Bounds {
  readonly statements: number;
  readonly ms: number;
}
const MAX: Bounds = { statements: 900, ms: 10 * MINUTE_MS };

/** A run pauses after a step for this many times as long as the step took, so that gates do not wait. */
const PAUSE_FACTOR = 4;

/** A run's progress with one table. */
interface Progress {
  readonly table: string;
  readonly step: (d1: D1Database) => Promise<Step>;
  deleted: number;
  isDone: boolean;
}

/**
 * Deletes rows past their retention, in small steps with pauses, table after table. If a run leaves rows, it logs that, and the
 * next run deletes them. A table that fails does not stop the others; the run then fails at its end, so that the platform
 * counts it as failed.
 *
 * @throws RangeError without deleting anything if a variable cannot be read: its intended retention is unknown
 */
export async function runRetention(env: Env, now: Instant, max: Bounds = MAX): Promise<void> {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    logEvent('error', 'retention_stopped', { variables });
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const cuts = cutsOf(env, now);
  const tables = [
    ...DELETIONS.map((deletion) => progress(deletion.table, (d1) => takeStep(d1, deletion, cuts))),
    ...WALKS.map((each) => progress(each.table, walk(each, cuts))),
  ];
  const failures = await deleteInOrder(env.DB, tables, max);
  for (const { table, deleted, isDone } of tables) {
    logEvent(isDone ? 'log' : 'warn', 'retention', { table, deleted, backlog: !isDone });
  }
  await noteRun(
    env,
    now,
    tables.some(({ isDone }) => !isDone),
  );
  if (failures.length > 0) {
    throw new AggregateError(failures, 'retention could not delete all rows that are past it');
  }
}

function cutsOf(env: Env, now: Instant): Cuts {
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

const progress = (table: string, step: Progress['step']): Progress => ({
  ...{ table, step, deleted: 0, isDone: false },
});

async function takeStep(d1: D1Database, { remove, rows }: Deletion, cuts: Cuts): Promise<Step> {
  const [deleted] = await batch(d1, [remove], { ...cuts, rows });
  return { deleted: deleted.length, isDone: deleted.length < rows, statements: 1 };
}

/** @returns the failures, at most one per table, since a table stops when it fails */
async function deleteInOrder(d1: D1Database, tables: readonly Progress[], max: Bounds): Promise<unknown[]> {
  const failures: unknown[] = [];
  const endsAtMs = performance.now() + max.ms;
  let statements = 0;
  for (const table of tables) {
    try {
      while (!table.isDone) {
        const startedAtMs = performance.now();
        if (statements >= max.statements || startedAtMs > endsAtMs) return failures;
        const step = await table.step(d1);
        statements += step.statements;
        table.deleted += step.deleted;
        table.isDone = step.isDone;
        if (step.deleted > 0) await pauseAfter(startedAtMs, PAUSE_FACTOR);
      }
    } catch (error) {
      statements += 1;
      failures.push(error);
    }
  }
  return failures;
}

/** Stores the run for the status. If that fails, the run itself has not failed. */
async function noteRun({ SNAPSHOTS }: Env, at: Instant, behind: boolean): Promise<void> {
  try {
    await lastRetention.write(SNAPSHOTS, { version: 1, at, behind });
  } catch (error) {
    logEvent('warn', 'retention_not_noted', { message: errorMessage(error) });
  }
}
