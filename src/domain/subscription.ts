import type { Instant } from './instant.ts';
import { contains, type Span } from './interval.ts';
import type { Plate } from './plate.ts';
import { firstMatch, type Rule } from './precedence.ts';

/** A paid period of a subscription: [startsAt, endsAt). */
export interface SubscriptionPeriod {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** A subscription, seen from one of its plates. */
export interface Subscription {
  /** Unique in the municipality. */
  readonly subscriptionNumber: string;
  readonly plate: Plate;
  /** When that plate is on the subscription; more than one span when it left and came back. */
  readonly plateValidity: readonly Span[];
  readonly approval: 'approved' | 'pending' | 'rejected';
  /** The office's authorization, whether or not it has been paid. */
  readonly authorized: Span;
  /** Without `until`, for good. */
  readonly suspended: { readonly from: Instant; readonly until: Instant | null } | null;
  readonly revokedAt: Instant | null;
  /** In any order. Paid ones may overlap with those that the office brought. */
  readonly periods: readonly SubscriptionPeriod[];
  /** Area codes, or the whole municipality. */
  readonly areas: 'all' | readonly string[];
}

export const SUBSCRIPTION_REASON_CODES = [
  'SUBSCRIPTION_REVOKED',
  'SUBSCRIPTION_SUSPENDED',
  'AUTHORIZATION_NOT_YET_ACTIVE',
  'AUTHORIZATION_EXPIRED',
  'FIRST_ACTIVATION_REQUIRED',
  'PERIOD_NOT_YET_ACTIVE',
  'PERIOD_EXPIRED',
  'AREA_CODE_REQUIRED',
  'AREA_NOT_ALLOWED',
  'VALID_SUBSCRIPTION',
] as const;
export type SubscriptionReasonCode = (typeof SUBSCRIPTION_REASON_CODES)[number];

export const SUBSCRIPTION_STATUSES = ['revoked', 'suspended', 'approved', 'expired', 'active'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

interface SubscriptionDiagnosis {
  readonly reasonCode: SubscriptionReasonCode;
  readonly status: SubscriptionStatus;
}

interface Moment {
  readonly subscription: Subscription;
  readonly at: Instant;
}

interface Facts extends Moment {
  readonly areaCode: string | null;
}

/**
 * A subscription that waits for a period is `approved` if none has started before, and `expired` between two periods.
 */
const DIAGNOSIS: readonly Rule<Facts, SubscriptionDiagnosis>[] = [
  { when: isRevoked, outcome: { reasonCode: 'SUBSCRIPTION_REVOKED', status: 'revoked' } },
  { when: isSuspended, outcome: { reasonCode: 'SUBSCRIPTION_SUSPENDED', status: 'suspended' } },
  {
    when: isBeforeAuthorization,
    outcome: { reasonCode: 'AUTHORIZATION_NOT_YET_ACTIVE', status: 'approved' },
  },
  { when: isAfterAuthorization, outcome: { reasonCode: 'AUTHORIZATION_EXPIRED', status: 'expired' } },
  { when: wasNeverActivated, outcome: { reasonCode: 'FIRST_ACTIVATION_REQUIRED', status: 'approved' } },
  { when: isBeforeAllPeriods, outcome: { reasonCode: 'PERIOD_NOT_YET_ACTIVE', status: 'approved' } },
  { when: isBetweenPeriods, outcome: { reasonCode: 'PERIOD_NOT_YET_ACTIVE', status: 'expired' } },
  { when: isOutsidePeriods, outcome: { reasonCode: 'PERIOD_EXPIRED', status: 'expired' } },
  { when: lacksAreaCode, outcome: { reasonCode: 'AREA_CODE_REQUIRED', status: 'active' } },
  { when: isOfOtherAreas, outcome: { reasonCode: 'AREA_NOT_ALLOWED', status: 'active' } },
];
const VALID: SubscriptionDiagnosis = { reasonCode: 'VALID_SUBSCRIPTION', status: 'active' };

/**
 * Whether a check at an instant lists the subscription for its plate at all: its application is approved, and the plate is
 * on it at that instant.
 */
export function isListed(subscription: Subscription, at: Instant): boolean {
  return subscription.approval === 'approved' && isOnPlate({ subscription, at });
}

/** Whether the plate is on the subscription at an instant. */
export function isOnPlate({ subscription: { plateValidity }, at }: Moment): boolean {
  return plateValidity.some((span) => contains(span, at));
}

/**
 * Subscription diagnosis at an instant: the first rule that applies.
 *
 * @param areaCode the area asked for, or `null` when the whole municipality is; a subscription that is limited to
 *   areas is never valid then, since that could be a false positive.
 */
export function diagnoseSubscription(
  subscription: Subscription,
  at: Instant,
  areaCode: string | null,
): SubscriptionDiagnosis {
  return firstMatch(DIAGNOSIS, VALID, { subscription, at, areaCode });
}

/** Whether the revocation has come. */
export function isRevoked({ subscription: { revokedAt }, at }: Moment): boolean {
  return revokedAt !== null && revokedAt <= at;
}

/** Whether the subscription is suspended at the instant. */
export function isSuspended({ subscription: { suspended }, at }: Moment): boolean {
  return suspended !== null && contains(suspended, at);
}

/** Whether the authorization starts later than the instant. */
export function isBeforeAuthorization({ subscription: { authorized }, at }: Moment): boolean {
  return authorized.from !== null && at < authorized.from;
}

/** Whether the authorization has ended by the instant. */
export function isAfterAuthorization({ subscription: { authorized }, at }: Moment): boolean {
  return authorized.until !== null && authorized.until <= at;
}

function wasNeverActivated({ subscription: { periods } }: Facts): boolean {
  return periods.length === 0;
}

function isBeforeAllPeriods({ subscription: { periods }, at }: Facts): boolean {
  return periods.every((period) => at < period.startsAt);
}

function isBetweenPeriods(facts: Facts): boolean {
  return isOutsidePeriods(facts) && facts.subscription.periods.some((period) => facts.at < period.startsAt);
}

function isOutsidePeriods({ subscription: { periods }, at }: Facts): boolean {
  return !periods.some((period) => contains({ from: period.startsAt, until: period.endsAt }, at));
}

function lacksAreaCode({ subscription: { areas }, areaCode }: Facts): boolean {
  return areas !== 'all' && areaCode === null;
}

function isOfOtherAreas({ subscription: { areas }, areaCode }: Facts): boolean {
  return areas !== 'all' && areaCode !== null && !areas.includes(areaCode);
}

/** The facts that decide when a subscription is over. */
interface SubscriptionEnds extends Pick<Subscription, 'approval' | 'revokedAt'> {
  readonly authorizedUntil: Instant | null;
  readonly lastPeriodEndsAt: Instant | null;
  readonly changedAt: Instant;
}

/**
 * When a subscription is over: at the later of its authorization's end and its last period's. A revocation ends it
 * too. A rejected one is over from its last change, and so is one without any end.
 */
export function subscriptionOverAt(subscription: SubscriptionEnds): number {
  const { approval, authorizedUntil, lastPeriodEndsAt, revokedAt, changedAt } = subscription;
  const end =
    authorizedUntil === null
      ? (lastPeriodEndsAt ?? changedAt)
      : Math.max(authorizedUntil, lastPeriodEndsAt ?? authorizedUntil);
  return Math.min(end, revokedAt ?? end, approval === 'rejected' ? changedAt : end);
}
