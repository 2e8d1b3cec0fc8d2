import { describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import {
  type CollectedPayment,
  collectionInstant,
  decidePayment,
  PAYMENT_RESULTS,
  type PaymentResult,
} from '../../src/domain/payment.ts';
import { definitiveExpiry, printedExpiry } from '../../src/domain/plan-expiry.ts';
import type { HeldSubscription, MeterPlan } from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import { formatInstant } from '../../src/domain/zoned-time.ts';
import { type HeldDeviation, held, MONTHLY, NOON, noon, time } from './fixtures.ts';

const ROME = 'Europe/Rome';
interface Deviation extends HeldDeviation {
  readonly isActivated?: boolean;
  readonly accepted?: HeldSubscription['accepted'];
}

const title = ({ isActivated, accepted = [], ...others }: Deviation = {}): HeldSubscription => {
  const own = held(others);
  return { ...own, isActivated: isActivated ?? own.isActivated, accepted };
};

const paid = (deviation: Partial<CollectedPayment> = {}): CollectedPayment => ({
  collectedAt: NOON,
  planCode: '101',
  amountCents: 2_500,
  subscriptionNames: null,
  timeZone: ROME,
  ...deviation,
});

const titled = (subscription: Partial<Subscription>): Deviation => ({ subscription });
const another = titled({ subscriptionNumber: 'A-2' });
const FREE = { type: { freelySold: true } };
const NO_RENEWAL = { type: { renewalAllowed: false } };
const sells = (plan: Partial<MeterPlan>): Deviation => ({ plans: [{ ...MONTHLY, ...plan }] });
const paidBefore = (ms: number): Deviation => ({
  accepted: [{ planCode: '101', collectedAt: noon(ms) }],
});
const PAID_OTHERWISE: Deviation = {
  accepted: [-10 * MINUTE_MS, 1, 0].map((ms) => ({
    planCode: ms === 0 ? '102' : '101',
    collectedAt: noon(ms),
  })),
};

/** Each row of the table in its order: what it becomes, the plate's titles, the title that is meant, and what was paid. */
const ROWS: readonly (readonly [
  PaymentResult,
  readonly Deviation[],
  (string | undefined)?,
  Partial<CollectedPayment>?,
])[] = [
  ['SUBSCRIPTION_NOT_FOUND', []],
  ['SUBSCRIPTION_NOT_FOUND', [{}], undefined, { subscriptionNames: ['A-2'] }],
  ['DIRECT_PURCHASE_NOT_SUPPORTED', [FREE], 'A-1'],
  ['DIRECT_PURCHASE_NOT_SUPPORTED', [FREE, { ...FREE, ...another }]],
  ['DIRECT_PURCHASE_NOT_SUPPORTED', [FREE, another], 'A-1', { subscriptionNames: ['A-1'] }],
  ['PLATE_NOT_ACTIVE', [titled({ plateValidity: [{ from: null, until: NOON }] })], 'A-1'],
  ['APPLICATION_NOT_APPROVED', [titled({ approval: 'pending' })], 'A-1'],
  ['SUBSCRIPTION_REVOKED', [titled({ revokedAt: NOON })], 'A-1'],
  ['SUBSCRIPTION_SUSPENDED', [titled({ suspended: { from: NOON, until: null } })], 'A-1'],
  ['AUTHORIZATION_NOT_STARTED', [titled({ authorized: { from: noon(1), until: null } })], 'A-1'],
  ['AUTHORIZATION_EXPIRED', [titled({ authorized: { from: null, until: NOON } })], 'A-1'],
  [
    'FUTURE_RENEWAL_ALREADY_PRESENT',
    [titled({ periods: [{ startsAt: noon(1), endsAt: noon(DAY_MS) }] })],
    'A-1',
  ],
  ['RENEWAL_NOT_ALLOWED', [NO_RENEWAL], 'A-1'],
  ['RENEWAL_NOT_ALLOWED', [NO_RENEWAL, titled({ subscriptionNumber: 'A-2', revokedAt: NOON })]],
  ['PLAN_NOT_FOUND', [{ plans: [] }], 'A-1'],
  ['PLAN_NOT_FOUND', [{}], 'A-1', { planCode: '102' }],
  ['PLAN_NOT_FOUND', [sells({ operations: ['first_activation'] })], 'A-1'],
  ['PLAN_NOT_FOUND', [{ ...titled({ periods: [] }), ...sells({ operations: ['renewal'] }) }], 'A-1'],
  ['PLAN_NOT_FOUND', [sells({ duration: 'P9000Y' })], 'A-1'],
  ['PLAN_NOT_FOUND', [{ plans: [] }, { plans: [], ...another }]],
  ['MULTIPLE_SUBSCRIPTIONS_FOUND', [{}, another]],
  ['AMOUNT_MISMATCH', [{}], 'A-1', { amountCents: 2_499 }],
  ['POSSIBLE_DOUBLE_PAYMENT', [paidBefore(0)], 'A-1'],
  ['POSSIBLE_DOUBLE_PAYMENT', [paidBefore(1 - 10 * MINUTE_MS)], 'A-1'],
  ['PERIOD_CREATED', [{}], 'A-1'],
  ['PERIOD_CREATED', [PAID_OTHERWISE], 'A-1'],
  ['PERIOD_CREATED', [FREE, another], 'A-2'],
  ['PERIOD_CREATED', [{}, another], 'A-2', { subscriptionNames: ['A-2'] }],
  ['PERIOD_CREATED', [titled({ revokedAt: NOON }), another], 'A-2'],
  ['PERIOD_CREATED', [{ plans: [] }, another], 'A-2'],
];
/** From this row on, what the plan costs is known. */
const PRICED = PAYMENT_RESULTS.indexOf('MULTIPLE_SUBSCRIPTIONS_FOUND');

describe('What a payment becomes', () => {
  const cases = ROWS.map(([code, titles, meant, payment]) => ({ code, titles, meant, payment }));
  it.each(cases)('$code ($titles, meant: $meant, paid: $payment)', ({ code, titles, meant, payment }) => {
    const verdict = decidePayment(titles.map(title), paid(payment));
    expect(verdict.resultCode).toBe(code);
    expect(verdict.meant?.subscription.subscriptionNumber).toBe(meant);
    expect(verdict.expectedCents).toBe(PAYMENT_RESULTS.indexOf(code) < PRICED ? null : 2_500);
    expect(verdict.purchase !== null).toBe(code === 'PERIOD_CREATED');
  });

  it('has a case of every row, in the order of the table', () => {
    expect([...new Set(ROWS.map(([code]) => code))]).toEqual([...PAYMENT_RESULTS]);
  });

  it('of two rows it is the earlier one', () => {
    const codeOf = (titles: readonly Deviation[], payment: Partial<CollectedPayment> = { amountCents: 1 }) =>
      decidePayment(titles.map(title), paid(payment)).resultCode;
    expect(codeOf([FREE], { subscriptionNames: ['A-2'] })).toBe('SUBSCRIPTION_NOT_FOUND');
    expect(codeOf([{ ...titled({ revokedAt: NOON }), plans: [] }])).toBe('SUBSCRIPTION_REVOKED');
    expect(codeOf([{ plans: [] }])).toBe('PLAN_NOT_FOUND');
    expect(codeOf([{}, another])).toBe('MULTIPLE_SUBSCRIPTIONS_FOUND');
    expect(codeOf([paidBefore(0)])).toBe('AMOUNT_MISMATCH');
  });

  it('is a renewal from the end of the running period that ends last', () => {
    const periods = [
      { startsAt: noon(-HOUR_MS), endsAt: noon(2 * HOUR_MS) },
      { startsAt: noon(-2 * HOUR_MS), endsAt: noon(3 * HOUR_MS) },
    ];
    const { purchase } = decidePayment([title({ subscription: { periods } })], paid());
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
    const { purchase } = decidePayment([title({ subscription: { periods } })], paid({ collectedAt }));
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
    const { expectedCents, purchase } = decidePayment([title({ plans })], paid());
    expect([expectedCents, purchase?.operation]).toEqual([2_500, 'renewal']);
  });

  it('gives the price that is expected, the newest first', () => {
    const mismatch = paid({ amountCents: 1 });
    expect(decidePayment([title({ plans })], mismatch).expectedCents).toBe(3_000);
    expect(decidePayment([title({ plans: [LAST, MONTHLY] })], mismatch).expectedCents).toBe(2_000);
  });
});

describe('A title of which all payments were reversed', () => {
  it('is activated for the first time, from the end of what is left', () => {
    const rest = { startsAt: noon(-HOUR_MS), endsAt: noon(HOUR_MS) };
    const type = { renewalAllowed: false };
    const reversed = title({ subscription: { periods: [rest] }, type, isActivated: false });
    expect(decidePayment([reversed], paid()).purchase).toMatchObject({
      operation: 'first_activation',
      period: { startsAt: rest.endsAt },
    });
  });
});

describe('A payment is judged', () => {
  const AHEAD = 5 * SECOND_MS;
  const OLDEST = -400 * DAY_MS;
  it.each([
    ['at its own instant', -1, { at: noon(-1) }],
    ['now, where its clock is ahead by seconds', AHEAD, { at: NOON }],
    ['not, further ahead', AHEAD + 1, { refused: 'COLLECTED_AT_IN_FUTURE' }],
    ['400 days later', OLDEST, { at: noon(OLDEST) }],
    ['not after that', OLDEST - 1, { refused: 'COLLECTED_AT_OUT_OF_RANGE' }],
  ])('%s', (_, ms, expected) => {
    expect(collectionInstant(noon(ms), NOON)).toEqual(expected);
  });

  it('not before 1970, however near that is', () => {
    const refused = { refused: 'COLLECTED_AT_OUT_OF_RANGE' };
    expect(collectionInstant(instant(-1), instant(1))).toEqual(refused);
    expect(collectionInstant(instant(0), instant(1))).toEqual({ at: 0 });
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
