import { type Instant, instant, MINUTE_MS } from './instant.ts';
import { contains } from './interval.ts';
import { effectiveEnd, isCancelled, isInSessionWindow, type SessionTimes } from './parking-session.ts';
import { firstMatch, type Rule } from './precedence.ts';

export const ACCESS_EVENTS = ['verify', 'entry', 'exit'] as const;
/** What the gate asks about: a car that arrives, one that leaves, or (`verify`) one that may be doing either. */
export type AccessEvent = (typeof ACCESS_EVENTS)[number];

/** How a prepaid facility is configured. Tolerances are whole minutes, 0 to 1,440. */
export interface Facility {
  readonly serviceEnabled: boolean;
  readonly plateControlEnabled: boolean;
  /** Whether a subscription opens the gate. */
  readonly subscriptionAccess: boolean;
  /** How long before the start of a session its car may enter. */
  readonly entryGraceMinutes: number;
  /** How long after the end of a session its car may leave. */
  readonly exitGraceMinutes: number;
}

export const ACCESS_REASON_CODES = [
  'FACILITY_SERVICE_DISABLED',
  'PLATE_CONTROL_DISABLED',
  'VALID_SESSION_AND_SUBSCRIPTION',
  'VALID_PREPAID_FACILITY_SESSION',
  'VALID_FACILITY_SUBSCRIPTION',
  'SESSION_NOT_STARTED',
  'SESSION_EXPIRED',
  'SUBSCRIPTION_NOT_ALLOWED',
  'NO_VALID_FACILITY_ENTITLEMENT',
] as const;
export type AccessReasonCode = (typeof ACCESS_REASON_CODES)[number];

export const MATCHED_SOURCES = [
  'none',
  'parking_session',
  'subscription',
  'parking_session_and_subscription',
] as const;
type MatchedSource = (typeof MATCHED_SOURCES)[number];

/** The facts that decide whether the gate opens. */
export interface AccessFacts {
  readonly event: AccessEvent;
  readonly facility: Facility;
  /** The plate's sessions in this facility, and in no other area. They may reach beyond the 24 h window. */
  readonly sessions: readonly SessionTimes[];
  /** Whether some subscription of the plate is valid in this facility at the instant. */
  readonly holdsSubscription: boolean;
}

export interface AccessDecision {
  readonly granted: boolean;
  readonly reasonCode: AccessReasonCode;
  readonly matchedSource: MatchedSource;
}

interface Situation {
  readonly facility: Facility;
  readonly holdsSession: boolean;
  readonly holdsSubscription: boolean;
  readonly nearestSession: 'not_started' | 'expired' | null;
}

const DECISION: readonly Rule<Situation, AccessDecision>[] = [
  { when: (s) => !s.facility.serviceEnabled, outcome: refuseAccess('FACILITY_SERVICE_DISABLED') },
  { when: (s) => !s.facility.plateControlEnabled, outcome: refuseAccess('PLATE_CONTROL_DISABLED') },
  {
    when: (s) => s.holdsSession && hasAdmittedSubscription(s),
    outcome: grantAccess('VALID_SESSION_AND_SUBSCRIPTION', 'parking_session_and_subscription'),
  },
  { when: (s) => s.holdsSession, outcome: grantAccess('VALID_PREPAID_FACILITY_SESSION', 'parking_session') },
  { when: hasAdmittedSubscription, outcome: grantAccess('VALID_FACILITY_SUBSCRIPTION', 'subscription') },
  { when: (s) => s.nearestSession === 'not_started', outcome: refuseAccess('SESSION_NOT_STARTED') },
  { when: (s) => s.nearestSession === 'expired', outcome: refuseAccess('SESSION_EXPIRED') },
  { when: (s) => s.holdsSubscription, outcome: refuseAccess('SUBSCRIPTION_NOT_ALLOWED') },
];
const NOTHING_HELD = refuseAccess('NO_VALID_FACILITY_ENTITLEMENT');

/** The tolerances of an event, in minutes before the start and after the end of a session. */
const TOLERANCES = {
  entry: (facility) => ({ before: facility.entryGraceMinutes, after: 0 }),
  exit: (facility) => ({ before: 0, after: facility.exitGraceMinutes }),
  verify: (facility) => ({ before: facility.entryGraceMinutes, after: facility.exitGraceMinutes }),
} satisfies Record<AccessEvent, (facility: Facility) => { before: number; after: number }>;

/**
 * Facility access at an instant: the first rule that applies. It differs from the entitlement: within a tolerance the
 * gate opens although no session or subscription is valid.
 */
export function decideFacilityAccess(facts: AccessFacts, at: Instant): AccessDecision {
  const standing = facts.sessions.filter((session) => hasLength(session) && !isCancelled(session, at));
  return firstMatch(DECISION, NOTHING_HELD, {
    facility: facts.facility,
    holdsSession: standing.some((session) => isWithinTolerance(session, at, facts)),
    holdsSubscription: facts.holdsSubscription,
    nearestSession: nearestOutside(standing, at),
  });
}

function hasAdmittedSubscription({ holdsSubscription, facility }: Situation): boolean {
  return holdsSubscription && facility.subscriptionAccess;
}

/** A session that was stopped as it started paid for nothing: no tolerance makes it open the gate. */
function hasLength(session: SessionTimes): boolean {
  return session.startsAt < effectiveEnd(session);
}

/** Start − entry tolerance ≤ at < end + exit tolerance, with the tolerances of the event. */
function isWithinTolerance(session: SessionTimes, at: Instant, { event, facility }: AccessFacts): boolean {
  const { before, after } = TOLERANCES[event](facility);
  const tolerated = {
    from: instant(session.startsAt - before * MINUTE_MS),
    until: instant(effectiveEnd(session) + after * MINUTE_MS),
  };
  return contains(tolerated, at);
}

/**
 * Whether the nearest session of the 24 h window starts later or has ended; of two at the same distance, the one that
 * starts later decides. Null if there is none. A session that starts exactly 24 h later is outside the window, although
 * the longest tolerance reaches it.
 */
function nearestOutside(sessions: readonly SessionTimes[], at: Instant): Situation['nearestSession'] {
  const nearby = sessions.filter((session) => isInSessionWindow(session, at));
  const untilStart = nearestOf(nearby.map((session) => session.startsAt - at).filter((wait) => wait > 0));
  const sinceEnd = nearestOf(nearby.map((session) => at - effectiveEnd(session)).filter((age) => age >= 0));
  if (untilStart === Infinity && sinceEnd === Infinity) return null;
  return untilStart <= sinceEnd ? 'not_started' : 'expired';
}

/** The smallest distance, in milliseconds; infinite if there are none. */
function nearestOf(distances: readonly number[]): number {
  return distances.reduce((nearest, distance) => Math.min(nearest, distance), Infinity);
}

function grantAccess(reasonCode: AccessReasonCode, matchedSource: MatchedSource): AccessDecision {
  return { granted: true, reasonCode, matchedSource };
}

function refuseAccess(reasonCode: AccessReasonCode): AccessDecision {
  return { granted: false, reasonCode, matchedSource: 'none' };
}
