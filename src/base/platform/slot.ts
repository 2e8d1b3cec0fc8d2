import { type Deadline, TimeoutError } from './deadline.ts';
import type { WaitingLine } from './waiting-line.ts';

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
