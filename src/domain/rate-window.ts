import type { Instant } from './instant.ts';

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

export interface RateDecision {
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

/** The calls that a step takes, and how many must be free before the client retries the whole call. */
export interface Spend {
  readonly cost: number;
  readonly toPass?: number;
  /** Whether calls may be reserved ahead. Reserved calls may count without being used, so that many calls at once wait longer. */
  readonly reserves?: boolean;
}
export const ONE_CALL: Spend = { cost: 1 };

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
  { cost, toPass = cost }: Spend = ONE_CALL,
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
      resetSeconds: secondsUntilRoom(counted, used, policy, now, toPass),
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
export function latestInstant(state: RateState, now: Instant): Instant {
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
