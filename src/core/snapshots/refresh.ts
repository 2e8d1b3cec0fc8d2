import { TimeoutError, withTimeout } from '../../base/platform/deadline.ts';
import { lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { snapshotOf } from './compute.ts';
import {
  type ListedMunicipality,
  listActiveMunicipalities,
  readMunicipalities,
} from './municipality-rows-table.ts';
import { writePublicDirectory } from './public-directory.ts';
import { writeSnapshot } from './snapshot-store.ts';

/**
 * The size of a batch: small enough that the database can answer others in between and that the sessions fit into
 * memory, large enough that 1,000 municipalities take far fewer than the 1,000 queries that D1 allows an invocation.
 */
const MAX_MUNICIPALITIES = 25;
const MAX_AREAS = 1_000;
/** Municipalities of failed batches that are read alone, five queries each. */
const MAX_RETRIES = 150;

/**
 * A snapshot is used for 120 s: it is read until the next one is written a minute later, and from KV's caches for 30 s
 * more. That leaves 30 s for a run.
 */
const RUN_MS = 20 * SECOND_MS;
/** If the database is late with one batch, it is not asked for another. */
const BATCH_MS = 6 * SECOND_MS;

/**
 * Writes the snapshot of every active municipality to KV, and the directory of the public ones: all for the instant at
 * which the run begins. Every value is written every minute, changed or not, so that none grows too old.
 *
 * A municipality that fails does not stop the others: it keeps its previous snapshot, and the failure is logged. The run
 * then fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(env: Env, clock: () => Instant): Promise<void> {
  const at = clock();
  const run = new Run(env, clock, at);
  const listed = await withTimeout(BATCH_MS, listActiveMunicipalities(env.DB));
  await run.refresh(listed);
  await run.noteFailureOf([], writePublicDirectory(env));
  if (run.failures.length === 0) {
    await run.noteFailureOf([], lastRefresh.write(env.SNAPSHOTS, { version: 1, at }));
  }
  logEvent('log', 'snapshots', {
    at: new Date(at).toISOString(),
    municipalities: listed.length,
    made: run.made,
  });
  run.throwFailures();
}

/** An administrator is waiting. What takes longer continues after the answer. */
const RENEW_WITHIN_MS = 5 * SECOND_MS;

/**
 * Replaces the snapshots of municipalities whose configuration has changed, and the directory of public ones. It never fails:
 * the next run replaces what could not be replaced.
 *
 * @param codes of the municipalities
 */
export async function renewSnapshots(
  env: Env,
  codes: readonly string[],
  now: Instant,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<void> {
  const renewing = renew(env, new Set(codes), now);
  waitUntil(renewing.catch(() => {}));
  try {
    await withTimeout(RENEW_WITHIN_MS, renewing);
  } catch (error) {
    logEvent('warn', 'snapshots_not_renewed', { message: errorMessage(error) });
  }
}

async function renew(env: Env, codes: ReadonlySet<string>, now: Instant): Promise<void> {
  const run = new Run(env, () => now, now);
  const listed = codes.size === 0 ? [] : await listActiveMunicipalities(env.DB);
  await run.refresh(listed.filter(({ code }) => codes.has(code)));
  // Last: a municipality that is listed has its snapshot already.
  await writePublicDirectory(env);
  run.throwFailures();
}

/** Splits municipalities into batches that are read at once. A large one is a batch of its own. */
function batchesOf(municipalities: readonly ListedMunicipality[]): ListedMunicipality[][] {
  const batches: ListedMunicipality[][] = [];
  let areas = 0;
  for (const municipality of municipalities) {
    const batch = batches.at(-1);
    areas += municipality.areasCount;
    if (batch !== undefined && batch.length < MAX_MUNICIPALITIES && areas <= MAX_AREAS) {
      batch.push(municipality);
    } else {
      batches.push([municipality]);
      areas = municipality.areasCount;
    }
  }
  return batches;
}

class Run {
  readonly failures: unknown[] = [];
  /** How many snapshots were written. */
  made = 0;
  readonly #env: Env;
  readonly #clock: () => Instant;
  readonly #at: Instant;
  /** By the stopwatch. */
  readonly #endsAtMs = performance.now() + RUN_MS;

  constructor(env: Env, clock: () => Instant, at: Instant) {
    this.#env = env;
    this.#clock = clock;
    this.#at = at;
  }

  /** Computes and writes snapshots. The members of a batch that cannot be read are then read alone. */
  async refresh(municipalities: readonly ListedMunicipality[]): Promise<void> {
    const failed: ListedMunicipality[] = [];
    for (const batch of batchesOf(municipalities)) {
      await this.#refreshBatch(batch, (error) => {
        const isHopeless = batch.length === 1 || error instanceof TimeoutError;
        if (isHopeless) this.#noteFailure(batch, error);
        else failed.push(...batch);
      });
    }
    for (const [index, one] of failed.entries()) {
      const isOver = index >= MAX_RETRIES || performance.now() > this.#endsAtMs;
      if (isOver) this.#noteFailure([one], new Error('there was no time to read it alone'));
      else await this.#refreshBatch([one], (error) => this.#noteFailure([one], error));
    }
  }

  async #refreshBatch(
    batch: readonly ListedMunicipality[],
    onUnread: (error: unknown) => void,
  ): Promise<void> {
    let read: Awaited<ReturnType<typeof readMunicipalities>>;
    try {
      const leftMs = Math.max(0, this.#endsAtMs - performance.now());
      const ids = batch.map(({ id }) => id);
      read = await withTimeout(Math.min(BATCH_MS, leftMs), readMunicipalities(this.#env.DB, ids, this.#at));
    } catch (error) {
      onUnread(error);
      return;
    }
    const readAt = this.#clock();
    await Promise.all(
      batch.map((one) => {
        const rows = read.get(one.id);
        // One that was switched off a moment ago has no rows, and gets no snapshot.
        return rows && this.noteFailureOf([one], this.#write(rows, readAt));
      }),
    );
  }

  async #write(rows: Parameters<typeof snapshotOf>[0], readAt: Instant): Promise<void> {
    await writeSnapshot(this.#env.SNAPSHOTS, snapshotOf(rows, this.#at, readAt));
    this.made += 1;
  }

  /** Logs what fails, and makes the run fail at its end. */
  async noteFailureOf(municipalities: readonly ListedMunicipality[], work: Promise<void>): Promise<void> {
    try {
      await withTimeout(BATCH_MS, work);
    } catch (error) {
      this.#noteFailure(municipalities, error);
    }
  }

  #noteFailure(municipalities: readonly ListedMunicipality[], error: unknown): void {
    this.failures.push(error);
    logEvent('error', 'snapshot_failed', {
      municipality_codes: municipalities.map(({ code }) => code),
      message: errorMessage(error),
    });
  }

  throwFailures(): void {
    if (this.failures.length > 0) {
      throw new AggregateError(this.failures, 'some municipalities have no new snapshot');
    }
  }
}
