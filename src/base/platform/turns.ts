import { type Deadline, TimeoutError } from './deadline.ts';

interface Entry<Who> {
  readonly who: Who;
  seenAtMs: number;
  hasSlot: boolean;
}

/** Whether a call may have a slot along with the present holders. */
type Admits<Who> = (who: Who, holders: readonly Who[]) => boolean;

/**
 * Calls of one isolate that wait for a few slots: first come, first served, of those that may have one.
 *
 * Waiting calls ask again and again, and so do those that hold a slot. No call waits on a promise of another:
 * if that call's client goes away, the runtime may stop it between any two steps, and its promises would
 * never resolve. A call that has not asked for a while is forgotten, and its slot goes to the next.
 */
export class WaitingLine<Who extends object> {
  readonly #admits: Admits<Who>;
  readonly #forgottenAfterMs: number;
  #entries: Entry<Who>[] = [];

  /** @param forgottenAfterMs how long a call may stay silent, in milliseconds */
  constructor(admits: Admits<Who>, forgottenAfterMs: number) {
    this.#admits = admits;
    this.#forgottenAfterMs = forgottenAfterMs;
  }

  /**
   * Whether a call has a slot now. One that is not in the line yet, or was forgotten, is put at its end.
   *
   * @param nowMs of a clock that never goes back
   */
  hasSlot(who: Who, nowMs: number): boolean {
    this.#entries = this.#entries.filter(
      (entry) => entry.who === who || nowMs - entry.seenAtMs < this.#forgottenAfterMs,
    );
    let own = this.#entries.find((entry) => entry.who === who);
    if (own === undefined) {
      own = { who, seenAtMs: nowMs, hasSlot: false };
      this.#entries.push(own);
    }
    own.seenAtMs = nowMs;
    this.#giveSlots();
    return own.hasSlot;
  }

  /** How many are before a call in the line, those with a slot too. */
  countAhead(who: Who): number {
    return Math.max(
      0,
      this.#entries.findIndex((entry) => entry.who === who),
    );
  }

  leave(who: Who): void {
    this.#entries = this.#entries.filter((entry) => entry.who !== who);
  }

  #giveSlots(): void {
    const holders = this.#entries.filter(({ hasSlot }) => hasSlot).map(({ who }) => who);
    for (const entry of this.#entries) {
      if (!entry.hasSlot && this.#admits(entry.who, holders)) {
        entry.hasSlot = true;
        holders.push(entry.who);
      }
    }
  }
}

/**
 * How often the next call in the line asks for its slot. Calls further back ask less often, in proportion.
 */
const ASK_EVERY_MS = 5;
const ASK_AT_LEAST_EVERY_MS = 500;

/** Whose call it is. */
export interface Sender {
  readonly credentialId: string;
  readonly tenantId: number;
}

/** The slot of one call in a line. */
export class Slot {
  readonly sender: Sender;
  readonly #line: WaitingLine<Slot>;
  readonly #deadline: Deadline;
  #hasLeft = false;

  constructor(line: WaitingLine<Slot>, sender: Sender, deadline: Deadline) {
    this.#line = line;
    this.sender = sender;
    this.#deadline = deadline;
  }

  /**
   * Waits until the slot is this call's. Call it again before each step: if the slot was lost meanwhile, it
   * waits once more.
   *
   * @param meanwhile called after each vain attempt
   * @param maxMs how long to wait at most
   * @throws TimeoutError past that, and past the call's deadline
   * @throws Error once the call has left the slot: an abandoned step must not continue
   */
  async hold(meanwhile = () => {}, maxMs = Number.POSITIVE_INFINITY): Promise<void> {
    const endsAtMs = performance.now() + maxMs;
    while (!this.use()) {
      if (performance.now() >= endsAtMs) {
        throw new TimeoutError(`no slot became free within ${maxMs} ms`);
      }
      meanwhile();
      const askAfterMs = Math.min(ASK_EVERY_MS * this.#line.countAhead(this), ASK_AT_LEAST_EVERY_MS);
      await this.#deadline.race(scheduler.wait(Math.max(ASK_EVERY_MS, askAfterMs)));
    }
  }

  /** Shows that the call is still there, and returns whether it has the slot. */
  use(): boolean {
    if (this.#hasLeft) {
      throw new Error('the call has left its slot');
    }
    return this.#line.hasSlot(this, performance.now());
  }

  leave(): void {
    this.#hasLeft = true;
    this.#line.leave(this);
  }
}

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
