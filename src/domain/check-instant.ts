import { DAY_MS, type Instant, instant, isInRange, MINUTE_MS, SECOND_MS } from './instant.ts';

/** How far the clock of an officer's device, or of a collector, may run ahead. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;

/** An instant by another clock: one that lies only a little in the future counts as now. Null: it lies further ahead. */
export const notAhead = (sent: Instant, now: Instant): Instant | null =>
  sent - now > CLOCK_AHEAD_MS ? null : instant(Math.min(sent, now));

/**
 * A device stamps its own reads, so its instants are older than now, even if no day in the past is allowed.
 */
const CLOCK_BEHIND_MS = 5 * MINUTE_MS;

type CheckInstant =
  | { readonly at: Instant }
  | { readonly refused: 'CHECKED_AT_IN_FUTURE' | 'CHECKED_AT_OUT_OF_RANGE' };

/** How far back a check may look, in days of 24 hours. */
export interface Lookback {
  /** What the credential allows; null for no limit. */
  readonly historicalDaysAllowed: number | null;
  /** A bound in addition to the credential's; absent: none. */
  readonly atLeastMs?: number;
  /**
   * How long the data that a check reads is kept. A check may not ask about the last day of the shorter period, so that deleted
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
  if (!isInRange(asked)) {
    return { refused: 'CHECKED_AT_OUT_OF_RANGE' };
  }
  const at = notAhead(asked, now);
  if (at === null) return { refused: 'CHECKED_AT_IN_FUTURE' };
  return at < earliestInstant(now, lookback) ? { refused: 'CHECKED_AT_OUT_OF_RANGE' } : { at };
}

/** The earliest instant that can be asked about. */
function earliestInstant(now: Instant, lookback: Lookback): number {
  const { historicalDaysAllowed, atLeastMs, ...kept } = lookback;
  const days = Math.min(kept.sessionRetentionDays, kept.subscriptionRetentionDays);
  const allowedMs = (historicalDaysAllowed ?? Infinity) * DAY_MS + CLOCK_BEHIND_MS;
  return now - Math.min(Math.max(allowedMs, atLeastMs ?? 0), (days - 1) * DAY_MS);
}

/**
 * The instant whose versions are asked for: `known_at`, or the instant that is judged.
 *
 * @param asked `known_at`; null where it was not sent
 * @param at the instant that is judged
 * @param knownSince when the municipality was first recorded
 * @returns the bound that was passed, and which one, for an instant that is out of range
 */
export function knownInstant(
  asked: Instant | null,
  at: Instant,
  now: Instant,
  knownSince: Instant,
  lookback: Lookback,
): KnownInstant {
  const wanted = notAhead(asked ?? at, now);
  if (wanted === null) return { passed: 'now', bound: now };
  const kept = instant(earliestInstant(now, lookback));
  if (wanted < kept && kept >= knownSince) {
    return { passed: 'kept_since', bound: kept };
  }
  return wanted < knownSince ? { passed: 'known_since', bound: knownSince } : { at: wanted };
}

type KnownInstant =
  | { readonly at: Instant }
  | { readonly passed: 'now' | 'known_since' | 'kept_since'; readonly bound: Instant };
