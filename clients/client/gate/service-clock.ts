/** The difference from which on the gate's clock is called wrong. */
export const WRONG_CLOCK_MS = 30_000;

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
export interface DatedAnswer {
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
