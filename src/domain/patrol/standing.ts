import { judgeEntitlement } from '../entitlement.ts';
import { decideFacilityAccess, type Facility } from '../facility-access.ts';
import { DAY_MS, type Instant, instant, MINUTE_MS } from '../instant.ts';
import { validTime } from '../occupancy.ts';
import type { ParkingSession } from '../parking-session.ts';
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

/** A plate's entitlements in an area. */
export interface Rights {
  /** Those in this area. */
  readonly sessions: readonly ParkingSession[];
  /** Those of any area. None where the municipality has subscriptions switched off. */
  readonly subscriptions: readonly Subscription[];
}

/**
 * Whether a plate is entitled at a sighting, or tolerated for an entitlement just before or just after; else
 * null.
 */
export type Standing = 'entitled' | 'tolerated' | null;

/** The standing of a plate that was seen in an area, if it has one. */
export function standingOf(rights: Rights, area: SeenIn, seenAt: Instant, tolerance: Tolerance): Standing {
  if (isEntitled(rights, area, seenAt)) return 'entitled';
  return isValidAround(rights, area, seenAt, tolerance) ? 'tolerated' : null;
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

/** An entitlement at the instant itself; in a facility also a session within its gate's tolerance. */
function isEntitled(rights: Rights, { code, facility }: SeenIn, at: Instant): boolean {
  const { hasValidEntitlement, hasValidSubscription: holdsSubscription } = judgeEntitlement(
    { ...rights, areaCode: code },
    at,
  );
  if (hasValidEntitlement || facility === null) return hasValidEntitlement;
  const { sessions } = rights;
  return decideFacilityAccess({ event: 'verify', facility, sessions, holdsSubscription }, at).granted;
}

/** An entitlement at some instant within the minutes before or after, without their far ends. */
function isValidAround(
  { sessions, subscriptions }: Rights,
  area: SeenIn,
  seenAt: Instant,
  { observationMinutes, overstayMinutes }: Tolerance,
): boolean {
  // Instants are whole milliseconds. Without minutes on one side, that side has none, nor has the sighting itself.
  const first = instant(seenAt - overstayMinutes * MINUTE_MS + 1);
  const end = seenAt + observationMinutes * MINUTE_MS;
  const valid = [
    ...sessions.map(validTime),
    ...subscriptions.flatMap((subscription) => validIntervals(subscription, area.code, first)),
  ];
  return valid.some(({ from, until }) => Math.max(from, first) < Math.min(until, end));
}
