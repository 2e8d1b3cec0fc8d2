import type { Instant } from './instant.ts';
import { isInSessionWindow, type ParkingSession, sessionStatus } from './parking-session.ts';
import { diagnoseSubscription, isListed, type Subscription } from './subscription.ts';

/** The most sessions that an answer lists: one plate has hardly more in two days. The counts include all of them. */
export const MAX_LISTED_SESSIONS = 50;

/** A plate's facts in a municipality. */
export interface EntitlementFacts {
  /** The plate's sessions, only those of the area if one was asked for. Those outside the 24 h window are ignored. */
  readonly sessions: readonly ParkingSession[];
  /**
   * All of the plate's subscriptions, also those of other areas, which the answer lists too. None where the municipality has
   * subscriptions switched off.
   */
  readonly subscriptions: readonly Subscription[];
  /** The area asked for, or `null` for the whole municipality. */
  readonly areaCode: string | null;
}

/** The whole judgement of a plate at an instant. */
export type EntitlementVerdict = ReturnType<typeof judgeEntitlement>;

/**
 * The plate check: which sessions and subscriptions a plate has around an instant, and which of them are valid at it.
 */
export function judgeEntitlement(facts: EntitlementFacts, at: Instant) {
  const sessions = facts.sessions
    .filter((session) => isInSessionWindow(session, at))
    .map((session) => {
      const status = sessionStatus(session, at);
      return { ...session, status, isValidAtCheckTime: status === 'valid' };
    });
  const subscriptions = facts.subscriptions
    .filter((subscription) => isListed(subscription, at))
    .toSorted((a, b) => compareText(a.subscriptionNumber, b.subscriptionNumber))
    .map((subscription) => {
      const { subscriptionNumber, plate } = subscription;
      const { status, reasonCode } = diagnoseSubscription(subscription, at, facts.areaCode);
      const isValidAtCheckTime = reasonCode === 'VALID_SUBSCRIPTION';
      return { subscriptionNumber, plate, status, reasonCode, isValidAtCheckTime };
    });
  const validSessionsCount = sessions.filter(isValid).length;
  const validSubscriptionsCount = subscriptions.filter(isValid).length;
  return {
    /** Newest start first, at most 50. If more were found, the valid ones are listed before any others. */
    sessions: sessions
      .toSorted((a, b) => Number(isValid(b)) - Number(isValid(a)) || byNewestStart(a, b))
      .slice(0, MAX_LISTED_SESSIONS)
      .sort(byNewestStart),
    /** All of them, in the order of their numbers. */
    subscriptions,
    /** Those that are not listed included. */
    sessionsCount: sessions.length,
    validSessionsCount,
    validSubscriptionsCount,
    hasValidParking: validSessionsCount > 0,
    hasValidSubscription: validSubscriptionsCount > 0,
    /** The overall outcome: at least one of the two. */
    hasValidEntitlement: validSessionsCount + validSubscriptionsCount > 0,
    /** Some subscription can only be judged for an area, and none was given: the check is not complete. */
    requiresAreaCode: subscriptions.some(({ reasonCode }) => reasonCode === 'AREA_CODE_REQUIRED'),
  };
}

const isValid = ({ isValidAtCheckTime }: { readonly isValidAtCheckTime: boolean }): boolean =>
  isValidAtCheckTime;

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
