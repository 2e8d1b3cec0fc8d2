import { errorMessage } from '../../base/platform/error-message.ts';
import { lastRetention } from '../../base/platform/last-retention.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import {
  type RetentionDays,
  retentionDays,
  unreadableVariables,
} from '../../base/platform/retention-days.ts';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { type Database, databasesOf, HOME } from '../../storage/databases/bindings.ts';
import { AT_ONCE, sideBySide } from '../../storage/databases/side-by-side.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { OTHERS } from './anonymization-statements.ts';
import { ANONYMIZATION_STATEMENTS, anonymizeBefore } from './anonymization-table.ts';
import {
  type Batch,
  counted,
  type Deleted,
  deleteBatch,
  type Past,
  type Statement,
} from './deletion-parts.ts';
import { deleteOldErasures } from './erased-table.ts';
import { DELETIONS, type Deletion, OTHER_DELETIONS } from './retention-table.ts';
import { VERSIONED_STATEMENTS, versionedDeletion } from './versioned-table.ts';

/** The most that one statement deletes: some milliseconds' work. A call kept whole may have 128 KiB: a batch has 16 of those. */
const BATCH: Batch = { rows: 250, bytes: 2 * 1024 * 1024 };
/** A call has no history to delete with it. */
const CALLS_BATCH: Batch = { ...BATCH, rows: 1_000 };
/** A subscription's plates, periods and areas go with it: dozens, often. */
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

/** What one run may take: D1 allows an invocation 1,000 queries, and a cron's may last 15 minutes. */
const MAX: Bounds = { statements: 900, ms: 10 * MINUTE_MS };

interface Bounds {
  readonly statements: number;
  readonly ms: number;
}

/** How long the database is left alone after a batch: this many times as long as the batch took, but at least this long. */
const PAUSE_FACTOR = 4;

/** How far a run has come with one kind. */
interface Progress {
  readonly deletion: string;
  readonly takeBatch: (db: D1Database) => Promise<Deleted>;
  /** The most statements that one batch sends. */
  readonly statements: number;
  deleted: number;
  isDone: boolean;
}

/**
 * Deletes what is past its retention, and the plates of sessions that are to be anonymized, in small batches with pauses
 * between them, so that no gate notices. The kinds take turns. What a run leaves, the next one deletes, and the log says so.
 * A kind or a database that fails does not stop the others; the run then fails at its end, so that the platform counts it
 * as failed.
 *
 * @throws RangeError, and nothing is deleted, while a variable cannot be read: nobody knows what it was meant to keep
 */
export async function runRetention(env: Env, now: Instant, max: Bounds = MAX): Promise<void> {
  const variables = unreadableVariables(env);
  if (variables.length > 0) {
    console.error(JSON.stringify({ event: 'retention_stopped', variables }));
    throw new RangeError(`no whole number of days from 1: ${variables.join(', ')}`);
  }
  const ofOneDatabase = kindsOf(retentionDays(env), now).reduce((sum, { statements }) => sum + statements, 0);
  const old = instant(now - retentionDays(env).backups * DAY_MS);
  const [erasures] = await Promise.allSettled([deleteOldErasures(env.DB, old)]);
  const left = { ...max, statements: max.statements - 1 };
  await deletePast(
    env,
    chooseDatabases(databasesOf(env), now, Math.floor(left.statements / ofOneDatabase)),
    now,
    left,
  );
  if (erasures.status === 'rejected') {
    throw erasures.reason;
  }
}

/** How often a step runs, and how many databases it handles: each gets half of the statements. */
const STEP_MS = 3 * MINUTE_MS;
const OF_ONE_STEP = 2;

/**
 * Which of many databases one of the cron's steps handles: two at a time, so that each has its share of the statements, however
 * many there are, and each at most once an hour.
 */
export function databasesOfStep<Database>(databases: readonly Database[], now: Instant): readonly Database[] {
  const steps = Math.max(HOUR_MS / STEP_MS, Math.ceil(databases.length / OF_ONE_STEP));
  const first = (Math.floor(now / STEP_MS) % steps) * OF_ONE_STEP;
  return databases.slice(first, first + OF_ONE_STEP);
}

