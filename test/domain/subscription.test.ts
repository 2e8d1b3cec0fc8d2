import { describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import {
  diagnoseSubscription,
  isListed,
  SUBSCRIPTION_REASON_CODES,
  type Subscription,
  type SubscriptionReasonCode,
  type SubscriptionStatus,
  subscriptionOverAt,
} from '../../src/domain/subscription.ts';
import { aSubscription, NOON, noon } from './fixtures.ts';

const PAST = { startsAt: noon(-2 * DAY_MS), endsAt: noon(-DAY_MS) };
const FUTURE = { startsAt: noon(DAY_MS), endsAt: noon(2 * DAY_MS) };

type Case = readonly [
  code: SubscriptionReasonCode,
  status: SubscriptionStatus,
  /** What makes the row apply, without making any later row impossible. */
  cause: Partial<Subscription>,
  areaCode?: null,
];

/** The rows of the diagnosis in order, one in its two halves; the area asked for is P1 unless the row says none. */
const ROWS: readonly Case[] = [
  ['SUBSCRIPTION_REVOKED', 'revoked', { revokedAt: NOON }],
  ['SUBSCRIPTION_SUSPENDED', 'suspended', { suspended: { from: NOON, until: null } }],
  ['AUTHORIZATION_NOT_YET_ACTIVE', 'approved', { authorized: { from: noon(1), until: null } }],
  ['AUTHORIZATION_EXPIRED', 'expired', { authorized: { from: null, until: NOON } }],
  ['FIRST_ACTIVATION_REQUIRED', 'approved', { periods: [] }],
  ['PERIOD_NOT_YET_ACTIVE', 'approved', { periods: [FUTURE] }],
  ['PERIOD_NOT_YET_ACTIVE', 'expired', { periods: [FUTURE, PAST] }],
  ['PERIOD_EXPIRED', 'expired', { periods: [PAST] }],
  ['AREA_CODE_REQUIRED', 'active', { areas: ['P2'] }, null],
  ['AREA_NOT_ALLOWED', 'active', { areas: ['P2', 'S1'] }],
  ['VALID_SUBSCRIPTION', 'active', {}],
];

describe('The diagnosis of a subscription', () => {
  const cases = ROWS.map(([reasonCode, status, cause, areaCode = 'P1']) => ({
    reasonCode,
    status,
    cause,
    areaCode,
  }));
  it.each(cases)('$reasonCode, $status', ({ reasonCode, status, cause, areaCode }) => {
    expect(diagnoseSubscription(aSubscription(cause), NOON, areaCode)).toEqual({ reasonCode, status });
  });

  it('has a row for every code, in the order of the codes', () => {
    expect([...new Set(ROWS.map(([code]) => code))]).toEqual([...SUBSCRIPTION_REASON_CODES]);
  });

  // Not only the neighbours: of any two rows that can hold at once, the earlier one wins. Both authorization rows do so
  // when the authorization is empty; rows of periods exclude each other, and so do rows of areas.
  const pairs = ROWS.flatMap((earlier, index) => ROWS.slice(index + 1).map((later) => ({ earlier, later })));
  const canHold = ({ earlier, later }: (typeof pairs)[number]) =>
    !['periods', 'areas'].some((name) => name in earlier[2] && name in later[2]);

  it.each(pairs.filter(canHold))('$earlier.0 before $later.0', ({ earlier, later }) => {
    const [reasonCode, status, cause, own] = earlier;
    const [, , otherCause, other] = later;
    const authorized = {
      ...aSubscription().authorized,
      ...boundsOf(otherCause.authorized),
      ...boundsOf(cause.authorized),
    };
    const subscription = aSubscription({ ...otherCause, ...cause, authorized });
    const areaCode = own === null || other === null ? null : 'P1';
    expect(diagnoseSubscription(subscription, NOON, areaCode)).toEqual({ reasonCode, status });
  });

  it('lets an authorization without a start have begun at any instant, before 1970 too', () => {
    expect(diagnoseSubscription(aSubscription({ periods: [] }), instant(-1), null).reasonCode).toBe(
      'FIRST_ACTIVATION_REQUIRED',
    );
  });

  describe('at the bounds', () => {
    it.each([
      [1, 'VALID_SUBSCRIPTION'],
      [0, 'SUBSCRIPTION_REVOKED'],
      [-1, 'SUBSCRIPTION_REVOKED'],
    ])('revoked %d ms after the instant: %s', (ms, code) => {
      expect(codeOf({ revokedAt: noon(ms) })).toBe(code);
    });

    it.each([
      [1, 10, 'VALID_SUBSCRIPTION'],
      [0, 10, 'SUBSCRIPTION_SUSPENDED'],
      [-10, 1, 'SUBSCRIPTION_SUSPENDED'],
      [-10, 0, 'VALID_SUBSCRIPTION'],
      [1, null, 'VALID_SUBSCRIPTION'],
      [0, null, 'SUBSCRIPTION_SUSPENDED'],
      [-DAY_MS, null, 'SUBSCRIPTION_SUSPENDED'],
    ])('suspended from %d to %s ms from the instant: %s', (from, until, code) => {
      const suspended = { from: noon(from), until: until === null ? null : noon(until) };
      expect(codeOf({ suspended })).toBe(code);
    });

    it.each([
      [1, 10, 'AUTHORIZATION_NOT_YET_ACTIVE'],
      [0, 10, 'VALID_SUBSCRIPTION'],
      [-10, 1, 'VALID_SUBSCRIPTION'],
      [-10, 0, 'AUTHORIZATION_EXPIRED'],
      [0, null, 'VALID_SUBSCRIPTION'],
      [null, 1, 'VALID_SUBSCRIPTION'],
      [null, null, 'VALID_SUBSCRIPTION'],
    ])('authorized from %s to %s ms from the instant: %s', (from, until, code) => {
      const bound = (ms: number | null) => (ms === null ? null : noon(ms));
      expect(codeOf({ authorized: { from: bound(from), until: bound(until) } })).toBe(code);
    });

    it.each([
      [1, 10, 'PERIOD_NOT_YET_ACTIVE', 'approved'],
      [0, 10, 'VALID_SUBSCRIPTION', 'active'],
      [-10, 1, 'VALID_SUBSCRIPTION', 'active'],
      [-10, 0, 'PERIOD_EXPIRED', 'expired'],
    ])('with a period from %d to %d ms from the instant: %s, %s', (startsAt, endsAt, reasonCode, status) => {
      const periods = [{ startsAt: noon(startsAt), endsAt: noon(endsAt) }];
      expect(diagnoseSubscription(aSubscription({ periods }), NOON, null)).toEqual({ reasonCode, status });
    });

    it('with one period that ends as the next one starts there is no gap', () => {
      const periods = [
        { startsAt: noon(-HOUR_MS), endsAt: NOON },
        { startsAt: NOON, endsAt: noon(HOUR_MS) },
      ];
      expect(codeOf({ periods })).toBe('VALID_SUBSCRIPTION');
      expect(codeOf({ periods: periods.toReversed() })).toBe('VALID_SUBSCRIPTION');
    });

    it('with a period that contains the instant, past and future ones change nothing', () => {
      expect(codeOf({ periods: [FUTURE, PAST, ...aSubscription().periods] })).toBe('VALID_SUBSCRIPTION');
    });
  });

  describe('by area', () => {
    it.each([
      ['all', null, 'VALID_SUBSCRIPTION'],
      ['all', 'P1', 'VALID_SUBSCRIPTION'],
      [['P1'], 'P1', 'VALID_SUBSCRIPTION'],
      [['S1', 'P1'], 'P1', 'VALID_SUBSCRIPTION'],
      [['P10'], 'P1', 'AREA_NOT_ALLOWED'],
      [['p1'], 'P1', 'AREA_NOT_ALLOWED'],
      [[], 'P1', 'AREA_NOT_ALLOWED'],
      [[], null, 'AREA_CODE_REQUIRED'],
      [['P1'], null, 'AREA_CODE_REQUIRED'],
    ] as const)('limited to %j and asked for %s: %s', (areas, areaCode, code) => {
      expect(diagnoseSubscription(aSubscription({ areas }), NOON, areaCode).reasonCode).toBe(code);
    });
  });
});

describe('A subscription is listed', () => {
  it.each([
    ['approved', true],
    ['pending', false],
    ['rejected', false],
  ] as const)('by its application: %s: %s', (approval, expected) => {
    expect(isListed(aSubscription({ approval }), NOON)).toBe(expected);
  });

  it.each([
    ['without bounds', [[null, null]], true],
    ['from the instant on', [[0, null]], true],
    ['from just after it on', [[1, null]], false],
    ['until the instant', [[null, 0]], false],
    ['until just after it', [[null, 1]], true],
    [
      'before and after, with a gap there',
      [
        [-10, 0],
        [1, null],
      ],
      false,
    ],
    [
      'before, and again from the instant on',
      [
        [-10, -5],
        [0, 10],
      ],
      true,
    ],
    ['never', [], false],
  ] as const)('while its plate is on it: %s: %s', (_, spans, expected) => {
    const bound = (ms: number | null) => (ms === null ? null : noon(ms));
    const plateValidity = spans.map(([from, until]) => ({ from: bound(from), until: bound(until) }));
    expect(isListed(aSubscription({ plateValidity }), NOON)).toBe(expected);
  });
});

function codeOf(deviation: Partial<Subscription>): SubscriptionReasonCode {
  return diagnoseSubscription(aSubscription(deviation), NOON, 'P1').reasonCode;
}

/** The bounds that a row's cause sets, so that those of two rows can hold together. */
function boundsOf(span: Subscription['authorized'] | undefined): Partial<Subscription['authorized']> {
  return {
    ...(span?.from == null ? {} : { from: span.from }),
    ...(span?.until == null ? {} : { until: span.until }),
  };
}

describe('A subscription is over', () => {
  const changedAt = noon(6);
  const unbounded = {
    ...{
      approval: 'approved' as const,
      authorizedUntil: null,
      lastPeriodEndsAt: null,
      revokedAt: null,
      changedAt,
    },
  };

  it.each([
    ['with its authorization', { authorizedUntil: noon(9), lastPeriodEndsAt: noon(7) }, 9],
    [
      'with its last period where that ends later',
      { authorizedUntil: noon(9), lastPeriodEndsAt: noon(12) },
      12,
    ],
    ['with its last period where the authorization has no end', { lastPeriodEndsAt: noon(3) }, 3],
    ['with its last change where nothing of it ends', {}, 6],
    ['when it is revoked', { authorizedUntil: noon(9), revokedAt: noon(4) }, 4],
    [
      'with its authorization though it is revoked later',
      { authorizedUntil: noon(9), revokedAt: noon(10) },
      9,
    ],
    [
      'with the last change where it was rejected',
      { approval: 'rejected' as const, authorizedUntil: noon(9) },
      6,
    ],
    ['before that where it ends before', { approval: 'rejected' as const, authorizedUntil: noon(5) }, 5],
    ['no earlier for waiting', { approval: 'pending' as const, authorizedUntil: noon(9) }, 9],
  ])('%s', (_, changed, ms) => {
    expect(subscriptionOverAt({ ...unbounded, ...changed })).toBe(noon(ms));
  });
});
