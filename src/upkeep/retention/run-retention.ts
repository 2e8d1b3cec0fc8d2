import { lastRetention } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import {
  type RetentionDays,
  retentionDays,
  unreadableVariables,
} from '../../base/platform/retention-days.ts';
import { DAY_MS, type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { type Batch, type Deleted, deleteBatch, type Past, type Statement } from './deletion-parts.ts';
import { DELETIONS, type Deletion, deleteOldErasures, OTHER_DELETIONS } from './retention-table.ts';
import { VERSIONED_STATEMENTS, versionedDeletion } from './versioned-table.ts';

/** One statement deletes at most this, in some milliseconds. A call logged whole may have 128 KiB: a batch has 16 of those. */
const BATCH: Batch = { rows: 250, bytes: 2 * 1024 * 1024 };
/** A call has no history to delete with it. */
const CALLS_BATCH: Batch = { ...BATCH, rows: 1_000 };
/** A subscription often has dozens of plates, periods and areas, which are deleted with it. */
const SMALL_BATCH: Batch = { ...BATCH, rows: 25 };

/** In the order of a run's first turn. */
const BATCHES: readonly (readonly [Deletion, Batch])[] = [
  ['call_log', CALLS_BATCH],
  ['changes_by_day', BATCH],
  ['changes', BATCH],
  ['versions', BATCH],
  // A large one has 2 MB.
  ['configurations', SMALL_BATCH],
  ['payments', BATCH],
  ['erased_plates', BATCH],
  ['abandoned_erasures', BATCH],
];

/** The limits of a run: D1 allows 1,000 queries per invocation, and a cron invocation may last 15 minutes. */
const MAX: Bounds = { statements: 900, ms: 10 * MINUTE_MS };

interface Bounds {
  readonly statements: number;
  readonly ms: number;
}

/** A run pauses after a batch for this many times as long as the batch took, but at least this long. */
const PAUSE_FACTOR = 4;

/** A run's progress with one kind. */
interface Progress {
  readonly deletion: string;
  readonly takeBatch: (db: D1Database) => Promise<Deleted>;
  /** The most statements that one batch sends. */
  readonly statements: number;
  deleted: number;
  isDone: boolean;
}

/**
 * Deletes rows past their retention, in small batches with pauses, so that gates do not wait. The kinds take turns. If a run
 * leaves rows, it logs that, and the next run deletes them. A kind that fails does not stop the others; the run then fails at
 * its end, so that the platform counts it as failed.
 *
 * @throws RangeError without deleting anything if a variable cannot be read: its intended retention is unknown
 */
export async function runRetention(env: Env, now: Instant, max: Bounds = MAX): Promise<void> {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    console.error(JSON.stringify({ event: 'retention_stopped', variables }));
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const { DB: db } = env;
  const days = retentionDays(env);
  const [erasures] = await Promise.allSettled([deleteOldErasures(db, instant(now - days.backups * DAY_MS))]);
  const kinds = kindsOf(days, now);
  const failures = await deleteInTurns(db, kinds, { ...max, statements: max.statements - 1 });
  for (const kind of kinds) {
    report(kind);
  }
  if (erasures.status === 'rejected') {
    failures.push(erasures.reason);
  }
  await noteRun(env, now, failures.length > 0 || kinds.some(({ isDone }) => !isDone));
  if (failures.length > 0) {
    throw new AggregateError(failures, 'retention could not delete all rows that are past it');
  }
}

/** Stores the run for the status. If that fails, the run itself has not failed. */
async function noteRun({ SNAPSHOTS }: Env, at: Instant, behind: boolean): Promise<void> {
  try {
    await lastRetention.write(SNAPSHOTS, { version: 1, at, behind });
  } catch (error) {
    logEvent('warn', 'retention_not_noted', { message: errorMessage(error) });
  }
}

/** The work of a run. */
function kindsOf(days: RetentionDays, now: Instant): Progress[] {
  const past: Past = {
    parking_session: daysBefore(now, days.sessions),
    subscription: daysBefore(now, days.subscriptions),
    callLog: daysBefore(now, days.callLog),
    rejected: daysBefore(now, 1),
  };
  const progress = (
    deletion: Progress['deletion'],
    statements: number,
    takeBatch: Progress['takeBatch'],
  ): Progress => ({ deletion, statements, takeBatch, deleted: 0, isDone: false });
  const batches = (deletion: string, statements: readonly Statement[]): Progress =>
    progress(deletion, statements.length, (db) => deleteBatch(db, statements));
  const versioned = (kind: ErasedFrom['kind'], { rows }: Batch): Progress =>
    progress(`${kind}s`, VERSIONED_STATEMENTS[kind], versionedDeletion(kind, past[kind], rows));
  return [
    versioned('parking_session', BATCH),
    versioned('subscription', SMALL_BATCH),
    ...BATCHES.map(([deletion, batch]) => batches(deletion, DELETIONS[deletion](past, batch))),
    ...OTHER_DELETIONS.map(([kind, deletion]) => batches(kind, deletion(past, BATCH))),
  ];
}

const daysBefore = (now: Instant, days: number): Instant => instant(now - days * DAY_MS);

/** @returns the failures, at most one per kind, since a kind stops when it fails */
async function deleteInTurns(db: D1Database, kinds: readonly Progress[], max: Bounds): Promise<unknown[]> {
  const failures: unknown[] = [];
  const startedAt = performance.now();
  let waiting = [...kinds];
  let statements = 0;
  for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
    if (statements + kind.statements > max.statements || performance.now() - startedAt > max.ms) {
      break;
    }
    try {
      statements += await takeBatch(db, kind);
      waiting = kind.isDone ? waiting : [...waiting, kind];
    } catch (error) {
      statements += kind.statements;
      failures.push(error);
    }
  }
  return failures;
}

/** @returns the number of statements sent */
async function takeBatch(db: D1Database, kind: Progress): Promise<number> {
  const startedAt = performance.now();
  const deleted = await kind.takeBatch(db);
  kind.deleted += deleted.rows;
  kind.isDone = deleted.isDone;
  if (deleted.rows > 0 || !kind.isDone) {
    await pauseAfter(startedAt, PAUSE_FACTOR);
  }
  return deleted.statements;
}

/** `backlog`: the run ended or failed before all rows of this kind were deleted. */
function report({ deletion, deleted, isDone }: Progress): void {
  const line = JSON.stringify({ event: 'retention', deletion, deleted, backlog: !isDone });
  if (isDone) {
    console.log(line);
  } else {
    console.warn(line);
  }
}
