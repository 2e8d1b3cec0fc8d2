import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { snapshotOf } from './compute.ts';
import {
  type ListedMunicipality,
  listActiveMunicipalities,
  readMunicipalities,
} from './municipality-rows-table.ts';
import { packKey, packSnapshot } from './packed-format.ts';
import { messageOf, readPackedLines, writePack } from './snapshot-store.ts';

/**
 * How much is read at once: few municipalities, so that the database answers others in between and their sessions fit
 * into memory; and enough of them that 1,000 municipalities take far less than D1's 1,000 queries.
 */
const MOST_MUNICIPALITIES = 25;
const MOST_AREAS = 1_000;
/** Of so many readings that fail together, each municipality is read by itself: of more, the database is away. */
const MOST_READ_AGAIN = 3;

/**
 * Puts the snapshot of every active municipality into KV, all true for the same instant. Every value is written every
 * minute, changed or not: a report may read a value for half a minute after it was replaced, so that a minute left
 * out would make it older than reports take.
 *
 * A municipality that fails does not stop the others, keeps the snapshot that it had, and is logged. The run then
 * fails at its end, so that the platform counts it as failed.
 */
export async function refreshSnapshots(env: Env, at: Instant): Promise<void> {
  const run = new Run(env, at);
  const municipalities = await listActiveMunicipalities(env.DB);
  for (const group of readTogether(municipalities)) {
    await run.take(group);
  }
  await run.write(municipalities);
  run.finish(municipalities.length);
}

/** Municipalities that are read at once, a big one by itself. */
export function readTogether(municipalities: readonly ListedMunicipality[]): ListedMunicipality[][] {
  const groups: ListedMunicipality[][] = [];
  let areas = 0;
  for (const municipality of municipalities) {
    const group = groups.at(-1);
    areas += municipality.areasCount;
    if (group !== undefined && group.length < MOST_MUNICIPALITIES && areas <= MOST_AREAS) {
      group.push(municipality);
    } else {
      groups.push([municipality]);
      areas = municipality.areasCount;
    }
  }
  return groups;
}

class Run {
  readonly #env: Env;
  readonly #at: Instant;
  /** By municipality. */
  readonly #lines = new Map<string, string>();
  readonly #failures: unknown[] = [];
  #readAgain = 0;

  constructor(env: Env, at: Instant) {
    this.#env = env;
    this.#at = at;
  }

  /** Makes the snapshots of a group. When it cannot be read as a whole, each is read by itself. */
  async take(group: readonly ListedMunicipality[]): Promise<void> {
    try {
      await this.#takeTogether(group);
    } catch (error) {
      if (group.length === 1 || this.#readAgain === MOST_READ_AGAIN) {
        this.#failed(group, error);
        return;
      }
      this.#readAgain += 1;
      for (const municipality of group) {
        await this.take([municipality]);
      }
    }
  }

  async #takeTogether(group: readonly ListedMunicipality[]): Promise<void> {
    const ids = group.map(({ id }) => id);
    const read = await readMunicipalities(this.#env.DB, ids, this.#at);
    for (const municipality of group) {
      const rows = read.get(municipality.id);
      try {
        // One that was switched off a moment ago has no rows any more, and no snapshot.
        if (rows !== undefined) {
          this.#lines.set(municipality.code, packSnapshot(snapshotOf(rows, this.#at)));
        }
      } catch (error) {
        this.#failed([municipality], error);
      }
    }
  }

  /** Writes every pack; in it, those that failed as they were in the pack before. */
  async write(municipalities: readonly ListedMunicipality[]): Promise<void> {
    const packs = Map.groupBy(municipalities, ({ code }) => packKey(code));
    await Promise.all([...packs].map(([key, members]) => this.#writePack(key, members)));
  }

  async #writePack(key: string, members: readonly ListedMunicipality[]): Promise<void> {
    const kv = this.#env.SNAPSHOTS;
    const made = members.map(({ code }) => this.#lines.get(code)).filter((line) => line !== undefined);
    if (made.length === 0) {
      return;
    }
    try {
      const missing = members.map(({ code }) => code).filter((code) => !this.#lines.has(code));
      const kept = missing.length === 0 ? [] : await readPackedLines(kv, key, missing);
      await writePack(kv, key, [...made, ...kept]);
    } catch (error) {
      this.#failed(members, error);
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

  #failed(municipalities: readonly ListedMunicipality[], error: unknown): void {
    this.#failures.push(error);
    console.error(
      JSON.stringify({
        event: 'snapshot_failed',
        municipality_codes: municipalities.map(({ code }) => code),
        message: messageOf(error),
      }),
    );
  }
}
