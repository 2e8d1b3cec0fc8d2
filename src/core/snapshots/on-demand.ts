import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { snapshotOf } from './compute.ts';
import { listActiveMunicipalities, readRows } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/** A computation that takes longer may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;
const KEPT_FOR_MS = 30 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_KEPT = 20;

interface Computation {
  readonly startedAt: Instant;
  readonly snapshot: Promise<Snapshot | null>;
  servesMs: number;
}

/** Computes a snapshot when a report finds none in KV: once at a time in an isolate, which keeps it for a while. */
export class OnDemandSnapshots {
  /** By municipality's code. */
  readonly #last = new Memo<string, Computation>(MAX_KEPT);

  /** @returns null if no municipality with this code is active */
  compute(
    db: D1Database,
    code: string,
    now: Instant,
    execution: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Snapshot | null> {
    const last = this.#last.get(code);
    if (last !== undefined && now - last.startedAt < last.servesMs) return last.snapshot;
    const snapshot = computeSnapshot(db, code, now);
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

async function computeSnapshot(db: D1Database, code: string, now: Instant): Promise<Snapshot | null> {
  const [rows] = await readRows(db, await listActiveMunicipalities(db, [code]), now);
  return rows === undefined ? null : snapshotOf(rows, now, now);
}
