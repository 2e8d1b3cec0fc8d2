import { type Instant, instant } from '../../../src/domain/instant.ts';
import type { Heard } from '../calls/exchange.ts';
import type { GateEvent } from './events.ts';

/** The difference from which on the gate's clock is called wrong. */
const WRONG_CLOCK_MS = 30_000;

/** The service's `Date` has no fraction: the instant was up to a second later. */
const DATE_STEP_MS = 1_000;

/**
 * The estimate of the service's clock: how far it is ahead of a steady one (`performance.now()`), as the
 * narrowest range that all answers so far agree with. Null before the first answer.
 */
export interface ServiceClock {
  readonly aheadFrom: number;
  readonly aheadUntil: number;
}

/** An answer: when its request left and when it came, by the steady clock, and the service's `Date`. */
interface DatedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serviceDate: number;
}

/** The two clocks of the machine, read together. The wall clock may jump, the steady one has no date. */
export interface Clocks {
  readonly wall: number;
  readonly steady: number;
}

/**
 * Learns from an answer. The service wrote its `Date` between sending and receiving, so each answer bounds the
 * difference; one that contradicts the earlier ones counts alone, since a clock was set meanwhile.
 */
export function learn(clock: ServiceClock | null, answer: DatedAnswer): ServiceClock {
  const seen = {
    aheadFrom: answer.serviceDate - answer.receivedAt,
    aheadUntil: answer.serviceDate + DATE_STEP_MS - answer.sentAt,
  };
  if (clock === null) return seen;
  const both = {
    aheadFrom: Math.max(clock.aheadFrom, seen.aheadFrom),
    aheadUntil: Math.min(clock.aheadUntil, seen.aheadUntil),
  };
  return both.aheadFrom <= both.aheadUntil ? both : seen;
}

/**
 * The service's time now. If the wall clock agrees with all answers, it is used unchanged. Before the first
 * answer, the stored difference of an earlier run is added.
 *
 * @param keptMs how far the service was ahead of the wall clock in an earlier run
 * @returns whole milliseconds since the epoch
 */
export function serviceTime(clock: ServiceClock | null, { wall, steady }: Clocks, keptMs = 0): number {
  if (clock === null) return Math.round(wall + keptMs);
  const isRight = clock.aheadFrom <= wall - steady && wall - steady <= clock.aheadUntil;
  return Math.round(isRight ? wall : steady + (clock.aheadFrom + clock.aheadUntil) / 2);
}

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
