import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { computeSnapshots } from './compute.ts';
import type { Municipality } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/** A computation that takes longer may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;
const KEPT_FOR_MS = 30 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_KEPT = 20;

interface Computation {
  readonly startedAt: Instant;
  readonly snapshot: Promise<Snapshot>;
  servesMs: number;
}

/** Computes a snapshot when a report finds none in KV: once at a time in an isolate, which keeps it for a while. */
export class OnDemandSnapshots {
  /** By municipality's code. */
  readonly #last = new Memo<string, Computation>(MAX_KEPT);

  compute(
    db: D1Database,
    municipality: Municipality,
    now: Instant,
    execution: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Snapshot> {
    const { code } = municipality;
    const last = this.#last.get(code);
    if (last !== undefined && now - last.startedAt < last.servesMs) return last.snapshot;
    const snapshot = computeSnapshot(db, municipality, now);
    const started: Computation = { startedAt: now, snapshot, servesMs: SHARED_FOR_MS };
    this.#last.set(code, started);
    const done = () => {
      started.servesMs = KEPT_FOR_MS;
    };
    // It continues after the call that started it has ended: others may be waiting for it. What failed is not kept.
    execution.waitUntil(snapshot.then(done, () => this.#last.delete(code)));
    return snapshot;
  }
}

async function computeSnapshot(db: D1Database, municipality: Municipality, now: Instant): Promise<Snapshot> {
  const [snapshot] = await computeSnapshots(db, [municipality], now, () => now);
  return snapshot ?? Promise.reject(new Error('the snapshot of a municipality was not computed'));
}
