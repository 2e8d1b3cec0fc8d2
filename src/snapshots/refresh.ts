import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { errorMessage } from '../platform/error-message.ts';
import { snapshotOf } from './compute.ts';
import { inHalves, readTogether } from './groups.ts';
import {
  type ListedMunicipality,
  listActiveMunicipalities,
  readMunicipalities,
} from './municipality-rows-table.ts';
import { packKey, packSnapshot } from './packed-format.ts';
import { readPackedLines, writePack } from './snapshot-store.ts';

/**
 * Puts the snapshot of every active municipality into KV, all true for the instant at which the run begins. Every value is written every
 * minute, changed or not: a report may read a value for half a minute after it was replaced, so that a minute left
 * out would make it older than reports take.
 *
 * A municipality that fails does not stop the others, keeps the snapshot that it had, and is logged. The run then
 * fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(env: Env, clock: () => Instant): Promise<void> {
  const run = new Run(env, clock);
  const municipalities = await listActiveMunicipalities(env.DB);
  await inHalves(
    readTogether(municipalities),
    (group) => run.take(group),
    (group, error) => run.fail(group, error),
  );
  await run.write(municipalities);
  run.finish(municipalities.length);
}

class Run {
  readonly #env: Env;
  readonly #clock: () => Instant;
  readonly #at: Instant;
  /** By municipality. */
  readonly #lines = new Map<string, string>();
  readonly #failures: unknown[] = [];

  constructor(env: Env, clock: () => Instant) {
    this.#env = env;
    this.#clock = clock;
    this.#at = clock();
  }

  /**
   * Makes the snapshots of a group. One that cannot be made of what was read has failed.
   *
   * @throws when the group cannot be read
   */
  async take(group: readonly ListedMunicipality[]): Promise<void> {
    const ids = group.map(({ id }) => id);
    const read = await readMunicipalities(this.#env.DB, ids, this.#at);
    const readAt = this.#clock();
    for (const municipality of group) {
      const rows = read.get(municipality.id);
      try {
        // One that was switched off a moment ago has no rows any more, and no snapshot.
        if (rows !== undefined) {
          this.#lines.set(municipality.code, packSnapshot(snapshotOf(rows, this.#at, readAt)));
        }
      } catch (error) {
        this.fail([municipality], error);
      }
    }
  }

  /** Writes every pack; in it, those that failed as they were in the pack before. */
  async write(municipalities: readonly ListedMunicipality[]): Promise<void> {
    const packs = Map.groupBy(municipalities, ({ code }) => packKey(code));
    await Promise.all([...packs].map(([key, members]) => this.#writePack(key, members)));
  }

  async #writePack(key: string, members: readonly ListedMunicipality[]): Promise<void> {
    const made = members.map(({ code }) => this.#lines.get(code)).filter((line) => line !== undefined);
    if (made.length === 0) {
      return;
    }
    const kept = await this.#keptLines(
      key,
      members.filter(({ code }) => !this.#lines.has(code)),
    );
    try {
      await writePack(this.#env.SNAPSHOTS, key, [...made, ...kept]);
    } catch (error) {
      this.fail(members, error);
    }
  }

  /** Where they cannot be read, the others are written without them. */
  async #keptLines(key: string, missing: readonly ListedMunicipality[]): Promise<readonly string[]> {
    if (missing.length === 0) {
      return [];
    }
    try {
      const codes = missing.map(({ code }) => code);
      return await readPackedLines(this.#env.SNAPSHOTS, key, codes);
    } catch (error) {
      this.fail(missing, error);
      return [];
    }
  }

  finish(municipalities: number): void {
    const made = this.#lines.size;
    console.log(
      JSON.stringify({ event: 'snapshots', at: new Date(this.#at).toISOString(), municipalities, made }),
    );
    if (this.#failures.length > 0) {
      throw new AggregateError(this.#failures, 'some municipalities have no new snapshot');
    }
  }

  /** Logs municipalities that are left without a new snapshot, and lets the run fail at its end. */
  fail(municipalities: readonly ListedMunicipality[], error: unknown): void {
    this.#failures.push(error);
    console.error(
      JSON.stringify({
        event: 'snapshot_failed',
        municipality_codes: municipalities.map(({ code }) => code),
        message: errorMessage(error),
      }),
    );
  }
}
