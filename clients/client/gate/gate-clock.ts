import { type Instant, instant } from '../../../src/domain/instant.ts';
import type { GateEvent } from './events.ts';

/** The difference from which on the machine's clock is called wrong. */
const WRONG_CLOCK_MS = 30_000;

/**
 * Knows the service's time by the `Date` of its answers, and notices when the machine's clock is wrong. Between two
 * answers it counts on the steady clock (`performance.now()`), which nobody can set.
 */
export class GateClock {
  readonly #wallClock: () => number;
  readonly #tell: (event: GateEvent) => void;
  /** How far the service's clock is ahead of the steady one; null before the first answer. */
  #serviceAheadMs: number | null = null;
  /** The difference that was reported last; 0 where the clock agrees. */
  #reportedMs = 0;

  constructor(wallClock: () => number, tell: (event: GateEvent) => void) {
    this.#wallClock = wallClock;
    this.#tell = tell;
  }

  /** The machine's time, or the service's where the machine's is wrong. */
  now(): Instant {
    return instant(Math.round(this.#wallClock() - this.aheadMs()));
  }

  /** Milliseconds that the machine's clock is ahead of the service's, negative if behind; 0 if it is not wrong. */
  aheadMs(): number {
    if (this.#serviceAheadMs === null) return 0;
    const aheadMs = Math.round(this.#wallClock() - performance.now() - this.#serviceAheadMs);
    return isWrong(aheadMs) ? aheadMs : 0;
  }

  /** @param serviceAheadMs how far the service's clock is ahead of `performance.now()`, by its newest answer */
  heard(serviceAheadMs: number): void {
    this.#serviceAheadMs = serviceAheadMs;
    const aheadMs = this.aheadMs();
    // Within half a minute of the last report, it is the same fault.
    if (aheadMs !== 0 && !isWrong(aheadMs - this.#reportedMs)) return;
    if (aheadMs === this.#reportedMs) return;
    this.#reportedMs = aheadMs;
    this.#tell(aheadMs === 0 ? { type: 'clock_agrees' } : { type: 'clock_differs', aheadMs });
  }
}

function isWrong(aheadMs: number): boolean {
  return Math.abs(aheadMs) > WRONG_CLOCK_MS;
}
