import { type Instant, instant } from './instant.ts';
import { decideCall, latest, type RateDecision, type RatePolicy, type RateState } from './rate-window.ts';

/**
 * A budget as it is kept. Not every call is stored: some are reserved ahead, in one write, and pass without another.
 *
 * What is stored is an upper bound of what was used, so that whoever loses their memory can only become stricter, and by
 * no more than what may be reserved at a time.
 */
export interface Budget {
  readonly runs: RateState;
  /** In memory: calls that may still pass before anything is stored. Stored: calls that may have passed since. */
  readonly reserved: number;
  /** The last instant at which a reserved call may pass. */
  readonly reservedUntil: Instant;
}

const NO_RESERVATION = instant(0);

export const UNUSED_BUDGET: Budget = { runs: [], reserved: 0, reservedUntil: NO_RESERVATION };

/** The part of a limit that may be reserved ahead. */
const RESERVABLE_PART = 50;
/** The part of a window for which it is: what was reserved long ago is no matter of today. */
const RESERVED_FOR_PART = 10;

export interface Spending {
  readonly decision: RateDecision;
  /** To be kept in memory. */
  readonly budget: Budget;
  /** To be stored before the call is answered; null where what is stored covers the call already. */
  readonly toStore: Budget | null;
}

/** Decides one call, as {@link decideCall} does. A call that does not pass changes nothing. */
export function spend(budget: Budget, policy: RatePolicy, now: Instant): Spending {
  const decision = decideCall(budget.runs, policy, now);
  if (!decision.passes) {
    return { decision, budget, toStore: null };
  }
  const runs = decision.state;
  // The call's own instant, by which it was decided.
  const at = latest(runs, now);
  if (budget.reserved > 0 && at <= budget.reservedUntil) {
    return { decision, budget: { ...budget, runs, reserved: budget.reserved - 1 }, toStore: null };
  }
  const stored = {
    runs,
    reserved: reservable(decision, policy),
    reservedUntil: instant(at + (policy.windowSeconds * 1000) / RESERVED_FOR_PART),
  };
  return { decision, budget: stored, toStore: stored };
}

/**
 * The budget of a memory that begins with what was stored. Any reserved call may have passed until this moment, or until
 * the reservation ended: it is taken to have passed then.
 */
export function restored(stored: Budget, now: Instant): Budget {
  const { runs, reserved, reservedUntil } = stored;
  if (reserved === 0) {
    return stored;
  }
  const at = latest(runs, instant(Math.min(now, reservedUntil)));
  return withoutReservation({
    ...stored,
    runs: [...runs, { first: at, last: at, count: reserved, assumed: true }],
  });
}

/** The budget with nothing reserved: to be stored before its policy changes. */
export const withoutReservation = ({ runs }: Budget): Budget => ({
  runs,
  reserved: 0,
  reservedUntil: NO_RESERVATION,
});

/**
 * Never more than is left, so that a client that waits as long as it was told passes also after a loss of memory; and
 * calls that were only assumed count, so that many losses cost no more than one.
 */
function reservable({ state, remaining }: RateDecision, { limit }: RatePolicy): number {
  const assumed = state.reduce((sum, run) => sum + (run.assumed ? run.count : 0), 0);
  return Math.max(0, Math.min(Math.floor(limit / RESERVABLE_PART) - assumed, remaining));
}
