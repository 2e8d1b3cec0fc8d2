import { DAY_MS, type Instant } from './instant.ts';
import { contains } from './interval.ts';
import { definitiveExpiry, planExpiry } from './plan-expiry.ts';
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
  readonly code: string;
  /** Sold without approval by the office. Meters never offer such a subscription here. */
  readonly freelySold: boolean;
  readonly renewalAllowed: boolean;
  /** How many days of 24 hours before the end of the active period its renewal opens; null: any time. */
  readonly renewalOpensDaysBefore: number | null;
  /** Whether no plan is offered that would end after the authorization. What was paid is judged without this. */
  readonly soldWithinAuthorization: boolean;
}

/** A subscription of the plate with its type, its payments, and the plans that meters sell for the type. */
export interface HeldSubscription {
  readonly id: number;
  readonly subscription: Subscription;
  /** Whether it has a period that was not reversed: then its next one is a renewal. */
  readonly isActivated: boolean;
  /** Its payments that made a period and were not reversed. */
  readonly accepted: readonly { readonly planCode: string; readonly collectedAt: Instant }[];
  readonly type: SubscriptionType;
  readonly plans: readonly MeterPlan[];
}

interface Facts extends HeldSubscription {
  readonly at: Instant;
}

const FUTURE = 'FUTURE_RENEWAL_ALREADY_PRESENT';

/** What keeps a subscription from being sold at an instant, whatever plans there are. The later ones are closer to a sale. */
const OBSTACLES = [
  { when: (facts) => !isOnPlate(facts), outcome: 'PLATE_NOT_ACTIVE' },
  { when: (facts) => facts.subscription.approval !== 'approved', outcome: 'APPLICATION_NOT_APPROVED' },
  { when: isRevoked, outcome: 'SUBSCRIPTION_REVOKED' },
  { when: isSuspended, outcome: 'SUBSCRIPTION_SUSPENDED' },
  { when: isBeforeAuthorization, outcome: 'AUTHORIZATION_NOT_STARTED' },
  { when: isAfterAuthorization, outcome: 'AUTHORIZATION_EXPIRED' },
  { when: hasFuturePeriod, outcome: FUTURE },
  { when: isNotToBeRenewed, outcome: 'RENEWAL_NOT_ALLOWED' },
] as const satisfies readonly Rule<Facts, string>[];
type Obstacle = (typeof OBSTACLES)[number]['outcome'];
const OBSTACLE_CODES = OBSTACLES.map(({ outcome }): Obstacle => outcome);

/** Why none of a plate's subscriptions is open to a sale or a payment, in the order of the table. */
export const REFUSALS = [
  'SUBSCRIPTION_NOT_FOUND',
  'DIRECT_PURCHASE_NOT_SUPPORTED',
  ...OBSTACLE_CODES,
] as const;
export const RESULT_CODES = [
  ...REFUSALS,
  'NO_PARKING_METER_PLANS',
  'OPTIONS_AVAILABLE',
  'MULTIPLE_SUBSCRIPTIONS_FOUND',
] as const;
export type ResultCode = (typeof RESULT_CODES)[number];

/** Which of a plate's subscriptions may be bought or paid, before any plan is looked at. */
interface Opening {
  /** All but the freely sold ones. */
  readonly candidates: readonly HeldSubscription[];
  /** The candidates that meet no obstacle. */
  readonly open: readonly HeldSubscription[];
  /** Null if there are open ones. */
  readonly refusal: (typeof REFUSALS)[number] | null;
}

/**
 * The subscriptions of a plate that may be bought or paid at an instant. If there are none, the candidate that is closest to a
 * sale gives the reason.
 */
export function openingOf(held: readonly HeldSubscription[], at: Instant): Opening {
  const candidates = held.filter(({ type }) => !type.freelySold);
  const obstacles = candidates.map((candidate) => obstacleOf(candidate, at));
  const open = candidates.filter((_, index) => obstacles[index] === null);
  const nearest = OBSTACLE_CODES.findLast((code) => obstacles.includes(code));
  const none = held.length === 0 ? 'SUBSCRIPTION_NOT_FOUND' : 'DIRECT_PURCHASE_NOT_SUPPORTED';
  return { candidates, open, refusal: open.length > 0 ? null : (nearest ?? none) };
}

const obstacleOf = (candidate: HeldSubscription, at: Instant): Obstacle | null =>
  firstMatch<Facts, Obstacle | null>(OBSTACLES, null, { ...candidate, at });

