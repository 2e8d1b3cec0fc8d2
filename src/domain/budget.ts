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

/** What a step takes, and how much must be free before the client retries the whole call. */
interface Spend {
  readonly cost: number;
  readonly toPass: number;
}

/**
 * Takes a call from a budget, all of what it costs or nothing: the limit holds in any window, and a client alone on its
 * credential that waits `resetSeconds` passes as a whole.
 *
 * A clock that was set back counts as stopped at the last call, so that it can never admit more calls.
 */
export function spend(
  state: RateState,
  policy: RatePolicy,
  now: Instant,
  { cost, toPass }: Spend = { cost: 1, toPass: 1 },
): RateDecision {
  const windowMs = policy.windowSeconds * 1000;
  const newest = state.at(-1);
  const at = newest && newest.last > now ? newest.last : now;
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

function withCalls(runs: RateState, at: Instant, grain: number, cost: number): RateState {
  const newest = runs.at(-1);
  return newest && at - newest.first < grain
    ? [...runs.slice(0, -1), { first: newest.first, last: at, count: newest.count + cost }]
    : [...runs, { first: at, last: at, count: cost }];
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
