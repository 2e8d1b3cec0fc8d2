import { type Database, databasesOf, HOME } from '../databases/bindings.ts';
import { AT_ONCE, sideBySide, splitOutcomes } from '../databases/side-by-side.ts';
import { type Instant, MINUTE_MS } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { logEvent } from '../platform/log-event.ts';
import { pauseAfter } from '../platform/pause.ts';
import { type Filling, fillNext } from './fillings-table.ts';

/** The fillings, in their order. Remove one that is done everywhere, together with the code that reads the old form. */
const FILLINGS: readonly Filling[] = [];

/** What one run may take. D1 allows an invocation 1,000 queries; the next run comes ten minutes later. */
interface Bounds {
  readonly statements: number;
  readonly ms: number;
  /** Of one step: some milliseconds' work. */
  readonly rows: number;
}
const MAX: Bounds = { statements: 800, ms: 8 * MINUTE_MS, rows: 250 };

/** How long the database is left alone after a step: so many times as long as the step took, and at least so long. */
const PAUSE_FACTOR = 4;

/**
 * Brings rows of an old form into the new one, in small steps with pauses between them, in every database. What a run leaves
 * is taken by the next. A database that fails does not stop the others; the run then fails at its end.
 */
export async function runFillings(
  env: Env,
  now: Instant,
  { fillings = FILLINGS, max = MAX }: { readonly fillings?: readonly Filling[]; readonly max?: Bounds } = {},
): Promise<void> {
  const databases = databasesOf(env);
  const share: Bounds = {
    rows: max.rows,
    statements: Math.floor(max.statements / databases.length),
    ms: max.ms / Math.ceil(databases.length / AT_ONCE),
  };
  const outcomes = await sideBySide(fillings.length === 0 ? [] : databases, (database) =>
    fillIn(database, fillings, now, share),
  );
  const { failures } = splitOutcomes(outcomes);
  if (failures.length > 0) {
    throw new AggregateError(failures, 'not every database could be filled');
  }
}

async function fillIn(
  { name: database, db }: Database,
  fillings: readonly Filling[],
  now: Instant,
  max: Bounds,
): Promise<void> {
  const startedAt = performance.now();
  let left = max.statements;
  for (const filling of fillings) {
    let isDone = false;
    let steps = 0;
    // At least one: with many databases, a share may be less than a step.
    while (!isDone && (steps === 0 || (left > 0 && performance.now() - startedAt < max.ms))) {
      const stepStartedAt = performance.now();
      const step = await fillNext(db, filling, max.rows, now);
      isDone = step.isDone;
      left -= step.statements;
      steps += 1;
      if (!isDone) {
        await pauseAfter(stepStartedAt, PAUSE_FACTOR);
      }
    }
    if (steps > 1) {
      logEvent('log', 'filling', {
        ...(database !== HOME && { database }),
        filling: filling.name,
        steps,
        done: isDone,
      });
    }
  }
}
