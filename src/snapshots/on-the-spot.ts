import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { errorMessage } from '../platform/error-message.ts';
import { snapshotOf } from './compute.ts';
import { readMunicipalities } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';
import { keepSnapshot } from './snapshot-store.ts';

/** One that has not ended by then may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;

type Execution = { waitUntil(promise: Promise<unknown>): void };

interface Running {
  readonly startedAt: Instant;
  readonly snapshot: Promise<Snapshot | null>;
}

/**
 * Makes snapshots for the reports that find none: the calls of an isolate that come together share one computation,
 * and its result is kept for others.
 */
export class SnapshotsOnTheSpot {
  /** By municipality. */
  readonly #running = new Map<number, Running>();

  /**
   * The snapshot of a municipality, as the primary database has it now.
   *
   * @returns null for a municipality that is not active any more
   */
  make(env: Env, municipalityId: number, now: Instant, execution: Execution): Promise<Snapshot | null> {
    const running = this.#running.get(municipalityId);
    if (running !== undefined && now - running.startedAt < SHARED_FOR_MS) {
      return running.snapshot;
    }
    const started: Running = { startedAt: now, snapshot: compute(env, municipalityId, now) };
    this.#running.set(municipalityId, started);
    // It goes on when the call that started it is gone: others may wait for it.
    execution.waitUntil(this.#end(env, municipalityId, started));
    return started.snapshot;
  }

  async #end(env: Env, municipalityId: number, started: Running): Promise<void> {
    try {
      const snapshot = await started.snapshot;
      this.#forget(municipalityId, started);
      if (snapshot !== null) {
        await keepSnapshot(env.SNAPSHOTS, snapshot);
      }
    } catch (error) {
      // Whoever waits for the snapshot hears of its failure; that it was not kept costs the next call a computation.
      this.#forget(municipalityId, started);
      console.warn(
        JSON.stringify({
          event: 'snapshot_not_kept',
          municipality_id: municipalityId,
          message: errorMessage(error),
        }),
      );
    }
  }

  #forget(municipalityId: number, started: Running): void {
    if (this.#running.get(municipalityId) === started) {
      this.#running.delete(municipalityId);
    }
  }
}

async function compute(env: Env, municipalityId: number, now: Instant): Promise<Snapshot | null> {
  const rows = (await readMunicipalities(env.DB, [municipalityId], now)).get(municipalityId);
  return rows === undefined ? null : snapshotOf(rows, now, now);
}
