import { type Instant, instant } from './instant.ts';
import { effectiveEnd, isCancelled, SESSION_WINDOW_MS, type SessionTimes } from './parking-session.ts';
import type { Subscription } from './subscription.ts';
import { type ValidInterval, validIntervals } from './valid-intervals.ts';
import { isWrittenWithLength } from './zoned-time.ts';

/*
 * What a gate keeps of a facility's entitlements for outages. A time that only begins after the last second of the year 9999 in the
 * municipality's zone is left out: it would be written as that second alone, which no gate can read.
 */

/** The time of a session in a list. */
interface ListedSession {
  readonly from: Instant;
  /** The effective end: an open session has one too. */
  readonly until: Instant;
  /** Later than the list's instant. From then on the session no longer counts, not even within a tolerance. */
  readonly cancelledAt: Instant | null;
}

/**
 * The time of a session in the list of its facility as of an instant, however far ahead it starts. Null if it was
 * cancelled by then, or ended 24 h before or earlier: no tolerance reaches back that far.
 */
export function listedSession(session: SessionTimes, asOf: Instant, timeZone: string): ListedSession | null {
  const { startsAt: from, cancelledAt } = session;
  const until = effectiveEnd(session);
  const isOver = isCancelled(session, asOf) || until <= instant(asOf - SESSION_WINDOW_MS);
  return isOver || !isWrittenWithLength(from, until, timeZone) ? null : { from, until, cancelledAt };
}

/** The time of a subscription's plate in the list of a facility as of an instant. Empty if it is never valid there again. */
export const listedIntervals = (
  subscription: Subscription,
  areaCode: string,
  asOf: Instant,
  timeZone: string,
): readonly ValidInterval[] =>
  validIntervals(subscription, areaCode, asOf).filter(({ from, until }) =>
    isWrittenWithLength(from, until, timeZone),
  );
