import { describe, expect, it } from 'vitest';
import { PAYMENT_STATES } from '../../src/core/recorded-payments/payment-parts.ts';
import { HOUR_MS, type Instant, MINUTE_MS, parseInstant } from '../../src/domain/instant.ts';
import {
  type CollectedPayment,
  decidePayment,
  decideReversal,
  PAYMENT_RESULTS,
  type PayableSubscription,
  REVERSAL_RESULTS,
  type ReversibleFacts,
} from '../../src/domain/payment.ts';
import { definitiveExpiry, printedExpiry } from '../../src/domain/plan-expiry.ts';
import type { MeterPlan, SubscriptionType } from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { aSubscription, NOON, noon } from '../domain/fixtures.ts';
import { isNumbered, named, orNone, Page, unique } from './page-tables.ts';

const PAGE = new Page('interface/payments');
const ROME = 'Europe/Rome';

const MONTHLY: MeterPlan = {
  code: '101',
  amountCents: 2_500,
  duration: 'P1M',
  description: 'RESIDENTI MENSILE',
  operations: ['first_activation', 'renewal'],
};
const PAID: CollectedPayment = {
  collectedAt: NOON,
  planCode: '101',
  amountCents: 2_500,
  subscriptionNames: null,
  timeZone: ROME,
};

interface Cause {
  readonly title?: Partial<Subscription>;
  readonly type?: Partial<SubscriptionType>;
  readonly plans?: readonly MeterPlan[];
  readonly recentPayments?: PayableSubscription['recentPayments'];
  /** How many such titles the plate has. */
  readonly titles?: number;
  readonly payment?: Partial<CollectedPayment>;
}

function resultOf({ title = {}, type = {}, plans = [MONTHLY], recentPayments = [], ...cause }: Cause) {
  const held = Array.from({ length: cause.titles ?? 1 }, (_, index) => ({
    subscription: aSubscription({ subscriptionNumber: `A-${index}`, ...title }),
    type: { freelySold: false, renewalAllowed: true, renewalOpensDaysBefore: null, ...type },
    plans,
    recentPayments,
  }));
  return decidePayment(held, { ...PAID, ...cause.payment });
}

const FUTURE = { startsAt: noon(1), endsAt: noon(HOUR_MS) };
/** What makes each row apply, in the order of the table. */
const CAUSES: Readonly<Record<string, readonly Cause[]>> = {
  'the plate has no subscription, or not the one that is named': [
    { titles: 0 },
    { payment: { subscriptionNames: ['B'] } },
  ],
  'it has only freely sold ones': [{ type: { freelySold: true } }],
  'each: the plate is not on it at t': [{ title: { plateValidity: [{ from: null, until: NOON }] } }],
  'each: the office has not approved it': [{ title: { approval: 'pending' } }],
  'each: revoked by t': [{ title: { revokedAt: NOON } }],
  'each: suspended at t': [{ title: { suspended: { from: NOON, until: null } } }],
  'each: its authorization starts later': [{ title: { authorized: { from: noon(1), until: null } } }],
  'each: its authorization has ended': [{ title: { authorized: { from: null, until: NOON } } }],
  'each: a paid period starts later': [{ title: { periods: [FUTURE] } }],
  'each: its type allows no renewal, or it is not open yet': [
    { type: { renewalAllowed: false } },
    { type: { renewalOpensDaysBefore: 0 } },
  ],
  'no plan codice_tariffa of its type for its operation is sold at meters': [
    { plans: [] },
    { plans: [{ ...MONTHLY, operations: ['first_activation'] }] },
  ],
  'the expiry would lie after the year 9999': [{ plans: [{ ...MONTHLY, duration: 'P9000Y' }] }],
  'the plan may be for several subscriptions': [{ titles: 2 }],
  'importo_eurocent is not the price': [{ payment: { amountCents: 1 } }],
  'the same subscription and plan was paid at t, or less than 10 minutes before': [
    { recentPayments: [{ planCode: '101', collectedAt: NOON }] },
    { recentPayments: [{ planCode: '101', collectedAt: noon(1 - 10 * MINUTE_MS) }] },
  ],
  otherwise: [{}, { recentPayments: [{ planCode: '101', collectedAt: noon(-10 * MINUTE_MS) }] }],
};

const read = (text: string): Instant => {
  const at = parseInstant(text);
  if (at === null) throw new Error(`no instant: ${text}`);
  return at;
};

describe('docs/interface/payments.md says truly', () => {
  const rows = PAGE.rows('#', 'when', 'result_code', 'accepted', 'expected_eurocent');

  it('every row of the table, in its order', () => {
    expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
    expect(isNumbered(rows)).toBe(true);
    expect(unique(rows.map((row) => row.result_code))).toEqual(unique(PAYMENT_RESULTS));
  });

  it.each(named(rows, 'when'))('what a payment becomes where %s', (when, row) => {
    for (const cause of CAUSES[when] ?? []) {
      const { resultCode, purchase, expectedCents } = resultOf(cause);
      const expected = expectedCents === null ? 'null' : 'the price';
      expect([row.result_code, row.accepted, row.expected_eurocent]).toEqual([
        resultCode,
        String(purchase !== null),
        expected,
      ]);
    }
  });

  it.each(
    named(
      PAGE.rows('t', 'the running period ends', 'duration', 'the period starts', 'it ends', 'scadenza'),
      't',
      'the running period ends',
      'duration',
    ),
  )('the definitive expiry of: %s', (_, row) => {
    const collectedAt = read(row.t);
    const currentExpiry = orNone(read, row['the running period ends']);
    const end = definitiveExpiry({
      at: collectedAt,
      currentExpiry,
      duration: row.duration,
      timeZone: ROME,
    });
    expect(end).not.toBeNull();
    expect([row['it ends'], row.scadenza]).toEqual(
      end === null ? [] : [formatInstant(end, ROME), printedExpiry(end, ROME)],
    );
    const periods =
      currentExpiry === null ? [] : [{ startsAt: read('2026-01-01T00:00:00Z'), endsAt: currentExpiry }];
    const { purchase } = resultOf({
      title: { periods },
      plans: [{ ...MONTHLY, duration: row.duration }],
      payment: { collectedAt },
    });
    expect(purchase?.period).toEqual({ startsAt: read(row['the period starts']), endsAt: end });
  });

  const reversals = PAGE.rows('#', 'when', 'result_code', 'accepted');
  const FACTS: Readonly<Record<string, ReversibleFacts>> = {
    'there is no such payment': { payment: null, isNextPaid: false },
    'it was reversed before': { payment: { isReversed: true }, isNextPaid: true },
    'the period of a later accepted payment starts where its period ends': {
      payment: { isReversed: false },
      isNextPaid: true,
    },
    otherwise: { payment: { isReversed: false }, isNextPaid: false },
  };

  it('what becomes of a reversal', () => {
    expect(reversals.map(({ when }) => when)).toEqual(Object.keys(FACTS));
    expect(isNumbered(reversals)).toBe(true);
    expect(reversals.map((row) => row.result_code)).toEqual(REVERSAL_RESULTS);
    expect(reversals.map((row) => row.result_code)).toEqual(Object.values(FACTS).map(decideReversal));
  });

  it('every state', () => {
    expect(PAGE.rows('state', 'what it says').map(({ state }) => state)).toEqual(PAYMENT_STATES);
  });
});
