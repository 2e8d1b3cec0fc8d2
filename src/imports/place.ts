import type { Deadline } from '../platform/deadline.ts';
import { WaitingLine } from './waiting-line.ts';

/** A place that is not used for so long passes on: its holder may be gone. */
export const IDLE_MS = 10_000;
/** How often a waiting call asks for its place. */
const ASK_EVERY_MS = 20;
/** Bodies of 8 MiB that may be in memory beside the import that is stored. */
const MOST_BODIES = 4;

/** The places of one isolate, which has 128 MB: bodies arrive side by side, and one import is parsed and stored. */
export class ImportPlaces {
  readonly bodies = new WaitingLine(MOST_BODIES, IDLE_MS);
  readonly storing = new WaitingLine(1, IDLE_MS);
}

/** The place of one call in a line. */
export class Place {
  readonly #line: WaitingLine;
  readonly #deadline: Deadline;
  #hasLeft = false;

  constructor(line: WaitingLine, deadline: Deadline) {
    this.#line = line;
    this.#deadline = deadline;
  }

  /**
   * Waits until the place is this call's. To be called again before each step: a place that has passed on meanwhile is
   * waited for once more.
   *
   * @param meanwhile done each time that the place is asked for in vain
   * @throws TimeoutError past the call's deadline
   * @throws Error once the place has been left: a step that was given up must not go on
   */
  async hold(meanwhile = () => {}): Promise<void> {
    while (!this.use()) {
      meanwhile();
      await this.#deadline.race(scheduler.wait(ASK_EVERY_MS));
    }
  }

  /** Shows that the call is there, and tells whether it has the place. */
  use(): boolean {
    if (this.#hasLeft) {
      throw new Error('the call has left its place');
    }
    return this.#line.hasPlace(this, performance.now());
  }

  leave(): void {
    this.#hasLeft = true;
    this.#line.leave(this);
  }
}
