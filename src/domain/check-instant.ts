import { DAY_MS, type Instant, SECOND_MS } from './instant.ts';

/** How far a controller's clock may run ahead: a `checked_at` within it is taken as now. */
export const CLOCK_AHEAD_MS = 5 * SECOND_MS;

export type CheckInstant =
  | { readonly at: Instant }
  | { readonly refused: 'CHECKED_AT_IN_FUTURE' | 'CHECKED_AT_OUT_OF_RANGE' };

/** How far back a check may look, in days of 24 hours. */
export interface Lookback {
  /** What the credential allows; null: any number. */
  readonly historicalDaysAllowed: number | null;
  /**
   * How long what a check reads is kept. Of the shorter of the two the last day is not answered: what was deleted must
   * not read as a "no".
   */
  readonly sessionRetentionDays: number;
  readonly subscriptionRetentionDays: number;
}

/**
 * The instant that a plate check verifies: the one asked for, or now.
 *
 * @param asked `checked_at`, or null when it was not sent
 */
export function checkInstant(asked: Instant | null, now: Instant, lookback: Lookback): CheckInstant {
  if (asked === null) {
    return { at: now };
  }
  if (asked > now) {
    return asked - now <= CLOCK_AHEAD_MS ? { at: now } : { refused: 'CHECKED_AT_IN_FUTURE' };
  }
  return asked < earliest(now, lookback) ? { refused: 'CHECKED_AT_OUT_OF_RANGE' } : { at: asked };
}

function earliest(now: Instant, lookback: Lookback): number {
  const { historicalDaysAllowed, sessionRetentionDays, subscriptionRetentionDays } = lookback;
  const kept = Math.min(sessionRetentionDays, subscriptionRetentionDays) - 1;
  return now - Math.min(historicalDaysAllowed ?? kept, kept) * DAY_MS;
}
