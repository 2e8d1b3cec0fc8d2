import { type Instant, instant } from '../../../src/domain/instant.ts';
import type { Heard } from '../calls/exchange.ts';
import type { GateEvent } from './events.ts';
import { type Clocks, learn, type ServiceClock, serviceTime, WRONG_CLOCK_MS } from './service-clock.ts';

/** Knows the service's time by its answers, and notices when the machine's clock is wrong. */
export class GateClock {
  readonly #clocks: () => Clocks;
  readonly #tell: (event: GateEvent) => void;
  #known: ServiceClock | null = null;
  #keptMs = 0;
  /** The difference that was reported last; 0 where the clock agrees. */
  #reportedMs = 0;

  constructor(clocks: () => Clocks, tell: (event: GateEvent) => void) {
    this.#clocks = clocks;
    this.#tell = tell;
  }

  /** The best estimate of the service's time. */
  now(): Instant {
    return instant(serviceTime(this.#known, this.#clocks(), this.#keptMs));
  }

  /** Milliseconds that the machine's clock is ahead of the service's; negative when it is behind. */
  aheadMs(): number {
    return Math.round(this.#clocks().wall - this.now());
  }

  /** The difference to store for the next run, if the clock is wrong. */
  toKeepMs(): number {
    return isWrong(this.aheadMs()) ? -this.aheadMs() : 0;
  }

  /**
   * Uses the difference of an earlier run until the service answers. It is not reported: the clock may have
   * been set since.
   */
  restore(serviceAheadMs: number): void {
    this.#keptMs = serviceAheadMs;
  }

  heard({ sentAt, receivedAt, serviceDate }: Heard): void {
    if (serviceDate === null) return;
    this.#known = learn(this.#known, { sentAt, receivedAt, serviceDate });
    this.#judge();
  }

  #judge(): void {
    const aheadMs = this.aheadMs();
    const foundMs = isWrong(aheadMs) ? aheadMs : 0;
    // Within half a minute of the last report, it is the same fault.
    if (foundMs !== 0 && !isWrong(foundMs - this.#reportedMs)) return;
    if (foundMs === this.#reportedMs) return;
    this.#reportedMs = foundMs;
    this.#tell(foundMs === 0 ? { type: 'clock_agrees' } : { type: 'clock_differs', aheadMs });
  }
}

function isWrong(aheadMs: number): boolean {
  return Math.abs(aheadMs) > WRONG_CLOCK_MS;
}
