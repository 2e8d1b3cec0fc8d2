/**
 * How many changes of sessions and subscriptions a tenant may store in a UTC day, so that nobody fills a database in a day.
 * Changes that take a right away are stored even past that number.
 */

/**
 * How far a change takes away what was there: `ends` for a cancellation, a revocation or a first end, which a row has once
 * until an ordinary change takes it back; `shortens` where there was an end, and it comes earlier.
 */
const ENDINGS = ['none', 'shortens', 'ends'] as const;
export type Ending = (typeof ENDINGS)[number];

/** What the lines of one key change of what is stored. */
export interface Change {
  readonly ending: Ending;
  /** What it counts: 1 for a session, for a subscription one for each entry of its plates. */
  readonly cost: number;
}

/** Shortenings past the daily changes. One row may be shortened again and again, so they need a bound of their own. */
export const MAX_SHORTENINGS_BEYOND = 2_000_000;

/** How many changes the day may have once such a change is stored. */
export function limitWith(ending: Ending, dailyChanges: number | null): number {
  if (dailyChanges === null) {
    return Number.POSITIVE_INFINITY;
  }
  switch (ending) {
    case 'none':
      return dailyChanges;
    case 'shortens':
      return dailyChanges + MAX_SHORTENINGS_BEYOND;
    case 'ends':
      return Number.POSITIVE_INFINITY;
    default:
      return ending satisfies never;
  }
}
