import { describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import {
  decidePurchase,
  type HeldSubscription,
  type MeterPlan,
  RESULT_CODES,
  type ResultCode,
} from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import { aSubscription, type HeldDeviation, held, MONTHLY, NOON, noon } from './fixtures.ts';

const PAST = { startsAt: noon(-2 * DAY_MS), endsAt: noon(-DAY_MS) };
const FUTURE = { startsAt: noon(1), endsAt: noon(DAY_MS) };
const RUNNING = { startsAt: NOON, endsAt: noon(5 * DAY_MS) };

/** The rows of the table in order, each as what makes it apply. */
const ROWS: readonly { readonly code: ResultCode; readonly cause: HeldDeviation }[] = [
  { code: 'PLATE_NOT_ACTIVE', cause: { subscription: { plateValidity: [{ from: null, until: NOON }] } } },
  { code: 'APPLICATION_NOT_APPROVED', cause: { subscription: { approval: 'pending' } } },
  { code: 'SUBSCRIPTION_REVOKED', cause: { subscription: { revokedAt: NOON } } },
  { code: 'SUBSCRIPTION_SUSPENDED', cause: { subscription: { suspended: { from: NOON, until: null } } } },
  {
    code: 'AUTHORIZATION_NOT_STARTED',
    cause: { subscription: { authorized: { from: noon(1), until: null } } },
  },
  { code: 'AUTHORIZATION_EXPIRED', cause: { subscription: { authorized: { from: null, until: NOON } } } },
  { code: 'FUTURE_RENEWAL_ALREADY_PRESENT', cause: { subscription: { periods: [PAST, FUTURE] } } },
  { code: 'RENEWAL_NOT_ALLOWED', cause: { type: { renewalAllowed: false } } },
  { code: 'NO_PARKING_METER_PLANS', cause: { plans: [] } },
  { code: 'OPTIONS_AVAILABLE', cause: {} },
];

/** Both causes at once. The authorization has a bound from each, so that both rows can hold. */
function together(earlier: HeldDeviation, later: HeldDeviation): HeldDeviation {
  const spans = [earlier.subscription?.authorized, later.subscription?.authorized];
  const bounds = {
    from: spans.find((span) => span?.from != null)?.from ?? null,
    until: spans.find((span) => span?.until != null)?.until ?? null,
  };
  return {
    ...later,
    ...earlier,
    subscription: { ...later.subscription, ...earlier.subscription, authorized: bounds },
    type: { ...later.type, ...earlier.type },
  };
}

const decide = (...all: HeldSubscription[]) => decidePurchase(all, NOON, 'UTC');
const outcomeOf = (deviation: HeldDeviation) => decide(held(deviation)).resultCode;
const codesOf = ({ sale }: ReturnType<typeof decide>) => sale?.offers.map(({ plan }) => plan.code);

describe('The outcome of a candidate', () => {
  it.each(ROWS)('$code', ({ code, cause }) => {
    expect(outcomeOf(cause)).toBe(code);
  });

  it('has a row for every outcome, in their order', () => {
    expect(ROWS.map(({ code }) => code)).toEqual(RESULT_CODES.slice(2, -1));
  });

  // Not only the neighbours: of any two rows that hold at once, the earlier one wins.
  const pairs = ROWS.flatMap((earlier, index) =>
    ROWS.slice(index + 1).map((later) => ({ earlier, later, title: `${earlier.code} before ${later.code}` })),
  );
  it.each(pairs)('$title', ({ earlier, later }) => {
    expect(outcomeOf(together(earlier.cause, later.cause))).toBe(earlier.code);
  });

  // Bounds of what a check judges as well are in test/domain/subscription.test.ts.
  it.each<[string, Partial<Subscription>, ResultCode]>([
    ['rejected', { approval: 'rejected' }, 'APPLICATION_NOT_APPROVED'],
    [
      'with a period that starts now',
      { periods: [{ startsAt: NOON, endsAt: noon(1) }] },
      'OPTIONS_AVAILABLE',
    ],
    ['with a first period to come', { periods: [FUTURE] }, 'FUTURE_RENEWAL_ALREADY_PRESENT'],
  ])('%s', (_, subscription, code) => {
    expect(outcomeOf({ subscription })).toBe(code);
  });

  describe('in the renewal window', () => {
    const endingIn = (ms: number) => ({ periods: [{ startsAt: noon(-DAY_MS), endsAt: noon(ms) }] });
    it.each<[number | null, number, ResultCode]>([
      [null, 1_000 * DAY_MS, 'OPTIONS_AVAILABLE'],
      [30, 30 * DAY_MS + 1, 'RENEWAL_NOT_ALLOWED'],
      [30, 30 * DAY_MS, 'OPTIONS_AVAILABLE'],
      [30, HOUR_MS, 'OPTIONS_AVAILABLE'],
      [0, 1, 'RENEWAL_NOT_ALLOWED'],
      [0, 0, 'OPTIONS_AVAILABLE'],
      [0, -HOUR_MS, 'OPTIONS_AVAILABLE'],
    ])('of %s days, the period ending %d ms from now: %s', (renewalOpensDaysBefore, ms, code) => {
      expect(outcomeOf({ subscription: endingIn(ms), type: { renewalOpensDaysBefore } })).toBe(code);
    });

    it('lets an expired title be renewed at any instant, before 1970 too', () => {
      const periods = [{ startsAt: instant(-3), endsAt: instant(-2) }];
      const expired = held({ subscription: { periods }, type: { renewalOpensDaysBefore: 0 } });
      expect(decidePurchase([expired], instant(-1), 'UTC').resultCode).toBe('OPTIONS_AVAILABLE');
    });

    it('has nothing to do with a first activation', () => {
      const type = { renewalAllowed: false, renewalOpensDaysBefore: 0 };
      expect(outcomeOf({ subscription: { periods: [] }, type })).toBe('OPTIONS_AVAILABLE');
    });

    it('stays shut for an expired title whose type allows no renewal', () => {
      const type = { renewalAllowed: false };
      expect(outcomeOf({ subscription: { periods: [PAST] }, type })).toBe('RENEWAL_NOT_ALLOWED');
    });
  });

  it.each<[string, MeterPlan['operations'], readonly Subscription['periods'][number][], ResultCode]>([
    ['a first activation', ['first_activation'], [], 'OPTIONS_AVAILABLE'],
    ['a first activation', ['renewal'], [], 'NO_PARKING_METER_PLANS'],
    ['a renewal', ['renewal'], [PAST], 'OPTIONS_AVAILABLE'],
    ['a renewal', ['first_activation'], [PAST], 'NO_PARKING_METER_PLANS'],
  ])('needs a plan for %s: one for %j', (_, operations, periods, code) => {
    expect(outcomeOf({ subscription: { periods }, plans: [{ ...MONTHLY, operations }] })).toBe(code);
  });
});

describe('What a meter may sell', () => {
  const FREE = held({ type: { freelySold: true } });

  it.each<[string, string, readonly HeldSubscription[]]>([
    ['without subscriptions', 'SUBSCRIPTION_NOT_FOUND', []],
    [
      'with freely sold subscriptions alone, whatever their state',
      'DIRECT_PURCHASE_NOT_SUPPORTED',
      [FREE, held({ type: { freelySold: true }, subscription: { revokedAt: NOON } })],
    ],
  ])('is nothing for a plate %s', (_, resultCode, all) => {
    const none = {
      sale: null,
      unprintable: [],
      subscriptionsCount: 0,
      entitlementsCount: 0,
      isRenewed: false,
    };
    expect(decide(...all)).toEqual({ resultCode, ...none });
  });

  it('leaves freely sold subscriptions out where there are others', () => {
    expect(decide(FREE, held(), FREE)).toMatchObject({
      resultCode: 'OPTIONS_AVAILABLE',
      subscriptionsCount: 1,
      entitlementsCount: 1,
    });
    const revoked = held({ subscription: { revokedAt: NOON } });
    expect(decide(FREE, revoked).resultCode).toBe('SUBSCRIPTION_REVOKED');
  });

  it('is a renewal from the current expiry on, by the plans in the order of their codes', () => {
    const plans = ['300', '100', '200'].map((code) => ({ ...MONTHLY, code }));
    const verdict = decide(held({ subscription: { periods: [RUNNING] }, plans }));
    expect(verdict.sale?.operation).toBe('renewal');
    expect(verdict.sale?.offers[0]?.expiry).toBe('12:00 15/04/2026');
    expect(codesOf(verdict)).toEqual(['100', '200', '300']);
  });

  it('is a renewal without a current expiry for an expired title', () => {
    const { sale } = decide(held({ subscription: { periods: [PAST] } }));
    expect(sale).toMatchObject({ operation: 'renewal', offers: [{ expiry: '12:00 10/04/2026' }] });
  });

  it('does not cap the current expiry by the authorization', () => {
    const subscription = { authorized: { from: null, until: noon(1) }, periods: [RUNNING] };
    expect(decide(held({ subscription })).sale?.offers[0]?.expiry).toBe('12:00 15/04/2026');
  });

  it('is a first activation for a title that has no period, by the plans for that alone', () => {
    const plans = [
      { ...MONTHLY, code: '101', operations: ['renewal'] as const },
      { ...MONTHLY, code: '102', operations: ['first_activation'] as const },
    ];
    const verdict = decide(held({ subscription: { periods: [] }, plans }));
    expect(verdict.sale).toMatchObject({
      operation: 'first_activation',
      offers: [{ plan: { code: '102' } }],
    });
    expect(codesOf(verdict)).toEqual(['102']);
  });

  it('is nothing when two could be bought: nobody can tell which is meant', () => {
    expect(decide(held(), held({ subscription: { periods: [] } }))).toEqual({
      resultCode: 'MULTIPLE_SUBSCRIPTIONS_FOUND',
      sale: null,
      unprintable: [],
      subscriptionsCount: 2,
      entitlementsCount: 1,
      isRenewed: false,
    });
  });

  it.each<[string, boolean, readonly HeldDeviation[]]>([
    ['has run out', true, [{ subscription: { periods: [PAST, FUTURE] } }]],
    ['runs', true, [{ subscription: { periods: [{ startsAt: NOON, endsAt: noon(1) }, FUTURE] } }]],
    ['is to come', false, [{ subscription: { periods: [FUTURE] } }]],
    [
      'is to come, of one of two titles',
      false,
      [{ subscription: { periods: [PAST, FUTURE] } }, { subscription: { periods: [FUTURE] } }],
    ],
    [
      'is to come, of a title that does not give the reason',
      true,
      [
        { subscription: { periods: [PAST, FUTURE] } },
        { subscription: { periods: [FUTURE], revokedAt: NOON } },
      ],
    ],
  ])('is nothing where a period is paid already: where the first %s, renewed: %s', (_, isRenewed, all) => {
    const verdict = decide(...all.map((one) => held(one)));
    expect(verdict).toMatchObject({ resultCode: 'FUTURE_RENEWAL_ALREADY_PRESENT', isRenewed });
  });

  it('is what the only one with options has, whatever the others lack', () => {
    const others = ROWS.slice(0, -1).map(({ cause }) => held(cause));
    expect(decide(...others, held())).toMatchObject({ resultCode: 'OPTIONS_AVAILABLE' });
  });

  const negatives = ROWS.slice(0, -1);
  it.each(negatives.slice(1).map((nearer, index) => ({ nearer, further: negatives[index] ?? nearer })))(
    'is nothing for the reason nearest to a sale: $nearer.code',
    ({ nearer, further }) => {
      expect(decide(held(nearer.cause), held(further.cause)).resultCode).toBe(nearer.code);
      expect(decide(held(further.cause), held(nearer.cause)).resultCode).toBe(nearer.code);
    },
  );

  it.each<[string, HeldDeviation, number]>([
    ['valid everywhere', {}, 1],
    ['limited to areas', { subscription: { areas: ['S1'] } }, 1],
    ['without plans', { plans: [] }, 1],
    ['with a renewal to come', { subscription: { periods: [...aSubscription().periods, FUTURE] } }, 1],
    ['expired', { subscription: { periods: [PAST] } }, 0],
    ['revoked', { subscription: { revokedAt: NOON } }, 0],
    ['pending', { subscription: { approval: 'pending' } }, 0],
    ['left by the plate', { subscription: { plateValidity: [] } }, 0],
    ['freely sold', { type: { freelySold: true } }, 0],
  ])('counts the entitlements that stand: one that is %s', (_, deviation, count) => {
    expect(decide(held(deviation)).entitlementsCount).toBe(count);
  });
});

describe('The plans on offer within an authorization', () => {
  const ending = (subscription: Partial<Subscription>, soldWithinAuthorization = true) =>
    decide(held({ subscription, type: { soldWithinAuthorization } }));
  const end = noon(HOUR_MS);
  const MONTH_LATER = Date.UTC(2026, 3, 10, 12);

  it.each<[string, Partial<Subscription>, readonly string[]]>([
    ['without an end', { authorized: { from: null, until: null } }, ['101']],
    ['that ends with the plan', { authorized: { from: null, until: instant(MONTH_LATER) } }, ['101']],
    ['that ends a moment before', { authorized: { from: null, until: instant(MONTH_LATER - 1) } }, []],
    ['that is revoked with its end', { revokedAt: instant(MONTH_LATER) }, ['101']],
    ['that is revoked a moment before', { revokedAt: instant(MONTH_LATER - 1) }, []],
    [
      'that is revoked before it ends',
      { authorized: { from: null, until: instant(MONTH_LATER) }, revokedAt: end },
      [],
    ],
    [
      'that ends before it is revoked',
      { authorized: { from: null, until: end }, revokedAt: instant(MONTH_LATER) },
      [],
    ],
  ])('%s', (_, subscription, codes) => {
    const verdict = ending(subscription);
    expect(codesOf(verdict) ?? []).toEqual(codes);
    expect(verdict.resultCode).toBe(codes.length > 0 ? 'OPTIONS_AVAILABLE' : 'NO_PARKING_METER_PLANS');
    expect(codesOf(ending(subscription, false))).toEqual(['101']);
  });

  it('leaves out a plan whose end cannot be written, where there is an end', () => {
    const plans = [{ ...MONTHLY, duration: 'P9999Y' }];
    const authorized = { from: null, until: end };
    const type = { soldWithinAuthorization: true };
    expect(decide(held({ subscription: { authorized }, plans, type })).unprintable).toEqual([]);
    expect(decide(held({ subscription: { authorized }, plans })).unprintable).toEqual(['101']);
  });

  it('names a plan that no meter can print, beside those that are offered', () => {
    const plans = [MONTHLY, { ...MONTHLY, code: '100', duration: 'P9999Y' }];
    const verdict = decide(held({ plans }));
    expect([verdict.unprintable, codesOf(verdict)]).toEqual([['100'], ['101']]);
  });
});
