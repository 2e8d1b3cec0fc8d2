import { DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from './instant.ts';
import { definitiveExpiry } from './plan-expiry.ts';
import {
  CANDIDATE_OUTCOMES,
  type CandidateOutcome,
  candidatesOf,
  currentExpiry,
  type HeldSubscription,
  type MeterPlan,
  nearestToSale,
  obstacleOf,
  type PurchaseOperation,
  plansFor,
  purchaseOperation,
} from './purchase-options.ts';
import type { SubscriptionPeriod } from './subscription.ts';

/** A second payment for the same plan of a subscription within this time is probably the same one twice. */
const DOUBLE_WITHIN_MS = 10 * MINUTE_MS;

/**
 * A subscription of the plate, with its accepted payments. Its plans are all those of one code: as configured now, then as configured
 * before, the newest first.
 */
export interface PayableSubscription extends HeldSubscription {
  readonly accepted: readonly AcceptedPayment[];
}

interface AcceptedPayment {
  /** The plan's. */
  readonly planCode: string;
  readonly collectedAt: Instant;
}

/** What was paid. */
export interface CollectedPayment {
  /** The instant at which everything is judged. */
  readonly collectedAt: Instant;
  readonly planCode: string;
  readonly amountCents: number;
  /** The keys under which the named subscription may be stored; null: any subscription of the plate. */
  readonly subscriptionNames: readonly string[] | null;
  /** The municipality's, an IANA name. */
  readonly timeZone: string;
}

/** Outcomes of a subscription that a payment can have: a plan that is missing has a code of its own. */
type Obstacle = Exclude<CandidateOutcome, 'NO_PARKING_METER_PLANS' | 'OPTIONS_AVAILABLE'>;
const OBSTACLES = CANDIDATE_OUTCOMES.filter(
  (outcome): outcome is Obstacle => outcome !== 'NO_PARKING_METER_PLANS' && outcome !== 'OPTIONS_AVAILABLE',
);

/** In the order of the table. */
export const PAYMENT_RESULTS = [
  'SUBSCRIPTION_NOT_FOUND',
  'DIRECT_PURCHASE_NOT_SUPPORTED',
  ...OBSTACLES,
  'PLAN_NOT_FOUND',
  'MULTIPLE_SUBSCRIPTIONS_FOUND',
  'AMOUNT_MISMATCH',
  'POSSIBLE_DOUBLE_PAYMENT',
  'PERIOD_CREATED',
] as const;
export type PaymentResult = (typeof PAYMENT_RESULTS)[number];

/** What a payment becomes. */
interface PaymentVerdict<Held extends PayableSubscription> {
  readonly resultCode: PaymentResult;
  /** The subscription that was meant, where it is exactly one. */
  readonly meant: Held | null;
  /** What the plan costs; null where none was found. */
  readonly expectedCents: number | null;
  /** Null unless the result is `PERIOD_CREATED`. */
  readonly purchase: { readonly operation: PurchaseOperation; readonly period: SubscriptionPeriod } | null;
}

/** A subscription with a plan that it may be paid with. */
interface Offer<Held> {
  readonly held: Held;
  readonly plan: MeterPlan;
  readonly period: SubscriptionPeriod;
}

/**
 * What a payment becomes: the first row of the table that applies, as of the instant of the collection.
 *
 * @param plates all of the plate's subscriptions in the municipality, whatever their state
 */
export function decidePayment<Held extends PayableSubscription>(
  plates: readonly Held[],
  payment: CollectedPayment,
): PaymentVerdict<Held> {
  const named = plates.filter(
    ({ subscription }) => payment.subscriptionNames?.includes(subscription.subscriptionNumber) ?? true,
  );
  const candidates = candidatesOf(named) as readonly Held[];
  if (candidates.length === 0) {
    return unsettled(named.length === 0 ? 'SUBSCRIPTION_NOT_FOUND' : 'DIRECT_PURCHASE_NOT_SUPPORTED', named);
  }
  const obstacles = candidates.map((held) => obstacleOf(held, payment.collectedAt));
  const open = candidates.filter((_, index) => obstacles[index] === null);
  const obstacle = nearestToSale(obstacles.filter((found) => found !== null));
  if (open.length === 0) {
    // Each candidate has one, and none of these is about plans.
    return unsettled(obstacle as Obstacle, candidates);
  }
  return judgeOffers(open, payment);
}

/** Of subscriptions that nothing keeps from being paid. */
function judgeOffers<Held extends PayableSubscription>(
  open: readonly Held[],
  payment: CollectedPayment,
): PaymentVerdict<Held> {
  const offers = open.map((held) => offerOf(held, payment)).filter((offer) => offer !== null);
  const [offer, another] = offers;
  if (offer === undefined) {
    return unsettled('PLAN_NOT_FOUND', open);
  }
  const { held, plan, period } = offer;
  const expectedCents = plan.amountCents;
  if (another !== undefined) {
    return { ...unsettled<Held>('MULTIPLE_SUBSCRIPTIONS_FOUND', []), expectedCents };
  }
  if (payment.amountCents !== plan.amountCents) {
    return { ...unsettled('AMOUNT_MISMATCH', [held]), expectedCents };
  }
  if (held.accepted.some((earlier) => isDoubleOf(payment, earlier))) {
    return { ...unsettled('POSSIBLE_DOUBLE_PAYMENT', [held]), expectedCents };
  }
  const operation = purchaseOperation(held);
  return { resultCode: 'PERIOD_CREATED', meant: held, expectedCents, purchase: { operation, period } };
}

const unsettled = <Held extends PayableSubscription>(
  resultCode: PaymentResult,
  meant: readonly Held[],
): PaymentVerdict<Held> => ({
  resultCode,
  meant: meant.length === 1 ? (meant[0] ?? null) : null,
  expectedCents: null,
  purchase: null,
});

/**
 * The plan, if the subscription may be paid with it, and the period that it gives: the configuration whose price is the amount, else
 * the newest.
 */
function offerOf<Held extends PayableSubscription>(
  held: Held,
  { planCode, amountCents, collectedAt, timeZone }: CollectedPayment,
): Offer<Held> | null {
  const expiry = currentExpiry(held.subscription, collectedAt);
  const startsAt = expiry ?? collectedAt;
  const offers = plansFor(held).flatMap((plan) => {
    const { code, duration } = plan;
    const endsAt = definitiveExpiry({ at: collectedAt, currentExpiry: expiry, duration, timeZone });
    const isSold = code === planCode && endsAt !== null && endsAt > startsAt;
    return isSold ? [{ held, plan, period: { startsAt, endsAt } }] : [];
  });
  return offers.find(({ plan }) => plan.amountCents === amountCents) ?? offers[0] ?? null;
}

/** One that was collected later is no double: the payment before it was first. */
function isDoubleOf({ planCode, collectedAt }: CollectedPayment, earlier: AcceptedPayment): boolean {
  const sinceMs = collectedAt - earlier.collectedAt;
  return earlier.planCode === planCode && sinceMs >= 0 && sinceMs < DOUBLE_WITHIN_MS;
}

/** How far the clock of a collector may run ahead: what was collected up to this much later than now counts as now. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;
/** What was collected longer ago is a mistake. */
const OLDEST_MS = 400 * DAY_MS;

type CollectionInstant =
  | { readonly at: Instant }
  | { readonly refused: 'COLLECTED_AT_IN_FUTURE' | 'COLLECTED_AT_OUT_OF_RANGE' };

/** The instant at which a payment or its reversal is judged. */
export function collectionInstant(sent: Instant, now: Instant): CollectionInstant {
  if (sent > now) {
    return sent - now <= CLOCK_AHEAD_MS ? { at: now } : { refused: 'COLLECTED_AT_IN_FUTURE' };
  }
  return sent < now - OLDEST_MS || sent < 0 ? { refused: 'COLLECTED_AT_OUT_OF_RANGE' } : { at: sent };
}

/** A plan counts for so long after it was configured otherwise: the driver had seen it. */
export const PLAN_COUNTS_MS = 60 * MINUTE_MS;

export const REVERSAL_RESULTS = ['PAYMENT_NOT_FOUND', 'ALREADY_REVERSED', 'PAYMENT_REVERSED'] as const;
/** What becomes of a reversal. */
export type ReversalResult = (typeof REVERSAL_RESULTS)[number];