/** Adds invocations where there are more databases than {@link runRetention} has statements for. */
export async function runRetentionStep(env: Env, now: Instant): Promise<void> {
  const databases = databasesOf(env);
  const some = databasesOfStep(databases, now);
  // A variable that cannot be read is in the log once an hour.
  if (databases.length > OF_ONE_STEP && some.length > 0 && unreadableVariables(env).length === 0) {
    await deletePast(env, some, now, MAX);
  }
}

/** @throws AggregateError of what failed */
async function deletePast(
  env: Env,
  databases: readonly Database[],
  now: Instant,
  max: Bounds,
): Promise<void> {
  const days = retentionDays(env);
  const share: Bounds = {
    statements: Math.floor(max.statements / databases.length),
    ms: max.ms / Math.ceil(databases.length / AT_ONCE),
  };
  let behind = false;
  const outcomes = await sideBySide(databases, async ({ name, db }) => {
    const kinds = kindsOf(days, now);
    const failures = await deleteInTurns(db, kinds, share);
    behind ||= kinds.some(({ isDone }) => !isDone);
    for (const kind of kinds) {
      report(kind, name);
    }
    return failures;
  });
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : [outcome.reason],
  );
  await noteRun(env, now, behind || failures.length > 0);
  if (failures.length > 0) {
    throw new AggregateError(failures, 'the retention could not delete everything that is past it');
  }
}

/** For the status. A run that cannot be noted has not failed for that. */
async function noteRun({ SNAPSHOTS }: Env, at: Instant, behind: boolean): Promise<void> {
  try {
    await lastRetention.write(SNAPSHOTS, { version: 1, at, behind });
  } catch (error) {
    logEvent('warn', 'retention_not_noted', { message: errorMessage(error) });
  }
}

/** What a run does in one database. */
function kindsOf(days: RetentionDays, now: Instant): Progress[] {
  const plates = days.plates === null ? null : daysBefore(now, days.plates);
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
    progress(deletion, statements.length + 1, (db) => deleteBatch(db, statements));
  const versioned = (kind: ErasedFrom['kind'], { rows }: Batch): Progress =>
    progress(`${kind}s`, VERSIONED_STATEMENTS[kind], versionedDeletion(kind, past[kind], rows));
  return [
    ...(plates === null
      ? []
      : [
          progress('plates', ANONYMIZATION_STATEMENTS, (db) => anonymizeBefore(db, plates, BATCH.rows)),
          ...OTHERS.map(({ kind, statements }) =>
            batches(`plates of ${kind}`, statements(plates, BATCH.rows).map(counted)),
          ),
        ]),
    versioned('parking_session', BATCH),
    versioned('subscription', SMALL_BATCH),
    ...BATCHES.map(([deletion, batch]) => batches(deletion, DELETIONS[deletion](past, batch))),
    ...OTHER_DELETIONS.map(([kind, deletion]) => batches(kind, deletion(past, BATCH))),
  ];
}

const daysBefore = (now: Instant, days: number): Instant => instant(now - days * DAY_MS);

/**
 * As many databases as one run has statements for, in each run others: every kind needs some statements in each, even when
 * there is nothing to delete.
 */
function chooseDatabases(databases: readonly Database[], now: Instant, max: number): readonly Database[] {
  const ofOneRun = Math.max(1, max);
  if (databases.length <= ofOneRun) {
    return databases;
  }
  const first = (Math.floor(now / HOUR_MS) * ofOneRun) % databases.length;
  return [...databases.slice(first), ...databases.slice(0, first)].slice(0, ofOneRun);
}

/** @returns the failures: at most one a kind, since a kind that fails stops */
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

/** @returns how many statements it took */
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

/** `database`: of another than the home. `backlog`: the run ended before all of this kind was deleted, or failed at it. */
function report({ deletion, deleted, isDone }: Progress, database: string): void {
  const line = JSON.stringify({
    event: 'retention',
    ...(database !== HOME && { database }),
    deletion,
    deleted,
    backlog: !isDone,
  });
  if (isDone) {
    console.log(line);
  } else {
    console.warn(line);
  }
}
