import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { snapshotOf } from './compute.ts';
import { readMunicipalities } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/** A computation that takes longer may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;
const KEPT_FOR_MS = 30 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_KEPT = 20;

interface Computation {
  readonly startedAt: Instant;
  readonly snapshot: Promise<Snapshot>;
  isDone: boolean;
}

/** Computes a snapshot when a report finds none in KV: once at a time in an isolate, which keeps it for a while. */
export class OnDemandSnapshots {
  /** By municipality's id. */
  readonly #last = new Memo<number, Computation>(MAX_KEPT);

  /** @throws Error if the municipality is no longer active */
  compute(
    db: D1Database,
    municipalityId: number,
    now: Instant,
    execution: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Snapshot> {
    const last = this.#last.get(municipalityId);
    const servesMs = last?.isDone ? KEPT_FOR_MS : SHARED_FOR_MS;
    if (last !== undefined && now - last.startedAt < servesMs) return last.snapshot;
    const snapshot = computeSnapshot(db, municipalityId, now);
    const started: Computation = { startedAt: now, snapshot, isDone: false };
    this.#last.set(municipalityId, started);
    const done = () => {
      started.isDone = true;
    };
    // It continues after the call that started it has ended: others may be waiting for it. What failed is not kept.
    execution.waitUntil(snapshot.then(done, () => this.#last.delete(municipalityId)));
    return snapshot;
  }
}

async function computeSnapshot(db: D1Database, municipalityId: number, now: Instant): Promise<Snapshot> {
  const rows = (await readMunicipalities(db, [municipalityId], now)).get(municipalityId);
  if (rows === undefined)
    throw new Error('the municipality was switched off while its snapshot was computed');
  return snapshotOf(rows, now, now);
}
