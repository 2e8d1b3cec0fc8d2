import { type Instant, instant } from './instant.ts';
import { effectiveEnd, isCancelled, type ParkingSession, SESSION_WINDOW_MS } from './parking-session.ts';
import type { Plate } from './plate.ts';
import type { Subscription } from './subscription.ts';
import { type ValidInterval, validIntervals } from './valid-intervals.ts';
import { isWrittenWithLength } from './zoned-time.ts';

/** One entitlement of one plate in a facility, as a gate keeps it for outages. */
export type ListEntry = SessionEntry | SubscriptionEntry;

interface SessionEntry {
  readonly kind: 'session';
  readonly plate: Plate;
  readonly from: Instant;
  /** The effective end: an open session has one too. */
  readonly until: Instant;
  /** Later than the list's instant. From then on the session no longer counts, not even within a tolerance. */
  readonly cancelledAt: Instant | null;
}

interface SubscriptionEntry {
  readonly kind: 'subscription';
  readonly plate: Plate;
  /** Never empty. */
  readonly valid: readonly ValidInterval[];
}

/** The facts of a session that its entry depends on. */
type ListedSession = Pick<
  ParkingSession,
  'plate' | 'startsAt' | 'endsAt' | 'cancelledAt' | 'openSessionMaxHours'
>;

/**
 * The entry of a session in the list of its facility as of an instant, however far ahead it starts. Null if it was
 * cancelled by then, or ended 24 h before or earlier: no tolerance reaches back that far.
 */
export function sessionEntry(session: ListedSession, asOf: Instant): SessionEntry | null {
  const until = effectiveEnd(session);
  if (isCancelled(session, asOf) || until <= instant(asOf - SESSION_WINDOW_MS)) {
    return null;
  }
  const { plate, startsAt, cancelledAt } = session;
  return { kind: 'session', plate, from: startsAt, until, cancelledAt };
}

/** The entry of a subscription's plate in the list of a facility as of an instant. Null if it is never valid there again. */
export function subscriptionEntry(
  subscription: Subscription,
  areaCode: string,
  asOf: Instant,
): SubscriptionEntry | null {
  const valid = validIntervals(subscription, areaCode, asOf);
  return valid.length === 0 ? null : { kind: 'subscription', plate: subscription.plate, valid };
}

/**
 * The part of an entry that a time zone can write. An interval after the last second of the year 9999 there
 * would begin and end with that second, which no gate can read.
 */
export function writableEntry(entry: ListEntry | null, timeZone: string): ListEntry | null {
  if (entry === null) {
    return null;
  }
  if (entry.kind === 'session') {
    return isWrittenWithLength(entry.from, entry.until, timeZone) ? entry : null;
  }
  const valid = entry.valid.filter(
    ({ from, until }) => until === null || isWrittenWithLength(from, until, timeZone),
  );
  return valid.length === 0 ? null : { ...entry, valid };
}
