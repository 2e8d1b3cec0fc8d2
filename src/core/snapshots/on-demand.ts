import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import type { Env } from '../../env.ts';
import { snapshotOf } from './compute.ts';
import { readMunicipalities } from './municipality-rows-table.ts';
import { isRecent, type Snapshot } from './snapshot.ts';
import { readSnapshot, storeOnDemandSnapshot } from './snapshot-store.ts';

/** A computation that takes longer may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;

/** Municipalities whose last result is kept in memory. A big city's snapshot takes a megabyte. */
const MAX_KEPT = 20;

type Execution = { waitUntil(promise: Promise<unknown>): void };

interface Computation {
  readonly startedAt: Instant;
  readonly snapshot: Promise<Snapshot | null>;
}

interface Computed {
  readonly snapshot: Snapshot;
  /** Whether it has reached KV. */
  isStored: boolean;
}

/**
 * Computes a snapshot when a report finds none in KV. Calls that arrive at an isolate together share one computation, and
 * its result is stored in KV for other isolates. While KV cannot be reached, the isolate answers from its own last result,
 * so that not every report costs a computation.
 */
export class OnDemandSnapshots {
  /** By municipality's id. */
  readonly #running = new Map<number, Computation>();
  /** By municipality's code. */
  readonly #last = new Memo<string, Computed>(MAX_KEPT);

  /**
   * A snapshot that a report may answer from: the one in KV, or this isolate's last one if KV cannot be read or has not
   * stored it. If KV has none, that is final: a change of the configuration deletes snapshots there.
   *
   * @param isUsable whether a recent snapshot may be used
   */
  async find(
    { SNAPSHOTS }: Pick<Env, 'SNAPSHOTS'>,
    code: string,
    now: Instant,
    isUsable: (snapshot: Snapshot) => boolean = () => true,
  ): Promise<Snapshot | null> {
    let isReadable = true;
    const stored = await readSnapshot(SNAPSHOTS, code, now, isUsable, () => {
      isReadable = false;
    });
    if (stored !== null) {
      return stored;
    }
    const last = this.#last.get(code);
    if (last === undefined || (last.isStored && isReadable)) {
      return null;
    }
    return isRecent(last.snapshot, now) && isUsable(last.snapshot) ? last.snapshot : null;
  }

  /**
   * Computes the snapshot of a municipality from the database.
   *
   * @returns null if the municipality is no longer active
   */
  compute(
    { DB, SNAPSHOTS }: Pick<Env, 'DB' | 'SNAPSHOTS'>,
    municipalityId: number,
    now: Instant,
    execution: Execution,
  ): Promise<Snapshot | null> {
    const running = this.#running.get(municipalityId);
    if (running !== undefined && now - running.startedAt < SHARED_FOR_MS) {
      return running.snapshot;
    }
    const started: Computation = {
      startedAt: now,
      snapshot: computeSnapshot(DB, municipalityId, now),
    };
    this.#running.set(municipalityId, started);
    // It continues after the call that started it has ended: others may be waiting for it.
    execution.waitUntil(this.#finish(SNAPSHOTS, municipalityId, started));
    return started.snapshot;
  }

  async #finish(snapshots: KVNamespace, municipalityId: number, started: Computation): Promise<void> {
    try {
      const snapshot = await started.snapshot;
      this.#remove(municipalityId, started);
      if (snapshot !== null) {
        const computed: Computed = { snapshot, isStored: false };
        this.#last.set(snapshot.municipality.code, computed);
        await storeOnDemandSnapshot(snapshots, snapshot);
        computed.isStored = true;
      }
    } catch (error) {
      // A failed computation also rejects for the calls that wait for it. A snapshot that could not be stored only costs
      // other isolates a computation.
      this.#remove(municipalityId, started);
      logEvent('warn', 'snapshot_not_kept', {
        municipality_id: municipalityId,
        message: errorMessage(error),
      });
    }
  }

  #remove(municipalityId: number, started: Computation): void {
    if (this.#running.get(municipalityId) === started) {
      this.#running.delete(municipalityId);
    }
  }
}

async function computeSnapshot(
  db: D1Database,
  municipalityId: number,
  now: Instant,
): Promise<Snapshot | null> {
  const rows = (await readMunicipalities(db, [municipalityId], now)).get(municipalityId);
  return rows === undefined ? null : snapshotOf(rows, now, now);
}
