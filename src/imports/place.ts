import { type Deadline, TimeoutError } from '../platform/deadline.ts';
import { WaitingLine } from './waiting-line.ts';

/** A place that is not used for this long goes to the next call: its holder may be gone. */
const IDLE_MS = 10_000;
/** How often a waiting call asks for its place. */
const ASK_EVERY_MS = 20;
/** Bodies of 8 MiB that may be in memory along with the import being stored. */
const MOST_BODIES = 4;
const MOST_BODIES_OF_TENANT = 2;

/** Whose file it is. */
interface Sender {
  readonly credentialId: string;
  readonly tenantId: number;
}

/**
 * Whether a body may arrive along with others: one of a credential, two of a tenant, and the last free place is for a
 * tenant that has none, so that nobody's slow bodies stop the imports of everybody else.
 */
export function mayArrive({ credentialId, tenantId }: Sender, arriving: readonly Sender[]): boolean {
  const ofTenant = arriving.filter((other) => other.tenantId === tenantId).length;
  const isLastPlace = arriving.length === MOST_BODIES - 1;
  return (
    arriving.length < MOST_BODIES &&
    arriving.every((other) => other.credentialId !== credentialId) &&
    ofTenant < MOST_BODIES_OF_TENANT &&
    !(isLastPlace && ofTenant > 0)
  );
}

/** The places of one isolate, which has 128 MB: bodies arrive side by side, and one import is parsed and stored. */
export class ImportPlaces {
  readonly bodies = new WaitingLine<Place>(
    (place, holders) =>
      mayArrive(
        place.sender,
        holders.map(({ sender }) => sender),
      ),
    IDLE_MS,
  );
  readonly storing = new WaitingLine<Place>((_, holders) => holders.length === 0, IDLE_MS);
}

/** The place of one call in a line. */
export class Place {
  readonly sender: Sender;
  readonly #line: WaitingLine<Place>;
  readonly #deadline: Deadline;
  #hasLeft = false;

  constructor(line: WaitingLine<Place>, sender: Sender, deadline: Deadline) {
    this.#line = line;
    this.sender = sender;
    this.#deadline = deadline;
  }

  /**
   * Waits until the place is this call's. To be called again before each step: a place that has passed on meanwhile is
   * waited for once more.
   *
   * @param meanwhile done each time that the place is asked for in vain
   * @param mostMs how long to wait at most
   * @throws TimeoutError past that, and past the call's deadline
   * @throws Error once the place has been left: a step that was given up must not go on
   */
  async hold(meanwhile = () => {}, mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const endsAtMs = performance.now() + mostMs;
    while (!this.use()) {
      if (performance.now() >= endsAtMs) {
        throw new TimeoutError(`no place became free within ${mostMs} ms`);
      }
      meanwhile();
      await this.#deadline.race(scheduler.wait(ASK_EVERY_MS));
    }
  }

  /** Shows that the call is still there, and returns whether it has the place. */
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
