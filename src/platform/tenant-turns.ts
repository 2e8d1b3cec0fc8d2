import type { Deadline } from './deadline.ts';
import { Place, type Sender } from './place.ts';
import { WaitingLine } from './waiting-line.ts';

/** Work that is not done by then keeps nobody waiting any longer: the runtime may have stopped it. */
const FORGOTTEN_AFTER_MS = 2_000;

/**
 * The heavy work of one isolate: of each tenant one piece at a time, so that a tenant that asks for much at once waits for
 * itself, and the gates of others for one piece at most.
 */
export class TenantTurns {
  readonly #line = new WaitingLine<Place>(
    ({ sender }, holders) => holders.every((holder) => holder.sender.tenantId !== sender.tenantId),
    FORGOTTEN_AFTER_MS,
  );

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
    const turn = new Place(this.#line, sender, deadline);
    try {
      await turn.hold(meanwhile);
      return await work();
    } finally {
      turn.leave();
    }
  }
}
