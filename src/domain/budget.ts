import { type Instant, instant } from './instant.ts';
import {
  decideCall,
  latestInstant,
  ONE_CALL,
  type RateDecision,
  type RatePolicy,
  type RateState,
  type Spend,
} from './rate-window.ts';

/**
 * A stored budget. Not every call is written: one write reserves some calls ahead, which then pass without
 * another.
 *
 * The stored count is an upper bound of the used calls. So a loss of memory can only make the budget
 * stricter, and by no more calls than can be reserved at a time.
 */
export interface Budget {
  readonly runs: RateState;
  /**
   * In memory: the calls that may still pass without a write. In storage: the calls that may have passed since the
   * write.
   */
  readonly reserved: number;
  /** The last instant at which a reserved call may pass. */
  readonly reservedUntil: Instant;
}

const NO_RESERVATION = instant(0);

export const UNUSED_BUDGET: Budget = { runs: [], reserved: 0, reservedUntil: NO_RESERVATION };

/** A fiftieth of the limit may be reserved ahead. */
const RESERVABLE_PART = 50;
/** A reservation lasts for a tenth of the window. */
const RESERVED_FOR_PART = 10;

interface Spending {
  readonly decision: RateDecision;
  /** For memory. */
  readonly budget: Budget;
  /** For storage, before the call is answered. Null if the stored reservation covers the call. */
  readonly toStore: Budget | null;
}

/** Decides one call, as {@link decideCall} does. A call that does not pass changes nothing. */
export function spend(budget: Budget, policy: RatePolicy, now: Instant, what: Spend = ONE_CALL): Spending {
  const decision = decideCall(budget.runs, policy, now, what);
  if (!decision.passes) {
    return { decision, budget, toStore: null };
  }
  const runs = decision.state;
  // The instant by which the call was decided.
  const at = latestInstant(runs, now);
  if (budget.reserved >= what.cost && at <= budget.reservedUntil) {
    return { decision, budget: { ...budget, runs, reserved: budget.reserved - what.cost }, toStore: null };
  }
  const stored = {
    runs,
    reserved: what.reserves === false ? 0 : reservable(decision, policy),
    reservedUntil: instant(at + (policy.windowSeconds * 1000) / RESERVED_FOR_PART),
  };
  return { decision, budget: stored, toStore: stored };
}

/**
 * The budget after a loss of memory, made from the stored one. Each reserved call may have passed at any time
 * until now, or until the reservation ended: it is assumed to have passed at the latest of these times.
 */
export function restoreBudget(stored: Budget, now: Instant): Budget {
  const { runs, reserved, reservedUntil } = stored;
  if (reserved === 0) {
    return stored;
  }
  const at = latestInstant(runs, instant(Math.min(now, reservedUntil)));
  return withoutReservation({
    ...stored,
    runs: [...runs, { first: at, last: at, count: reserved, assumed: true }],
  });
}

/** The budget with nothing reserved, for storage before its policy changes. */
export const withoutReservation = ({ runs }: Budget): Budget => ({
  runs,
  reserved: 0,
  reservedUntil: NO_RESERVATION,
});

/**
 * How many calls may be reserved. Never more than are left, so that a client that waits as long as `Retry-After` says is
 * admitted even after a loss of memory. Assumed calls are subtracted, so that many losses cost no more than one.
 */
function reservable({ state, remaining }: RateDecision, { limit }: RatePolicy): number {
  const assumed = state.reduce((sum, run) => sum + (run.assumed ? run.count : 0), 0);
  return Math.max(0, Math.min(Math.floor(limit / RESERVABLE_PART) - assumed, remaining));
}
