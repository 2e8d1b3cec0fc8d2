import { DAY_MS, type Instant, instant, MINUTE_MS } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { type RetentionDays, retentionDays, unreadableVariables } from './retention-days.ts';
import { type Batch, DELETIONS, type Deletion, deleteBefore } from './retention-table.ts';

/** What the days of each kind are, and how much of it one statement deletes: some milliseconds' work. */
const KINDS: Readonly<Record<Deletion, { readonly keptAs: keyof RetentionDays; readonly batch: Batch }>> = {
  call_log: { keptAs: 'callLog', batch: batchOf(250) },
  parking_sessions: { keptAs: 'sessions', batch: batchOf(250) },
  cancelled_parking_sessions: { keptAs: 'sessions', batch: batchOf(250) },
  open_parking_sessions: { keptAs: 'sessions', batch: batchOf(250) },
  // Each takes its plates, periods and areas along: hundreds, at the most.
  subscriptions: { keptAs: 'subscriptions', batch: batchOf(25) },
  revoked_subscriptions: { keptAs: 'subscriptions', batch: batchOf(25) },
  rejected_subscriptions: { keptAs: 'subscriptions', batch: batchOf(25) },
};

/** What one run may take: D1 allows an invocation 1,000 queries, and a cron's may last 15 minutes. */
const MOST: Bounds = { statements: 900, ms: 10 * MINUTE_MS };

interface Bounds {
  readonly statements: number;
  readonly ms: number;
}

/** How long the database is left alone after a batch: so many times as long as the batch took, and at least so long. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 10;

/** How far a run has come with one kind. */
interface Progress {
  readonly deletion: Deletion;
  readonly before: Instant;
  deleted: number;
  isDone: boolean;
}

/**
 * Deletes what is past its retention, in small batches with pauses between them, so that no gate notices. The kinds take
 * turns. What a run leaves is taken by the next, and the log says so. A kind that fails does not stop the others; the
 * run then fails at its end, so that the platform counts it as failed.
 *
 * @throws RangeError, and nothing is deleted, while a variable cannot be read: what it was to keep is not known
 */
export async function runRetention(env: Env, now: Instant, most: Bounds = MOST): Promise<void> {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    console.error(JSON.stringify({ event: 'retention_stopped', variables }));
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const days = retentionDays(env);
  const kinds = Object.keys(DELETIONS).map((name): Progress => {
    const deletion = name as Deletion;
    const before = instant(now - days[KINDS[deletion].keptAs] * DAY_MS);
    return { deletion, before, deleted: 0, isDone: false };
  });
  const failures = await deleteInTurns(env.DB, kinds, most);
  for (const kind of kinds) {
    report(kind);
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, 'the retention could not delete everything that is past it');
  }
}

/** @returns the failures: at most one a kind, whose turns end with it */
async function deleteInTurns(db: D1Database, kinds: readonly Progress[], most: Bounds): Promise<unknown[]> {
  const failures: unknown[] = [];
  const startedAt = performance.now();
  let waiting = [...kinds];
  let statements = 0;
  for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
    if (statements === most.statements || performance.now() - startedAt > most.ms) {
      break;
    }
    statements += 1;
    try {
      await deleteBatch(db, kind);
      waiting = kind.isDone ? waiting : [...waiting, kind];
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

async function deleteBatch(db: D1Database, kind: Progress): Promise<void> {
  const startedAt = performance.now();
  const deleted = await deleteBefore(db, kind.deletion, kind.before, KINDS[kind.deletion].batch);
  kind.deleted += deleted;
  kind.isDone = deleted === 0;
  if (!kind.isDone) {
    await scheduler.wait(Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt)));
  }
}

/** `backlog`: the run ended before all of this kind was deleted, or failed at it. */
function report({ deletion, deleted, isDone }: Progress): void {
  const line = JSON.stringify({ event: 'retention', deletion, deleted, backlog: !isDone });
  if (isDone) {
    console.log(line);
  } else {
    console.warn(line);
  }
}

/** 64 KiB of request and some of answer a row: a batch of such calls is 30 rows, of the others 250. */
function batchOf(rows: number): Batch {
  return { rows, bytes: 2 * 1024 * 1024 };
}
