import { DAY_MS, type Instant } from './instant.ts';
import { contains } from './interval.ts';
import { definitiveExpiry } from './plan-expiry.ts';
import { firstMatch, type Rule } from './precedence.ts';
import {
  diagnoseSubscription,
  isAfterAuthorization,
  isBeforeAuthorization,
  isListed,
  isOnPlate,
  isRevoked,
  isSuspended,
  type Subscription,
} from './subscription.ts';

export const PURCHASE_OPERATIONS = ['first_activation', 'renewal'] as const;
/** What a plan is bought for: the first period of a subscription, or a further one. */
export type PurchaseOperation = (typeof PURCHASE_OPERATIONS)[number];

/** The most that a meter takes, in euro cents. */
export const MAX_CENTS = 999_999;

/** A plan that parking meters sell. */
export interface MeterPlan {
  /** Three digits. */
  readonly code: string;
  readonly amountCents: number;
  /** ISO 8601, such as `P1M`. */
  readonly duration: string;
  /** What the meter prints. */
  readonly description: string;
  readonly operations: readonly PurchaseOperation[];
}

/** A type of subscription. */
export interface SubscriptionType {
  /** Sold without approval by the office. Meters never offer such a subscription here. */
  readonly freelySold: boolean;
  readonly renewalAllowed: boolean;
  /** How many days of 24 hours before the end of the active period its renewal opens; null: any time. */
  readonly renewalOpensDaysBefore: number | null;
}

/** A subscription of the plate with its type and the active meter plans of that type. */
export interface HeldSubscription {
  readonly subscription: Subscription;
  /** Whether it has a period that was not reversed: then its next one is a renewal. */
  readonly isActivated: boolean;
  readonly type: SubscriptionType;
  readonly plans: readonly MeterPlan[];
}

/** A subscription that a meter asks about, and how its type is offered. What was paid is judged without that. */
export interface OfferedSubscription extends HeldSubscription {
  /** Whether no plan is offered that would end after the authorization. */
  readonly soldWithinAuthorization: boolean;
}

/** In order: the later ones are closer to a sale. */
export const CANDIDATE_OUTCOMES = [
  'PLATE_NOT_ACTIVE',
  'APPLICATION_NOT_APPROVED',
  'SUBSCRIPTION_REVOKED',
  'SUBSCRIPTION_SUSPENDED',
  'AUTHORIZATION_NOT_STARTED',
  'AUTHORIZATION_EXPIRED',
  'FUTURE_RENEWAL_ALREADY_PRESENT',
  'RENEWAL_NOT_ALLOWED',
  'NO_PARKING_METER_PLANS',
  'OPTIONS_AVAILABLE',
] as const;
export type CandidateOutcome = (typeof CANDIDATE_OUTCOMES)[number];

export const RESULT_CODES = [
  'SUBSCRIPTION_NOT_FOUND',
  'DIRECT_PURCHASE_NOT_SUPPORTED',
  ...CANDIDATE_OUTCOMES,
  'MULTIPLE_SUBSCRIPTIONS_FOUND',
] as const;
export type ResultCode = (typeof RESULT_CODES)[number];

/** What can be bought. */
interface Sale {
  readonly operation: PurchaseOperation;
  /** When the active period ends; null for a subscription that has expired or was never activated. */
  readonly currentExpiry: Instant | null;
  /** In the order of their codes; never empty. */
  readonly plans: readonly MeterPlan[];
}

export interface PurchaseVerdict {
  readonly resultCode: ResultCode;
  /** Null unless the result is `OPTIONS_AVAILABLE`. */
  readonly sale: Sale | null;
  /** The plate's subscriptions, freely sold ones left out. */
  readonly subscriptionsCount: number;
  /** How many of these are valid at the instant, in some area or in all. */
  readonly entitlementsCount: number;
  /** Whether the result is `FUTURE_RENEWAL_ALREADY_PRESENT`, of subscriptions that were all active before. */
  readonly isRenewed: boolean;
}

