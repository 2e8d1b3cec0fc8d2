import { DAY_MS, type Instant, SECOND_MS } from './instant.ts';

/**
 * How far the clock of an officer's device may run ahead: a `checked_at` up to this far in the future counts as now.
 */
export const CLOCK_AHEAD_MS = 5 * SECOND_MS;

export type CheckInstant =
  | { readonly at: Instant }
  | { readonly refused: 'CHECKED_AT_IN_FUTURE' | 'CHECKED_AT_OUT_OF_RANGE' };

/** How far back a check may look, in days of 24 hours. */
export interface Lookback {
  /** What the credential allows; null for no limit. */
  readonly historicalDaysAllowed: number | null;
  /**
   * How long the data that a check reads is kept. The last day of the shorter period is not answered, so that deleted
   * data can never look like a "no".
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
