import { type Instant, instant } from './instant.ts';

/** At most `limit` calls within any stretch of `windowSeconds`, however it is placed. */
export interface RatePolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * Calls that passed close together: `count` of them, from `first` to `last`. The whole run counts until its last call
 * has left the window, so that merging calls can only make the budget stricter.
 */
export interface Run {
  readonly first: Instant;
  readonly last: Instant;
  readonly count: number;
  /** These calls may never have been made. No real call is merged into them. */
  readonly assumed?: true;
}

/** The calls that may still count, oldest first. An empty list is an unused budget. */
export type RateState = readonly Run[];

interface RateDecision {
  readonly passes: boolean;
  /** The state to keep if the call passes. Runs that have left the window are always removed. */
  readonly state: RateState;
  /** Calls that could pass at once after this one. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until part of the used budget comes back (for a refused call: until one passes). */
  readonly resetSeconds: number;
}

/**
 * Runs in a full window. With 100, a state stays under 3 KB at the largest limit, and a call in a dense run counts for
 * at most a hundredth of the window longer than it should.
 */
const RUNS_PER_WINDOW = 100;

/** The calls that a call takes from its budget. */
export interface Spend {
  readonly cost: number;
  /** Whether calls may be reserved ahead. Reserved calls may count without being used, so that many calls at once wait longer. */
  readonly reserves?: boolean;
}

const ONE_CALL: Spend = { cost: 1 };

/**
 * Decides a call on a budget, all of what it costs or nothing: the limit holds in any window, and a call that waits
 * `resetSeconds` passes as a whole.
 *
 * A clock that was set back counts as stopped at the last call, so that it can never admit more calls.
 */
export function decideCall(
  state: RateState,
  policy: RatePolicy,
  now: Instant,
  { cost }: Spend = ONE_CALL,
): RateDecision {
  const windowMs = policy.windowSeconds * 1000;
  const at = latestInstant(state, now);
  const counted = state.filter((run) => at - run.last < windowMs);
  const used = counted.reduce((sum, run) => sum + run.count, 0);

  if (used + cost > policy.limit) {
    return {
      passes: false,
      state: counted,
      remaining: Math.max(0, policy.limit - used),
      resetSeconds: secondsUntilRoom(counted, used, policy, now, cost),
    };
  }
  const spent = withCalls(counted, at, windowMs / RUNS_PER_WINDOW, cost);
  return {
    passes: true,
    state: spent,
    remaining: policy.limit - used - cost,
    resetSeconds: wholeSeconds((spent[0]?.last ?? at) + windowMs - now),
  };
}

/** The instant by which a budget is judged: never earlier than its last call. */
function latestInstant(state: RateState, now: Instant): Instant {
  const newest = state.at(-1);
  return newest && newest.last > now ? newest.last : now;
}

function withCalls(runs: RateState, at: Instant, grain: number, cost: number): RateState {
  const newest = runs.at(-1);
  if (newest && !newest.assumed && at - newest.first < grain) {
    return [...runs.slice(0, -1), { first: newest.first, last: at, count: newest.count + cost }];
  }
  return [...runs, { first: at, last: at, count: cost }];
}

/** Several runs may have to leave the window: for many calls, and after the limit was lowered. */
function secondsUntilRoom(
  runs: RateState,
  used: number,
  policy: RatePolicy,
  now: Instant,
  calls: number,
): number {
  let left = used;
  let waitedFor = now;
  for (const run of runs) {
    if (left + calls <= policy.limit) break;
    left -= run.count;
    waitedFor = run.last;
  }
  return wholeSeconds(waitedFor + policy.windowSeconds * 1000 - now);
}

const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

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
