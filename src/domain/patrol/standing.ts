import { decideFacilityAccess, type Facility } from '../facility-access.ts';
import { DAY_MS, type Instant, instant, MINUTE_MS } from '../instant.ts';
import { effectiveEnd, isValidSession, type SessionTimes } from '../parking-session.ts';
import { diagnoseSubscription, isListed, type Subscription } from '../subscription.ts';
import { validIntervals } from '../valid-intervals.ts';

/** What a municipality lets an officer wait, and a driver overstay. In whole minutes. */
export interface Tolerance {
  /** 0 to 60. */
  readonly observationMinutes: number;
  /** 0 to 120. */
  readonly overstayMinutes: number;
}

/** Where a vehicle was seen. */
export interface SeenIn {
  readonly code: string;
  /** Null for a street. */
  readonly facility: Facility | null;
}

/** What is known of a plate in an area. */
export interface Rights {
  /** Those in this area. */
  readonly sessions: readonly SessionTimes[];
  /** Those of any area. None where the municipality has subscriptions switched off. */
  readonly subscriptions: readonly Subscription[];
}

/** Whether a sighting finds a plate entitled, or tolerated for what it had just before or just after; else null. */
export type Standing = 'entitled' | 'tolerated' | null;

/** The standing of a plate that was seen in an area, if it has one. */
export function standingOf(rights: Rights, area: SeenIn, seenAt: Instant, tolerance: Tolerance): Standing {
  if (isEntitled(rights, area, seenAt)) {
    return 'entitled';
  }
  return isTolerated(rights, area, seenAt, tolerance) ? 'tolerated' : null;
}

/** Whether a subscription of the plate, unpaid or ended less than a week ago, may have been renewed by now. */
export function mayBeRenewed(
  subscriptions: readonly Subscription[],
  areaCode: string,
  seenAt: Instant,
): boolean {
  return subscriptions.some(
    (subscription) =>
      isListed(subscription, seenAt) &&
      (subscription.areas === 'all' || subscription.areas.includes(areaCode)) &&
      awaitsRenewal(subscription, areaCode, seenAt),
  );
}

/** A payment that made no period speaks for its plate for so long. */
export const UNSETTLED_FOR_MS = 7 * DAY_MS;

/**
 * Whether one of a plate's unsettled payments speaks for it.
 *
 * @param collected when each was collected
 */
export const mayBePaid = (collected: readonly number[], seenAt: Instant): boolean =>
  collected.some((at) => seenAt - UNSETTLED_FOR_MS <= at && at < seenAt);

/** A subscription that ended longer ago than this is not expected to be renewed. */
const RENEWED_WITHIN_MS = 7 * DAY_MS;

function awaitsRenewal(subscription: Subscription, areaCode: string, seenAt: Instant): boolean {
  const { reasonCode } = diagnoseSubscription(subscription, seenAt, areaCode);
  switch (reasonCode) {
    case 'FIRST_ACTIVATION_REQUIRED':
      return true;
    case 'AUTHORIZATION_EXPIRED':
      return endedLately([subscription.authorized.until], seenAt);
    case 'PERIOD_EXPIRED':
      return endedLately(
        subscription.periods.map(({ endsAt }) => endsAt),
        seenAt,
      );
    default:
      return false;
  }
}

const endedLately = (ends: readonly (Instant | null)[], seenAt: Instant): boolean =>
  ends.some((end) => end !== null && end <= seenAt && seenAt - end < RENEWED_WITHIN_MS);

/** A right at the instant itself; in a facility also what opens its gate. */
function isEntitled({ sessions, subscriptions }: Rights, area: SeenIn, at: Instant): boolean {
  const holdsSubscription = subscriptions.some(
    (subscription) =>
      isListed(subscription, at) &&
      diagnoseSubscription(subscription, at, area.code).reasonCode === 'VALID_SUBSCRIPTION',
  );
  if (holdsSubscription || sessions.some((session) => isValidSession(session, at))) {
    return true;
  }
  const { facility } = area;
  return (
    facility !== null &&
    decideFacilityAccess({ event: 'verify', facility, sessions, holdsSubscription }, at).granted
  );
}

/** A right at some instant within the minutes before, or within those after; their far ends are left out. */
function isTolerated(
  { sessions, subscriptions }: Rights,
  area: SeenIn,
  seenAt: Instant,
  { observationMinutes, overstayMinutes }: Tolerance,
): boolean {
  const earliest = seenAt - overstayMinutes * MINUTE_MS + 1;
  const latest = seenAt + observationMinutes * MINUTE_MS - 1;
  const touches = (from: number, until: number): boolean =>
    hasInstant(Math.max(from, earliest), Math.min(until - 1, seenAt - 1)) ||
    hasInstant(Math.max(from, seenAt + 1), Math.min(until - 1, latest));
  return (
    sessions.some((session) => touches(session.startsAt, endOf(session))) ||
    subscriptions
      .flatMap((subscription) => validIntervals(subscription, area.code, instant(earliest - 1)))
      .some(({ from, until }) => touches(from, until ?? Infinity))
  );
}

/** Instants are whole milliseconds. */
const hasInstant = (first: number, last: number): boolean => first <= last;

const endOf = (session: SessionTimes): number =>
  Math.min(effectiveEnd(session), session.cancelledAt ?? Infinity);
