import type { Deadline } from './deadline.ts';
import { type Sender, Slot } from './slot.ts';
import { WaitingLine } from './waiting-line.ts';

/** Longer work loses its turn: the runtime may have stopped it. */
const FORGOTTEN_AFTER_MS = 2_000;
/** A tenant that has called within this time counts as present. */
const CALLS_AGAIN_WITHIN_MS = 1_000;
/**
 * While others call, a tenant rests as long as its piece took, at most this long: so a distant database does
 * not slow an import down further.
 */
const MAX_REST_MS = 50;

interface Called {
  readonly tenantId: number;
  readonly atMs: number;
}

/** The pieces of one tenant: a line of its own, however many others wait. */
class TenantLine {
  restsUntilMs = 0;
  readonly line = new WaitingLine<Slot>(
    (_, holders) => holders.length === 0 && performance.now() >= this.restsUntilMs,
    FORGOTTEN_AFTER_MS,
  );
}

/**
 * The heavy work of one isolate: of each tenant one piece at a time, so that a tenant that asks for much at once waits for
 * itself, and the gates of others for one piece at most. While others call, it leaves them time between two pieces.
 */
export class TenantTurns {
  readonly #tenants = new Map<number, TenantLine>();
  /** The latest call, and the latest of any other tenant. */
  #latest: readonly Called[] = [];

  /** Notes that a tenant has called, whatever it asks for. */
  noteCall(tenantId: number): void {
    const other = this.#latest.find((called) => called.tenantId !== tenantId);
    this.#latest = [{ tenantId, atMs: performance.now() }, ...(other ? [other] : [])];
  }

  /**
   * Does a piece of work once no other of the tenant's is being done.
   *
   * @param meanwhile done each time that the turn is asked for in vain
   * @throws TimeoutError past the call's deadline
   */
  async take<T>(
    sender: Sender,
    deadline: Deadline,
    work: () => Promise<T>,
    meanwhile = () => {},
  ): Promise<T> {
    const tenant = this.#tenants.getOrInsertComputed(sender.tenantId, () => new TenantLine());
    const turn = new Slot(tenant.line, sender, deadline);
    try {
      await turn.hold(meanwhile);
      const begunAtMs = performance.now();
      try {
        return await work();
      } finally {
        const endedAtMs = performance.now();
        if (this.#othersCall(sender.tenantId, endedAtMs)) {
          tenant.restsUntilMs = endedAtMs + Math.min(endedAtMs - begunAtMs, MAX_REST_MS);
        }
      }
    } finally {
      turn.leave();
    }
  }

  #othersCall(tenantId: number, nowMs: number): boolean {
    return this.#latest.some(
      (called) => called.tenantId !== tenantId && nowMs - called.atMs < CALLS_AGAIN_WITHIN_MS,
    );
  }
}
