/**
 * How many versions of sessions and subscriptions a tenant may store in a UTC day, so that nobody fills a database in a day.
 * Changes that take a right away are stored past that number too, up to as many again.
 */

/** What the lines of one key change of what is stored. */
export interface Change {
  /** Whether it takes a right away and gives none: a cancellation, a revocation, an earlier end. */
  readonly isEnding: boolean;
  /** The versions that it stores. */
  readonly cost: number;
}

/** How many versions the day may have once such a change is stored. `dailyChanges` null: no limit. */
export function limitWith(isEnding: boolean, dailyChanges: number | null): number {
  if (dailyChanges === null) {
    return Number.POSITIVE_INFINITY;
  }
  return isEnding ? 2 * dailyChanges : dailyChanges;
}
