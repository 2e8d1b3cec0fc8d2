import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
import { batchesOf, processBatches } from './batches.ts';
import { snapshotOf } from './compute.ts';
import {
  type ListedMunicipality,
  listActiveMunicipalities,
  readMunicipalities,
} from './municipality-rows-table.ts';
import { packKey, packSnapshot } from './packed-format.ts';
import { writePublicDirectory } from './public-directory.ts';
import { readPackedLines, writePack } from './snapshot-store.ts';

/**
 * Writes the snapshot of every active municipality to KV, and the directory of the public ones: all for the instant at which the run begins. Every value is
 * written every minute, changed or not: a report may read a value for half a minute after it was replaced, so that a
 * skipped minute would make it too old to be used.
 *
 * A municipality that fails does not stop the others: it keeps its previous snapshot, and the failure is logged. The
 * run then fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(env: Env, clock: () => Instant): Promise<void> {
  const run = new Run(env, clock);
  const municipalities = await listActiveMunicipalities(env.DB);
  await run.refresh(municipalities);
  await run.writeDirectory();
  run.finish(municipalities.length);
}

/**
 * Writes the packs of these municipalities anew, after a change of their configuration. All members of a pack are computed:
 * what KV has of the others may be a minute old, and written again it would soon be too old to be used.
 *
 * @throws AggregateError when some have no new snapshot
 */
export async function refreshPacks(env: Env, codes: readonly string[], clock: () => Instant): Promise<void> {
  const run = new Run(env, clock);
  const keys = new Set(codes.map(packKey));
  const active = await listActiveMunicipalities(env.DB);
  const members = active.filter(({ code }) => keys.has(packKey(code)));
  await run.refresh(members);
  const left = new Set(members.map(({ code }) => packKey(code)));
  await Promise.all([...keys].filter((key) => !left.has(key)).map((key) => env.SNAPSHOTS.delete(key)));
  run.throwFailures();
}

class Run {
  readonly #env: Env;
  readonly #clock: () => Instant;
  readonly #at: Instant;
  /** The packed snapshots, by municipality's code. */
  readonly #lines = new Map<string, string>();
  readonly #failures: unknown[] = [];

  constructor(env: Env, clock: () => Instant) {
    this.#env = env;
    this.#clock = clock;
    this.#at = clock();
  }

  /** Computes and writes the snapshots of these municipalities, which are all that are in their packs. */
  async refresh(municipalities: readonly ListedMunicipality[]): Promise<void> {
    await processBatches(
      batchesOf(municipalities),
      (batch) => this.#compute(batch),
      (batch, error) => this.noteFailure(batch, error),
    );
    await this.#write(municipalities);
  }

  /**
   * Computes the snapshots of a batch. A municipality whose rows cannot be used is noted as failed.
   *
   * @throws Error when the batch cannot be read
   */
  async #compute(batch: readonly ListedMunicipality[]): Promise<void> {
    const ids = batch.map(({ id }) => id);
    const read = await readMunicipalities(this.#env.DB, ids, this.#at);
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
    const computed = members.map(({ code }) => this.#lines.get(code)).filter((line) => line !== undefined);
    if (computed.length === 0) {
      return;
    }
    const previous = await this.#previousLines(
      key,
      members.filter(({ code }) => !this.#lines.has(code)),
    );
    try {
      await writePack(this.#env.SNAPSHOTS, key, [...computed, ...previous]);
    } catch (error) {
      this.noteFailure(members, error);
    }
  }

  /** If they cannot be read, the pack is written without them. */
  async #previousLines(key: string, missing: readonly ListedMunicipality[]): Promise<readonly string[]> {
    if (missing.length === 0) {
      return [];
    }
    try {
      const codes = missing.map(({ code }) => code);
      return await readPackedLines(this.#env.SNAPSHOTS, key, codes);
    } catch (error) {
      this.noteFailure(missing, error);
      return [];
    }
  }

  /** Says which municipalities are public. */
  async writeDirectory(): Promise<void> {
    try {
      await writePublicDirectory(this.#env);
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
