import { describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import {
  type CollectedPayment,
  decidePayment,
  PAYMENT_RESULTS,
  type PayableSubscription,
  type PaymentResult,
} from '../../src/domain/payment.ts';
import { definitiveExpiry, printedExpiry } from '../../src/domain/plan-expiry.ts';
import type { MeterPlan, SubscriptionType } from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { aSubscription, NOON, noon, time } from './fixtures.ts';

const ROME = 'Europe/Rome';
const MONTHLY: MeterPlan = {
  code: '101',
  amountCents: 2_500,
  duration: 'P1M',
  description: 'RESIDENTI MENSILE',
  operations: ['first_activation', 'renewal'],
};

interface Deviation {
  readonly subscription?: Partial<Subscription>;
  readonly type?: Partial<SubscriptionType>;
  readonly plans?: readonly MeterPlan[];
  readonly isActivated?: boolean;
  readonly accepted?: PayableSubscription['accepted'];
}

/** A title that is valid at noon and can be renewed, with one deviation a test. */
function held({ subscription, type, plans = [MONTHLY], isActivated, accepted = [] }: Deviation = {}) {
  const own = aSubscription(subscription);
  return {
    subscription: own,
    isActivated: isActivated ?? own.periods.length > 0,
    type: { freelySold: false, renewalAllowed: true, renewalOpensDaysBefore: null, ...type },
    plans,
    accepted,
  } satisfies PayableSubscription;
}

const paid = (deviation: Partial<CollectedPayment> = {}): CollectedPayment => ({
  collectedAt: NOON,
  planCode: '101',
  amountCents: 2_500,
  subscriptionNames: null,
  timeZone: ROME,
  ...deviation,
});

const another = { subscription: { subscriptionNumber: 'A-2' } };
const FREE = { type: { freelySold: true } };

/** Each row of the table in its order: the plate's titles, what was paid, and what it becomes. */
const ROWS: readonly {
  readonly code: PaymentResult;
  readonly titles: readonly Deviation[];
  readonly payment?: Partial<CollectedPayment>;
  /** The title that is meant; absent: none. */
  readonly meant?: string;
  readonly expectedCents?: number;
}[] = [
  { code: 'SUBSCRIPTION_NOT_FOUND', titles: [] },
  { code: 'SUBSCRIPTION_NOT_FOUND', titles: [{}], payment: { subscriptionNames: ['A-2'] } },
  { code: 'DIRECT_PURCHASE_NOT_SUPPORTED', titles: [FREE], meant: 'A-1' },
  { code: 'DIRECT_PURCHASE_NOT_SUPPORTED', titles: [FREE, { ...FREE, ...another }] },
  {
    code: 'DIRECT_PURCHASE_NOT_SUPPORTED',
    titles: [FREE, another],
    payment: { subscriptionNames: ['A-1'] },
    meant: 'A-1',
  },
  {
    code: 'PLATE_NOT_ACTIVE',
    titles: [{ subscription: { plateValidity: [{ from: null, until: NOON }] } }],
    meant: 'A-1',
  },
  { code: 'APPLICATION_NOT_APPROVED', titles: [{ subscription: { approval: 'pending' } }], meant: 'A-1' },
  { code: 'SUBSCRIPTION_REVOKED', titles: [{ subscription: { revokedAt: NOON } }], meant: 'A-1' },
  {
    code: 'SUBSCRIPTION_SUSPENDED',
    titles: [{ subscription: { suspended: { from: NOON, until: null } } }],
    meant: 'A-1',
  },
  {
    code: 'AUTHORIZATION_NOT_STARTED',
    titles: [{ subscription: { authorized: { from: noon(1), until: null } } }],
    meant: 'A-1',
  },
  {
    code: 'AUTHORIZATION_EXPIRED',
    titles: [{ subscription: { authorized: { from: null, until: NOON } } }],
    meant: 'A-1',
  },
  {
    code: 'FUTURE_RENEWAL_ALREADY_PRESENT',
    titles: [{ subscription: { periods: [{ startsAt: noon(1), endsAt: noon(DAY_MS) }] } }],
    meant: 'A-1',
  },
  { code: 'RENEWAL_NOT_ALLOWED', titles: [{ type: { renewalAllowed: false } }], meant: 'A-1' },
  {
    code: 'RENEWAL_NOT_ALLOWED',
    titles: [
      { type: { renewalAllowed: false } },
      { subscription: { subscriptionNumber: 'A-2', revokedAt: NOON } },
    ],
  },
  { code: 'PLAN_NOT_FOUND', titles: [{ plans: [] }], meant: 'A-1' },
  { code: 'PLAN_NOT_FOUND', titles: [{}], payment: { planCode: '102' }, meant: 'A-1' },
  {
    code: 'PLAN_NOT_FOUND',
    titles: [{ plans: [{ ...MONTHLY, operations: ['first_activation'] }] }],
    meant: 'A-1',
  },
  {
    code: 'PLAN_NOT_FOUND',
    titles: [{ subscription: { periods: [] }, plans: [{ ...MONTHLY, operations: ['renewal'] }] }],
    meant: 'A-1',
  },
  { code: 'PLAN_NOT_FOUND', titles: [{ plans: [{ ...MONTHLY, duration: 'P9000Y' }] }], meant: 'A-1' },
  { code: 'PLAN_NOT_FOUND', titles: [{ plans: [] }, { plans: [], ...another }] },
  { code: 'MULTIPLE_SUBSCRIPTIONS_FOUND', titles: [{}, another], expectedCents: 2_500 },
  {
    code: 'AMOUNT_MISMATCH',
    titles: [{}],
    payment: { amountCents: 2_499 },
    meant: 'A-1',
    expectedCents: 2_500,
  },
  {
    code: 'POSSIBLE_DOUBLE_PAYMENT',
    titles: [{ accepted: [{ planCode: '101', collectedAt: NOON }] }],
    meant: 'A-1',
    expectedCents: 2_500,
  },
  {
    code: 'POSSIBLE_DOUBLE_PAYMENT',
    titles: [{ accepted: [{ planCode: '101', collectedAt: noon(1 - 10 * MINUTE_MS) }] }],
    meant: 'A-1',
    expectedCents: 2_500,
  },
  { code: 'PERIOD_CREATED', titles: [{}], meant: 'A-1', expectedCents: 2_500 },
  {
    code: 'PERIOD_CREATED',
    titles: [
      {
        accepted: [
          { planCode: '101', collectedAt: noon(-10 * MINUTE_MS) },
          { planCode: '101', collectedAt: noon(1) },
          { planCode: '102', collectedAt: NOON },
        ],
      },
    ],
    meant: 'A-1',
    expectedCents: 2_500,
  },
  { code: 'PERIOD_CREATED', titles: [FREE, another], meant: 'A-2', expectedCents: 2_500 },
  {
    code: 'PERIOD_CREATED',
    titles: [{}, another],
    payment: { subscriptionNames: ['A-2'] },
    meant: 'A-2',
    expectedCents: 2_500,
  },
  {
    code: 'PERIOD_CREATED',
    titles: [{ subscription: { revokedAt: NOON } }, another],
    meant: 'A-2',
    expectedCents: 2_500,
  },
  { code: 'PERIOD_CREATED', titles: [{ plans: [] }, another], meant: 'A-2', expectedCents: 2_500 },
];

describe('What a payment becomes', () => {
  it.each(ROWS)('$code ($titles.length titles, meant: $meant)', (row) => {
    const verdict = decidePayment(row.titles.map(held), paid(row.payment));
    expect(verdict.resultCode).toBe(row.code);
    expect(verdict.meant?.subscription.subscriptionNumber).toBe(row.meant);
    expect(verdict.expectedCents).toBe(row.expectedCents ?? null);
    expect(verdict.purchase !== null).toBe(row.code === 'PERIOD_CREATED');
  });

  it('has a case of every row, in the order of the table', () => {
    const codes = [...new Set(ROWS.map(({ code }) => code))];
    expect(codes).toEqual([...PAYMENT_RESULTS]);
  });

  it('of two rows it is the earlier one', () => {
    const free = held(FREE);
    const mismatch = paid({ amountCents: 1 });
    const revoked = held({ subscription: { revokedAt: NOON }, plans: [] });
    const double = { accepted: [{ planCode: '101', collectedAt: NOON }] };
    expect(decidePayment([free], paid({ subscriptionNames: ['A-2'] })).resultCode).toBe(
      'SUBSCRIPTION_NOT_FOUND',
    );
    expect(decidePayment([revoked], mismatch).resultCode).toBe('SUBSCRIPTION_REVOKED');
    expect(decidePayment([held({ plans: [] })], mismatch).resultCode).toBe('PLAN_NOT_FOUND');
    expect(decidePayment([held(), held(another)], mismatch).resultCode).toBe('MULTIPLE_SUBSCRIPTIONS_FOUND');
    expect(decidePayment([held(double)], mismatch).resultCode).toBe('AMOUNT_MISMATCH');
  });

  it('is a renewal from the end of the running period that ends last', () => {
    const periods = [
      { startsAt: noon(-HOUR_MS), endsAt: noon(2 * HOUR_MS) },
      { startsAt: noon(-2 * HOUR_MS), endsAt: noon(3 * HOUR_MS) },
    ];
    const { purchase } = decidePayment([held({ subscription: { periods } })], paid());
    expect(purchase).toEqual({
      operation: 'renewal',
      period: { startsAt: noon(3 * HOUR_MS), endsAt: time('2026-04-10T13:00:00+02:00') },
    });
  });

  it.each([
    ['first_activation', []],
    ['renewal', [{ startsAt: noon(-DAY_MS), endsAt: NOON }]],
  ])('is a %s from the collection on, with its milliseconds, where no period runs', (operation, periods) => {
    const collectedAt = noon(1_234);
    const { purchase } = decidePayment([held({ subscription: { periods } })], paid({ collectedAt }));
    expect(purchase).toEqual({
      operation,
      period: { startsAt: collectedAt, endsAt: time('2026-04-10T13:00:01.234+02:00') },
    });
  });
});

describe('A plan that was configured otherwise', () => {
  const NOW = { ...MONTHLY, amountCents: 3_000, duration: 'P2M' };
  const LAST = { ...MONTHLY, amountCents: 2_000 };
  const plans = [NOW, LAST, MONTHLY];

  it('counts where its price is the amount', () => {
    const { expectedCents, purchase } = decidePayment([held({ plans })], paid());
    expect([expectedCents, purchase?.operation]).toEqual([2_500, 'renewal']);
  });

  it('gives the price that is expected, the newest first', () => {
    const mismatch = paid({ amountCents: 1 });
    expect(decidePayment([held({ plans })], mismatch).expectedCents).toBe(3_000);
    expect(decidePayment([held({ plans: [LAST, MONTHLY] })], mismatch).expectedCents).toBe(2_000);
  });
});

describe('A title of which all payments were reversed', () => {
  it('is activated for the first time, from the end of what is left', () => {
    const rest = { startsAt: noon(-HOUR_MS), endsAt: noon(HOUR_MS) };
    const type = { renewalAllowed: false };
    const title = held({ subscription: { periods: [rest] }, type, isActivated: false });
    expect(decidePayment([title], paid()).purchase).toMatchObject({
      operation: 'first_activation',
      period: { startsAt: rest.endsAt },
    });
  });
});

describe('The definitive expiry', () => {
  const endOf = (at: string, expiry: string | null, duration: string) => {
    const end = definitiveExpiry({
      at: time(at),
      currentExpiry: expiry === null ? null : time(expiry),
      duration,
      timeZone: ROME,
    });
    return end === null ? null : [formatInstant(end, ROME), printedExpiry(end, ROME)];
  };

  it.each([
    ['2026-03-07T17:44:12.5+01:00', null, 'P1M', '2026-04-07T17:44:12.500+02:00', '17:44 07/04/2026'],
    ['2026-01-31T08:00:00+01:00', null, 'P1M', '2026-02-28T08:00:00+01:00', '08:00 28/02/2026'],
    [
      '2026-03-07T17:44:12+01:00',
      '2026-03-20T00:00:00+01:00',
      'P1W',
      '2026-03-27T17:44:12+01:00',
      '17:44 27/03/2026',
    ],
    // 02:30 does not exist on 29 March 2026, and occurs twice on 25 October.
    ['2026-03-28T02:30:00+01:00', null, 'P1D', '2026-03-29T03:30:00+02:00', '03:30 29/03/2026'],
    ['2026-10-24T02:30:00+02:00', null, 'P1D', '2026-10-25T02:30:00+01:00', '02:30 25/10/2026'],
  ])('%s, %s, %s: %s', (at, expiry, duration, end, printed) => {
    expect(endOf(at, expiry, duration)).toEqual([end, printed]);
  });

  it.each(['P7974Y', 'PT1H'])('is none for %s', (duration) => {
    expect(endOf('2026-03-07T17:44:12+01:00', null, duration)).toBeNull();
  });
});
