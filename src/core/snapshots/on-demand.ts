import { type Instant, instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import type { Call } from '../../serving/call.ts';
import { computeSnapshots } from './compute.ts';
import type { Municipality } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/** A computation that takes longer may have died with the call that started it: the next call starts another. */
const SHARED_FOR_MS = 5 * SECOND_MS;
const KEPT_FOR_MS = 30 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_KEPT = 20;

interface Computation {
  readonly snapshot: Promise<Snapshot>;
  servesUntil: Instant;
}

/** Computes a snapshot when a report finds none in KV: once at a time in an isolate, which keeps it for a while. */
export class OnDemandSnapshots {
  /** By municipality's code. */
  readonly #last = new Memo<string, Computation>(MAX_KEPT);

  compute(c: Call, municipality: Municipality): Promise<Snapshot> {
    const { code } = municipality;
    const now = c.get('now');
    const last = this.#last.get(code);
    if (last !== undefined && now < last.servesUntil) return last.snapshot;
    const computing = computeSnapshots(c.env.DB, [municipality], now, () => now);
    // It computes one of each municipality that it is given.
    const snapshot = computing.then(([only]) => only as Snapshot);
    const started: Computation = { snapshot, servesUntil: instant(now + SHARED_FOR_MS) };
    this.#last.set(code, started);
    const done = () => {
      started.servesUntil = instant(now + KEPT_FOR_MS);
    };
    const failed = () => {
      started.servesUntil = now;
    };
    // It continues after the call that started it has ended: others may be waiting for it. What failed is not kept.
    c.executionCtx.waitUntil(snapshot.then(done, failed));
    return snapshot;
  }
}