interface Facts extends HeldSubscription {
  readonly at: Instant;
}

const FUTURE = 'FUTURE_RENEWAL_ALREADY_PRESENT';

/** Why a subscription is not to be sold at an instant, whatever plans there are. */
const OBSTACLES: readonly Rule<Facts, CandidateOutcome>[] = [
  { when: (facts) => !isOnPlate(facts), outcome: 'PLATE_NOT_ACTIVE' },
  { when: (facts) => facts.subscription.approval !== 'approved', outcome: 'APPLICATION_NOT_APPROVED' },
  { when: isRevoked, outcome: 'SUBSCRIPTION_REVOKED' },
  { when: isSuspended, outcome: 'SUBSCRIPTION_SUSPENDED' },
  { when: isBeforeAuthorization, outcome: 'AUTHORIZATION_NOT_STARTED' },
  { when: isAfterAuthorization, outcome: 'AUTHORIZATION_EXPIRED' },
  { when: hasFuturePeriod, outcome: FUTURE },
  { when: isNotToBeRenewed, outcome: 'RENEWAL_NOT_ALLOWED' },
];
const OUTCOME: readonly Rule<Facts, CandidateOutcome>[] = [
  ...OBSTACLES,
  { when: (facts) => plansFor(facts).length === 0, outcome: 'NO_PARKING_METER_PLANS' },
];

/**
 * What a parking meter may sell for a plate at an instant. If exactly one candidate has options, they are offered. If
 * none has, the candidate that is closest to a sale gives the reason.
 *
 * @param held all of the plate's subscriptions in the municipality, in any state
 */
export function decidePurchase(held: readonly HeldSubscription[], at: Instant): PurchaseVerdict {
  const candidates = candidatesOf(held);
  const [only, another] = candidates.filter(
    (candidate) => candidateOutcome(candidate, at) === 'OPTIONS_AVAILABLE',
  );
  const result = resultOf(held, at, only, another);
  return {
    ...result,
    subscriptionsCount: candidates.length,
    entitlementsCount: candidates.filter(({ subscription }) => isValidSomewhere(subscription, at)).length,
    isRenewed:
      result.resultCode === FUTURE && candidates.every((candidate) => !awaitsFirstPeriod(candidate, at)),
  };
}

/** A period is paid, and none has started yet. */
function awaitsFirstPeriod(candidate: HeldSubscription, at: Instant): boolean {
  const wasActive = candidate.subscription.periods.some(({ startsAt }) => startsAt <= at);
  return !wasActive && candidateOutcome(candidate, at) === FUTURE;
}

/** The subscriptions that a meter may renew or activate: all but the freely sold ones. */
export function candidatesOf(held: readonly HeldSubscription[]): readonly HeldSubscription[] {
  return held.filter(({ type }) => !type.freelySold);
}

/** The outcome of a candidate at an instant: the first rule that applies. */
export function candidateOutcome(candidate: HeldSubscription, at: Instant): CandidateOutcome {
  return firstMatch(OUTCOME, 'OPTIONS_AVAILABLE', { ...candidate, at });
}

/** What keeps a candidate from being sold at an instant, whatever plans there are. Null: nothing does. */
export function obstacleOf(candidate: HeldSubscription, at: Instant): CandidateOutcome | null {
  return firstMatch<Facts, CandidateOutcome | null>(OBSTACLES, null, { ...candidate, at });
}

/** The outcome that is furthest down the table, since it is the nearest to a sale. */
export const nearestToSale = (outcomes: readonly CandidateOutcome[]): CandidateOutcome | undefined =>
  CANDIDATE_OUTCOMES.findLast((outcome) => outcomes.includes(outcome));

/** A subscription that was activated at least once is renewed. */
export const purchaseOperation = ({ isActivated }: HeldSubscription): PurchaseOperation =>
  isActivated ? 'renewal' : 'first_activation';

/** The plans for the operation that the candidate needs. */
export function plansFor(candidate: HeldSubscription): readonly MeterPlan[] {
  const operation = purchaseOperation(candidate);
  return candidate.plans.filter((plan) => plan.operations.includes(operation));
}

