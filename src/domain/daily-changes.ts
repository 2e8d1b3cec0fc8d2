/**
 * How many versions of sessions and subscriptions a tenant may store in a UTC day, so that no tenant fills the
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

export const DAILY_CHANGES = 2_000_000;

/** How many versions the day may have once such a change is stored. */
export const limitWith = (isEnding: boolean): number => (isEnding ? 2 * DAILY_CHANGES : DAILY_CHANGES);