/** What a parking meter may sell for a plate, or why it may not. */
export interface PurchaseVerdict {
  readonly resultCode: ResultCode;
  /** Null unless the result is `OPTIONS_AVAILABLE`. */
  readonly sale: { readonly operation: PurchaseOperation; readonly offers: readonly Offer[] } | null;
  /** The codes of plans that are left out because no meter can print their expiry: a bad plan does not block the good ones. */
  readonly unprintable: readonly string[];
  /** The plate's subscriptions, freely sold ones left out. */
  readonly subscriptionsCount: number;
  /** How many of these are valid at the instant, in some area or in all. */
  readonly entitlementsCount: number;
  /** Whether the result is `FUTURE_RENEWAL_ALREADY_PRESENT`, of subscriptions that were all active before. */
  readonly isRenewed: boolean;
}

/** A plan with the expiry to expect, as a meter prints it. */
interface Offer {
  readonly plan: MeterPlan;
  readonly expiry: string;
}

/**
 * What a parking meter may sell for a plate at an instant: the plans of the only subscription that has any.
 *
 * @param held all of the plate's subscriptions in the municipality, in any state
 * @param timeZone the municipality's, an IANA name
 */
export function decidePurchase(
  held: readonly HeldSubscription[],
  at: Instant,
  timeZone: string,
): PurchaseVerdict {
  const { candidates, open, refusal } = openingOf(held, at);
  const considered = open.map((title) => ({ title, ...offersOf(title, at, timeZone) }));
  const [only, another] = considered.filter(({ offers }) => offers.length > 0);
  const positive = another === undefined ? 'OPTIONS_AVAILABLE' : 'MULTIPLE_SUBSCRIPTIONS_FOUND';
  return {
    resultCode: refusal ?? (only === undefined ? 'NO_PARKING_METER_PLANS' : positive),
    sale:
      only !== undefined && another === undefined
        ? { operation: purchaseOperation(only.title), offers: only.offers }
        : null,
    unprintable: considered.flatMap(({ unprintable }) => unprintable),
    subscriptionsCount: candidates.length,
    entitlementsCount: candidates.filter(({ subscription }) => isValidSomewhere(subscription, at)).length,
    isRenewed:
      refusal === FUTURE &&
      candidates.every((title) => obstacleOf(title, at) !== FUTURE || wasActive(title.subscription, at)),
  };
}

/** What a meter may offer for an open subscription, in the order of the plans' codes. */
function offersOf(held: HeldSubscription, at: Instant, timeZone: string) {
  const { subscription, type } = held;
  const from = { at, currentExpiry: currentExpiry(subscription, at), timeZone };
  // From then on a check would refuse what was paid.
  const until = Math.min(subscription.authorized.until ?? Infinity, subscription.revokedAt ?? Infinity);
  const endsInTime = ({ duration }: MeterPlan) =>
    (definitiveExpiry({ ...from, duration }) ?? Infinity) <= until;
  const offers: Offer[] = [];
  const unprintable: string[] = [];
  for (const plan of plansFor(held).toSorted((a, b) => (a.code < b.code ? -1 : 1))) {
    if (type.soldWithinAuthorization && !endsInTime(plan)) continue;
    const expiry = planExpiry({ ...from, duration: plan.duration });
    if (expiry === null) unprintable.push(plan.code);
    else offers.push({ plan, expiry });
  }
  return { offers, unprintable };
}

/** A subscription that was activated at least once is renewed. */
export const purchaseOperation = ({ isActivated }: HeldSubscription): PurchaseOperation =>
  isActivated ? 'renewal' : 'first_activation';

/** The plans for the operation that a subscription needs. */
export const plansFor = (held: HeldSubscription): readonly MeterPlan[] =>
  held.plans.filter(({ operations }) => operations.includes(purchaseOperation(held)));

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

/** Valid in at least one area: one that is limited to areas counts, although a plate check would ask for the area. */
const isValidSomewhere = (subscription: Subscription, at: Instant): boolean =>
  isListed(subscription, at) && diagnoseSubscription(subscription, at, null).status === 'active';

const wasActive = ({ periods }: Subscription, at: Instant): boolean =>
  periods.some(({ startsAt }) => startsAt <= at);

function hasFuturePeriod({ subscription: { periods }, at }: Facts): boolean {
  return periods.some((period) => at < period.startsAt);
}

/** An expired subscription may be renewed at any time: it has no active period that would have to end first. */
function isNotToBeRenewed({ subscription, type, isActivated, at }: Facts): boolean {
  const { renewalAllowed, renewalOpensDaysBefore } = type;
  const expiry = currentExpiry(subscription, at) ?? at;
  const opensMs = (renewalOpensDaysBefore ?? Infinity) * DAY_MS;
  return isActivated && (!renewalAllowed || expiry > at + opensMs);
}