/**
 * The plans that a meter may offer at an instant: where the type is sold within the authorization, those that end by then if they
 * are paid at that instant. A check would refuse the rest of what was paid.
 *
 * @param timeZone the municipality's, an IANA name
 */
export function plansOnOffer(held: OfferedSubscription, at: Instant, timeZone: string): readonly MeterPlan[] {
  const plans = plansFor(held);
  const { subscription, soldWithinAuthorization } = held;
  const until = endOfUse(subscription);
  if (!soldWithinAuthorization || until === null) return plans;
  const expiry = currentExpiry(subscription, at);
  return plans.filter(({ duration }) => {
    const end = definitiveExpiry({ at, currentExpiry: expiry, duration, timeZone });
    return end !== null && end <= until;
  });
}

/** From when on no period counts: the end of the authorization, or the revocation. Null: neither is set. */
function endOfUse({ authorized, revokedAt }: Subscription): Instant | null {
  if (authorized.until === null || revokedAt === null) return authorized.until ?? revokedAt;
  return revokedAt < authorized.until ? revokedAt : authorized.until;
}

/**
 * When the period that contains the instant ends, whether or not the authorization ends before: of several, the one that ends
 * last. Null if there is none.
 */
export function currentExpiry({ periods }: Subscription, at: Instant): Instant | null {
  const ends = periods
    .filter(({ startsAt, endsAt }) => contains({ from: startsAt, until: endsAt }, at))
    .map(({ endsAt }) => endsAt);
  return ends.toSorted((a, b) => a - b).at(-1) ?? null;
}

function resultOf(
  held: readonly HeldSubscription[],
  at: Instant,
  only: HeldSubscription | undefined,
  another: HeldSubscription | undefined,
): Pick<PurchaseVerdict, 'resultCode' | 'sale'> {
  if (only === undefined) {
    return { resultCode: negativeOf(held, at), sale: null };
  }
  return another === undefined
    ? { resultCode: 'OPTIONS_AVAILABLE', sale: saleOf(only, at) }
    : { resultCode: 'MULTIPLE_SUBSCRIPTIONS_FOUND', sale: null };
}

function negativeOf(held: readonly HeldSubscription[], at: Instant): ResultCode {
  const outcomes = candidatesOf(held).map((candidate) => candidateOutcome(candidate, at));
  return (
    nearestToSale(outcomes) ??
    (held.length === 0 ? 'SUBSCRIPTION_NOT_FOUND' : 'DIRECT_PURCHASE_NOT_SUPPORTED')
  );
}

function saleOf(candidate: HeldSubscription, at: Instant): Sale {
  return {
    operation: purchaseOperation(candidate),
    currentExpiry: currentExpiry(candidate.subscription, at),
    plans: plansFor(candidate).toSorted((a, b) => (a.code < b.code ? -1 : 1)),
  };
}

/** Valid in at least one area: one that is limited to areas counts, although a plate check would ask for the area. */
function isValidSomewhere(subscription: Subscription, at: Instant): boolean {
  return isListed(subscription, at) && diagnoseSubscription(subscription, at, null).status === 'active';
}

function hasFuturePeriod({ subscription: { periods }, at }: Facts): boolean {
  return periods.some((period) => at < period.startsAt);
}

function isNotToBeRenewed(facts: Facts): boolean {
  if (purchaseOperation(facts) !== 'renewal') return false;
  const { subscription, type, at } = facts;
  return !type.renewalAllowed || isBeforeRenewalOpens(subscription, type, at);
}

/** An expired subscription may be renewed at any time: it has no active period that would have to end first. */
function isBeforeRenewalOpens(subscription: Subscription, type: SubscriptionType, at: Instant): boolean {
  const expiry = currentExpiry(subscription, at);
  if (expiry === null || type.renewalOpensDaysBefore === null) return false;
  return expiry > at + type.renewalOpensDaysBefore * DAY_MS;
}
