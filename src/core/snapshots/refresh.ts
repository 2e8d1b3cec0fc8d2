import { TimeoutError, withTimeout } from '../../base/platform/deadline.ts';
import { lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { snapshotOf } from './compute.ts';
import {
  type ListedMunicipality,
  listActiveMunicipalities,
  listMunicipalityCodes,
  readMunicipalities,
} from './municipality-rows-table.ts';
import { writePublicDirectory } from './public-directory.ts';
import { onDemandKey, packKey, packSnapshot, readPackedLines, writePack } from './snapshot-store.ts';

/**
 * The size of a batch: small enough that the database can answer others in between and that the sessions fit into
 * memory, large enough that 1,000 municipalities take far fewer than the 1,000 queries that D1 allows an invocation.
 */
const MAX_MUNICIPALITIES = 25;
const MAX_AREAS = 1_000;
/** To find one failing municipality of 25 takes about ten reads of four queries: all retries stay far below 1,000. */
const MAX_RETRIES = 100;
/** After this many failures of single municipalities in a row, the database itself cannot be reached. */
const MAX_FAILURES_IN_A_ROW = 5;

/** Splits municipalities into batches that are read at once. A large one is a batch of its own. */
export function batchesOf<Municipality extends ListedMunicipality>(
  municipalities: readonly Municipality[],
): Municipality[][] {
  const batches: Municipality[][] = [];
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

interface FailedBatch<Item> {
  readonly batch: readonly Item[];
  readonly error: unknown;
}

/**
 * Processes every batch once. Each failed batch is then retried in halves, and their halves, until only the items that
 * really fail are left, so that they do not hold up the others. If too many fail, the remaining retries are skipped.
 *
 * @param process processes a whole batch, or throws
 * @param giveUp called for each batch that is not processed, with the reason
 * @param isOver whether the time is up: then nothing is retried
 */
async function processBatches<Item>(
  batches: Iterable<readonly Item[]>,
  process: (batch: readonly Item[]) => Promise<void>,
  giveUp: (batch: readonly Item[], error: unknown) => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  const failed: FailedBatch<Item>[] = [];
  const succeeds = async (batch: readonly Item[]): Promise<boolean> => {
    try {
      await process(batch);
      return true;
    } catch (error) {
      failed.push({ batch, error });
      return false;
    }
  };
  for (const batch of batches) {
    await succeeds(batch);
  }
  let retries = 0;
  let failuresInARow = 0;
  for (let next = failed.pop(); next !== undefined; next = failed.pop()) {
    const { batch, error } = next;
    const hasFailed = batch.length === 1 || failuresInARow >= MAX_FAILURES_IN_A_ROW;
    if (hasFailed || retries >= MAX_RETRIES || isOver()) {
      giveUp(batch, error);
      continue;
    }
    for (const half of halvesOf(batch)) {
      retries += 1;
      const succeeded = await succeeds(half);
      failuresInARow = succeeded ? 0 : failuresInARow + (half.length === 1 ? 1 : 0);
    }
  }
}

function halvesOf<Item>(batch: readonly Item[]): [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
}

/** How long a run waits for the database. */
export interface Patience {
  /** For the list of municipalities. */
  readonly listMs: number;
  /** For a batch of them. If the database is late with one, it is not asked for another. */
  readonly batchMs: number;
  /** For all that is read, from the beginning of the run. */
  readonly allMs: number;
}

/**
 * A snapshot is used for 120 s: it is read until the next one is written a minute later, and from KV's caches for 30 s
 * more. That leaves 30 s for a run: what it has by then is written.
 */
const PATIENCE: Patience = { listMs: 5 * SECOND_MS, batchMs: 6 * SECOND_MS, allMs: 20 * SECOND_MS };

/**
 * Writes the snapshot of every active municipality to KV, and the directory of the public ones: all for the instant at
 * which the run begins. Every value is written every minute, changed or not: a report may read a
 * value for half a minute after it was replaced, so that after a skipped minute it would be too old.
 *
 * A municipality that fails does not stop the others: it keeps its previous snapshot, and the failure is logged. The run then fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(
  env: Env,
  clock: () => Instant,
  patience: Patience = PATIENCE,
): Promise<void> {
  const run = new Run(env, clock, patience);
  const listed = await run.list();
  await run.refresh(listed);
  await run.writeDirectory();
  await run.noteWhole();
  run.finish(listed.length);
}

/**
 * Rewrites the packs of these municipalities after a change of their configuration. All members of a pack are computed:
 * what KV has of the others may be a minute old, and would soon be too old to be used.
 *
 * @throws AggregateError when some have no new snapshot
 */
async function refreshPacks(env: Env, codes: readonly string[], clock: () => Instant): Promise<void> {
  const run = new Run(env, clock, PATIENCE);
  const keys = new Set(codes.map(packKey));
  const listed = await run.list();
  const members = listed.filter(({ code }) => keys.has(packKey(code)));
  await run.refresh(members);
  await run.deleteEmpty(keys, members);
  run.throwFailures();
}

class Run {
  readonly #env: Env;
  readonly #clock: () => Instant;
  readonly #at: Instant;
  readonly #patience: Patience;
  /** By the stopwatch. */
  readonly #endsAtMs: number;
  /** The packed snapshots, by municipality's code. */
  readonly #lines = new Map<string, string>();
  readonly #failures: unknown[] = [];

  constructor(env: Env, clock: () => Instant, patience: Patience) {
    this.#env = env;
    this.#clock = clock;
    this.#at = clock();
    this.#patience = patience;
    this.#endsAtMs = performance.now() + patience.allMs;
  }

  /** @throws TimeoutError when the database does not answer within its time, or this run's is over */
  async #within<T>(milliseconds: number, read: () => Promise<T>): Promise<T> {
    const leftMs = this.#endsAtMs - performance.now();
    if (leftMs <= 0) {
      throw new TimeoutError('the time of the run is up: it writes what it has');
    }
    return withTimeout(Math.min(milliseconds, leftMs), read());
  }

  /** The active municipalities. */
  list(): Promise<readonly ListedMunicipality[]> {
    return this.#within(this.#patience.listMs, () => listActiveMunicipalities(this.#env.DB));
  }

  /** Computes and writes the snapshots of these municipalities, which are all that are in their packs. */
  async refresh(municipalities: readonly ListedMunicipality[]): Promise<void> {
    await this.#computeAll(municipalities);
    await this.#write(municipalities);
  }

  /** Computes the snapshots of municipalities, until the database is late. */
  async #computeAll(municipalities: readonly ListedMunicipality[]): Promise<void> {
    let late: TimeoutError | null = null;
    const compute = async (batch: readonly ListedMunicipality[]): Promise<void> => {
      if (late !== null) {
        throw late;
      }
      try {
        await this.#compute(batch);
      } catch (error) {
        late = error instanceof TimeoutError ? error : null;
        throw error;
      }
    };
    await processBatches(
      batchesOf(municipalities),
      compute,
      (batch, error) => this.noteFailure(batch, error),
      () => late !== null,
    );
  }

  /**
   * Computes the snapshots of a batch. A municipality whose rows cannot be used is noted as failed.
   *
   * @throws Error when the batch cannot be read
   */
  async #compute(batch: readonly ListedMunicipality[]): Promise<void> {
    const ids = batch.map(({ id }) => id);
    const read = await this.#within(this.#patience.batchMs, () =>
      readMunicipalities(this.#env.DB, ids, this.#at),
    );
    const readAt = this.#clock();
    for (const municipality of batch) {
      const rows = read.get(municipality.id);
      try {
        // A municipality that was deactivated a moment ago has no rows, and gets no snapshot.
        if (rows !== undefined) {
          this.#lines.set(municipality.code, packSnapshot(snapshotOf(rows, this.#at, readAt)));
        }
      } catch (error) {
        this.noteFailure([municipality], error);
      }
    }
  }

  /** Writes every pack. Municipalities that failed keep the line of the previous pack. */
  async #write(municipalities: readonly ListedMunicipality[]): Promise<void> {
    const packs = Map.groupBy(municipalities, ({ code }) => packKey(code));
    await Promise.all([...packs].map(([key, members]) => this.#writePack(key, members)));
  }

  async #writePack(key: string, members: readonly ListedMunicipality[]): Promise<void> {
    const computed = new Map(members.flatMap(({ code }) => this.#lineOf(code)));
    if (computed.size === 0) {
      return;
    }
    const previous = await this.#previousLines(key, members, new Set(computed.keys()));
    try {
      await writePack(this.#env.SNAPSHOTS, key, [...computed.values(), ...previous]);
    } catch (error) {
      this.noteFailure(members, error);
    }
  }

  #lineOf(code: string): [code: string, line: string][] {
    const line = this.#lines.get(code);
    return line === undefined ? [] : [[code, line]];
  }

  /**
   * The lines that a pack keeps: those of members that failed. If they cannot be read, the pack is written without them.
   */
  async #previousLines(
    key: string,
    members: readonly ListedMunicipality[],
    computed: ReadonlySet<string>,
  ): Promise<readonly string[]> {
    const missing = members.filter(({ code }) => !computed.has(code));
    if (missing.length === 0) {
      return [];
    }
    const kept = new Set(missing.map(({ code }) => code));
    try {
      const lines = await readPackedLines(this.#env.SNAPSHOTS, key, computed);
      return lines.filter(([code]) => kept.has(code)).map(([, line]) => line);
    } catch (error) {
      this.noteFailure(missing, error);
      return [];
    }
  }

  /** Deletes the packs that have no members left. */
  async deleteEmpty(keys: ReadonlySet<string>, members: readonly ListedMunicipality[]): Promise<void> {
    const left = new Set(members.map(({ code }) => packKey(code)));
    const empty = [...keys].filter((key) => !left.has(key));
    await Promise.all(empty.map((key) => this.#env.SNAPSHOTS.delete(key)));
  }

  /** Writes which municipalities are public. */
  async writeDirectory(): Promise<void> {
    try {
      await withTimeout(this.#patience.listMs, writePublicDirectory(this.#env));
    } catch (error) {
      this.noteFailure([], error);
    }
  }

  /** Notes the instant of a run in which nothing failed: every snapshot is of it. */
  async noteWhole(): Promise<void> {
    if (this.#failures.length > 0) return;
    try {
      await withTimeout(
        this.#patience.listMs,
        lastRefresh.write(this.#env.SNAPSHOTS, { version: 1, at: this.#at }),
      );
    } catch (error) {
      this.noteFailure([], error);
    }
  }

  finish(municipalities: number): void {
    const made = this.#lines.size;
    logEvent('log', 'snapshots', { at: new Date(this.#at).toISOString(), municipalities, made });
    this.throwFailures();
  }

  throwFailures(): void {
    if (this.#failures.length > 0) {
      throw new AggregateError(this.#failures, 'some municipalities have no new snapshot');
    }
  }

  /** Logs municipalities that get no new snapshot, and makes the run fail at its end. */
  noteFailure(municipalities: readonly ListedMunicipality[], error: unknown): void {
    this.#failures.push(error);
    logEvent('error', 'snapshot_failed', {
      municipality_codes: municipalities.map(({ code }) => code),
      message: errorMessage(error),
    });
  }
}

/** KV allows 1,000 operations an invocation. Snapshots that are not deleted expire by their age. */
const MAX_DELETIONS = 500;
/** An administrator is waiting. What takes longer continues after the answer. */
const RENEW_WITHIN_MS = 5_000;

/** Whose configuration has changed. */
interface ConfigurationChange {
  /** Codes. */
  readonly municipalities: readonly string[];
  /** Codes: all their municipalities have changed. */
  readonly tenants: readonly string[];
}

/** The call that brought the change. */
interface Changing {
  readonly now: Instant;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/**
 * Replaces the snapshots of municipalities that have changed, and the directory of public municipalities. It never fails:
 * the next run replaces what could not be replaced, or it soon becomes too old to be used.
 */
export async function renewSnapshots(
  env: Env,
  change: ConfigurationChange,
  changing: Changing,
): Promise<void> {
  const renewing = renew(env, change, changing.now);
  changing.waitUntil(renewing.catch(() => {}));
  try {
    await withTimeout(RENEW_WITHIN_MS, renewing);
  } catch (error) {
    logEvent('warn', 'snapshots_not_renewed', { message: errorMessage(error) });
  }
}

async function renew(
  env: Env,
  { municipalities, tenants }: ConfigurationChange,
  now: Instant,
): Promise<void> {
  const ofTenants = tenants.length === 0 ? [] : await listMunicipalityCodes(env.DB, tenants);
  const codes = [...new Set([...municipalities, ...ofTenants])];
  const outcomes = await Promise.allSettled([
    refreshPacks(env, codes, () => now),
    // The pack has the newer snapshot, or none where the municipality was switched off.
    ...codes.slice(0, MAX_DELETIONS).map((code) => env.SNAPSHOTS.delete(onDemandKey(code))),
  ]);
  // Last: a municipality that is listed has its snapshot already.
  await writePublicDirectory(env);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    throw failed.reason;
  }
}
