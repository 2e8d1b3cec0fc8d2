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
  readonly snapshot: Promise<Snapshot | null>;
  isDone: boolean;
}

/** Computes a snapshot when a report finds none in KV: once at a time in an isolate, which keeps it for a while. */
export class OnDemandSnapshots {
  /** By municipality's id. */
  readonly #last = new Memo<number, Computation>(MAX_KEPT);

  /** @returns null if the municipality is no longer active */
  compute(
    db: D1Database,
    municipalityId: number,
    now: Instant,
    execution: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Snapshot | null> {
    const last = this.#last.get(municipalityId);
    const servesMs = last?.isDone ? KEPT_FOR_MS : SHARED_FOR_MS;
    if (last !== undefined && now - last.startedAt < servesMs) return last.snapshot;
    const started: Computation = {
      startedAt: now,
      snapshot: computeSnapshot(db, municipalityId, now),
      isDone: false,
    };
    this.#last.set(municipalityId, started);
    // It continues after the call that started it has ended: others may be waiting for it.
    execution.waitUntil(this.#finish(municipalityId, started));
    return started.snapshot;
  }

  /** What failed, or found nothing, is not kept. */
  async #finish(municipalityId: number, started: Computation): Promise<void> {
    const snapshot = await started.snapshot.catch(() => null);
    started.isDone = true;
    if (snapshot === null && this.#last.get(municipalityId) === started) this.#last.delete(municipalityId);
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
