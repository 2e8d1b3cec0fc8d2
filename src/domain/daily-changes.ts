/**
 * How many versions of sessions and subscriptions a tenant may store in a UTC day, so that no tenant fills a
 * database in a day. Changes that only take an entitlement away are stored past that number too, up to as
 * many again.
 */

/** The effect of one key's lines on the stored rows. */
export interface Change {
  /** Whether it only takes an entitlement away: a cancellation, a revocation, an earlier end. */
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
