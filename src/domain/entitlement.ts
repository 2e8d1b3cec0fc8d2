import type { Instant } from './instant.ts';
import {
  isInSessionWindow,
  isValidSession,
  type ParkingSession,
  type SessionStatus,
  sessionStatus,
} from './parking-session.ts';
import type { Plate } from './plate.ts';
import {
  diagnoseSubscription,
  isListed,
  type Subscription,
  type SubscriptionReasonCode,
  type SubscriptionStatus,
} from './subscription.ts';

/** The most sessions that an answer lists: one plate has hardly more in two days. The counts include all of them. */
export const MAX_LISTED_SESSIONS = 50;

/** A plate's facts in a municipality. */
export interface EntitlementFacts {
  /** The plate's sessions, only those of the area if one was asked for. Those outside the 24 h window are ignored. */
  readonly sessions: readonly ParkingSession[];
  /** All of the plate's subscriptions, also those of other areas, which the answer lists too. */
  readonly subscriptions: readonly Subscription[];
  /** Whether the municipality has subscriptions switched on. */
  readonly subscriptionsSupported: boolean;
  /** The area asked for, or `null` for the whole municipality. */
  readonly areaCode: string | null;
}

export interface ListedSession extends ParkingSession {
  readonly status: SessionStatus;
  readonly isValidAtCheckTime: boolean;
}

export interface ListedSubscription {
  readonly subscriptionNumber: string;
  readonly plate: Plate;
  readonly status: SubscriptionStatus;
  readonly reasonCode: SubscriptionReasonCode;
  readonly isValidAtCheckTime: boolean;
}

/** The whole judgement of a plate at an instant. The counts include rows that are not listed. */
export interface EntitlementVerdict {
  /** Newest start first, at most 50. If more were found, the valid ones are listed before any others. */
  readonly sessions: readonly ListedSession[];
  /** In the order of their numbers. */
  readonly subscriptions: readonly ListedSubscription[];
  readonly sessionsCount: number;
  readonly validSessionsCount: number;
  readonly subscriptionsCount: number;
  readonly validSubscriptionsCount: number;
  /** Sessions and subscriptions found. */
  readonly resultsCount: number;
  /** Valid sessions and valid subscriptions. */
  readonly entitlementsCount: number;
  readonly hasValidParking: boolean;
  readonly hasValidSubscription: boolean;
  /** The overall outcome: at least one of the two. */
  readonly hasValidEntitlement: boolean;
  /** Some subscription can only be judged for an area, and none was given. */
  readonly requiresAreaCode: boolean;
  readonly verificationComplete: boolean;
}

/**
 * The plate check: which sessions and subscriptions a plate has around an instant, and which of them are valid at it.
 */
export function judgeEntitlement(facts: EntitlementFacts, at: Instant): EntitlementVerdict {
  const sessions = facts.sessions.filter((session) => isInSessionWindow(session, at));
  const validSessionsCount = sessions.filter((session) => isValidSession(session, at)).length;
  const subscriptions = judgeSubscriptions(facts, at);
  const validSubscriptionsCount = subscriptions.filter((item) => item.isValidAtCheckTime).length;
  const requiresAreaCode = subscriptions.some((item) => item.reasonCode === 'AREA_CODE_REQUIRED');

  return {
    sessions: listSessions(sessions, at),
    subscriptions,
    sessionsCount: sessions.length,
    validSessionsCount,
    subscriptionsCount: subscriptions.length,
    validSubscriptionsCount,
    resultsCount: sessions.length + subscriptions.length,
    entitlementsCount: validSessionsCount + validSubscriptionsCount,
    hasValidParking: validSessionsCount > 0,
    hasValidSubscription: validSubscriptionsCount > 0,
    hasValidEntitlement: validSessionsCount + validSubscriptionsCount > 0,
    requiresAreaCode,
    verificationComplete: !requiresAreaCode,
  };
}

function listSessions(sessions: readonly ParkingSession[], at: Instant): ListedSession[] {
  const newestFirst = sessions.toSorted(byNewestStart);
  const validOnes = newestFirst.filter((session) => isValidSession(session, at));
  const others = newestFirst.filter((session) => !isValidSession(session, at));
  return [...validOnes, ...others]
    .slice(0, MAX_LISTED_SESSIONS)
    .toSorted(byNewestStart)
    .map((session) => judgeSession(session, at));
}

function judgeSession(session: ParkingSession, at: Instant): ListedSession {
  const status = sessionStatus(session, at);
  return { ...session, status, isValidAtCheckTime: status === 'valid' };
}

function judgeSubscriptions(facts: EntitlementFacts, at: Instant): ListedSubscription[] {
  if (!facts.subscriptionsSupported) return [];
  return facts.subscriptions
    .filter((subscription) => isListed(subscription, at))
    .toSorted((a, b) => compareText(a.subscriptionNumber, b.subscriptionNumber))
    .map((subscription) => judgeSubscription(subscription, at, facts.areaCode));
}

function judgeSubscription(
  subscription: Subscription,
  at: Instant,
  areaCode: string | null,
): ListedSubscription {
  const { status, reasonCode } = diagnoseSubscription(subscription, at, areaCode);
  return {
    subscriptionNumber: subscription.subscriptionNumber,
    plate: subscription.plate,
    status,
    reasonCode,
    isValidAtCheckTime: reasonCode === 'VALID_SUBSCRIPTION',
  };
}

/** Newest start first. A session's id is unique only within its source, so the source decides between equal ids. */
function byNewestStart(a: ParkingSession, b: ParkingSession): number {
  return (
    b.startsAt - a.startsAt ||
    compareText(a.sessionId, b.sessionId) ||
    compareText(a.sourceCode, b.sourceCode)
  );
}

/** By code units: the same order everywhere, whatever the language. */
function compareText(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
