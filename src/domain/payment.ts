import { notAhead } from './check-instant.ts';
import { DAY_MS, type Instant, MINUTE_MS } from './instant.ts';
import { definitiveExpiry } from './plan-expiry.ts';
import {
  currentExpiry,
  type HeldSubscription,
  openingOf,
  type PurchaseOperation,
  plansFor,
  purchaseOperation,
  REFUSALS,
} from './purchase-options.ts';
import type { SubscriptionPeriod } from './subscription.ts';

/** A second payment for the same plan of a subscription within this time is probably the same one twice. */
const DOUBLE_WITHIN_MS = 10 * MINUTE_MS;

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

/** In the order of the table. */
export const PAYMENT_RESULTS = [
  ...REFUSALS,
  'PLAN_NOT_FOUND',
  'MULTIPLE_SUBSCRIPTIONS_FOUND',
  'AMOUNT_MISMATCH',
  'POSSIBLE_DOUBLE_PAYMENT',
  'PERIOD_CREATED',
] as const;
export type PaymentResult = (typeof PAYMENT_RESULTS)[number];

/** What a payment becomes. */
interface PaymentVerdict {
  readonly resultCode: PaymentResult;
  /** The subscription that was meant, where it is exactly one. */
  readonly meant: HeldSubscription | null;
  /** What the plan costs; null where none was found. */
  readonly expectedCents: number | null;
  /** Null unless the result is `PERIOD_CREATED`. */
  readonly purchase: { readonly operation: PurchaseOperation; readonly period: SubscriptionPeriod } | null;
}

/**
 * What a payment becomes: the first row of the table that applies, as of the instant of the collection.
 *
 * @param held all of the plate's subscriptions in the municipality, whatever their state. The plans of each are those that are
 * configured now, then those that were configured before, the newest first.
 */
export function decidePayment(held: readonly HeldSubscription[], payment: CollectedPayment): PaymentVerdict {
  const { subscriptionNames, collectedAt, amountCents } = payment;
  const named = held.filter(
    ({ subscription }) => subscriptionNames?.includes(subscription.subscriptionNumber) ?? true,
  );
  const { candidates, open, refusal } = openingOf(named, collectedAt);
  if (refusal !== null) return unsettled(refusal, candidates.length > 0 ? candidates : named);
  const [offer, another] = open.flatMap((title) => offerOf(title, payment) ?? []);
  if (offer === undefined) return unsettled('PLAN_NOT_FOUND', open);
  const { title, plan, period } = offer;
  const expectedCents = plan.amountCents;
  if (another !== undefined) return unsettled('MULTIPLE_SUBSCRIPTIONS_FOUND', [], expectedCents);
  if (amountCents !== expectedCents) return unsettled('AMOUNT_MISMATCH', [title], expectedCents);
  if (title.accepted.some((earlier) => isDoubleOf(payment, earlier))) {
    return unsettled('POSSIBLE_DOUBLE_PAYMENT', [title], expectedCents);
  }
  const purchase = { operation: purchaseOperation(title), period };
  return { resultCode: 'PERIOD_CREATED', meant: title, expectedCents, purchase };
}

const unsettled = (
  resultCode: PaymentResult,
  meant: readonly HeldSubscription[],
  expectedCents: number | null = null,
): PaymentVerdict => ({
  resultCode,
  meant: meant.length === 1 ? (meant[0] ?? null) : null,
  expectedCents,
  purchase: null,
});

/**
 * The plan, if the subscription may be paid with it, and the period that it gives: the configuration whose price is the amount, else
 * the newest.
 */
function offerOf(
  title: HeldSubscription,
  { planCode, amountCents, collectedAt, timeZone }: CollectedPayment,
) {
  const from = { at: collectedAt, currentExpiry: currentExpiry(title.subscription, collectedAt), timeZone };
  const startsAt = from.currentExpiry ?? collectedAt;
  const offers = plansFor(title).flatMap((plan) => {
    const endsAt = plan.code === planCode ? definitiveExpiry({ ...from, duration: plan.duration }) : null;
    return endsAt === null ? [] : [{ title, plan, period: { startsAt, endsAt } }];
  });
  return offers.find(({ plan }) => plan.amountCents === amountCents) ?? offers[0] ?? null;
}

/** One that was collected later is no double: the payment before it was first. */
function isDoubleOf(
  { planCode, collectedAt }: CollectedPayment,
  earlier: HeldSubscription['accepted'][number],
): boolean {
  const sinceMs = collectedAt - earlier.collectedAt;
  return earlier.planCode === planCode && sinceMs >= 0 && sinceMs < DOUBLE_WITHIN_MS;
}

/** What was collected longer ago is a mistake. */
const OLDEST_MS = 400 * DAY_MS;

type CollectionInstant =
  | { readonly at: Instant }
  | { readonly refused: 'COLLECTED_AT_IN_FUTURE' | 'COLLECTED_AT_OUT_OF_RANGE' };

/** The instant at which a payment or its reversal is judged. */
export function collectionInstant(sent: Instant, now: Instant): CollectionInstant {
  const at = notAhead(sent, now);
  if (at === null) return { refused: 'COLLECTED_AT_IN_FUTURE' };
  return at < Math.max(now - OLDEST_MS, 0) ? { refused: 'COLLECTED_AT_OUT_OF_RANGE' } : { at };
}

/** A plan counts for so long after it was configured otherwise: the driver had seen it. */
export const PLAN_COUNTS_MS = 60 * MINUTE_MS;

export const REVERSAL_RESULTS = ['PAYMENT_NOT_FOUND', 'ALREADY_REVERSED', 'PAYMENT_REVERSED'] as const;
/** What becomes of a reversal. */
export type ReversalResult = (typeof REVERSAL_RESULTS)[number];
