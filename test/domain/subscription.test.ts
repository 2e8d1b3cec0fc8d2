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

interface Case {
  readonly row: number;
  readonly code: SubscriptionReasonCode;
  readonly status: SubscriptionStatus;
  /** What makes the row apply, without making any later row impossible. */
  readonly cause: Partial<Subscription>;
  readonly areaCode?: string | null;
}

/** The rows of the diagnosis in order, row 6 in its two halves; the area asked for is P1 unless the row says another. */
const ROWS: readonly Case[] = [
  { row: 1, code: 'SUBSCRIPTION_REVOKED', status: 'revoked', cause: { revokedAt: NOON } },
  {
    row: 2,
    code: 'SUBSCRIPTION_SUSPENDED',
    status: 'suspended',
    cause: { suspended: { from: NOON, until: null } },
  },
  {
    row: 3,
    code: 'AUTHORIZATION_NOT_YET_ACTIVE',
    status: 'approved',
    cause: { authorized: { from: noon(1), until: null } },
  },
  {
    row: 4,
    code: 'AUTHORIZATION_EXPIRED',
    status: 'expired',
    cause: { authorized: { from: null, until: NOON } },
  },
  { row: 5, code: 'FIRST_ACTIVATION_REQUIRED', status: 'approved', cause: { periods: [] } },
  { row: 6, code: 'PERIOD_NOT_YET_ACTIVE', status: 'approved', cause: { periods: [FUTURE] } },
  { row: 6, code: 'PERIOD_NOT_YET_ACTIVE', status: 'expired', cause: { periods: [FUTURE, PAST] } },
  { row: 7, code: 'PERIOD_EXPIRED', status: 'expired', cause: { periods: [PAST] } },
  { row: 8, code: 'AREA_CODE_REQUIRED', status: 'active', cause: { areas: ['P2'] }, areaCode: null },
  { row: 9, code: 'AREA_NOT_ALLOWED', status: 'active', cause: { areas: ['P2', 'S1'] } },
  { row: 10, code: 'VALID_SUBSCRIPTION', status: 'active', cause: {} },
];

function areaOf(first: Case, second?: Case): string | null {
  if (first.areaCode !== undefined) return first.areaCode;
  return second?.areaCode !== undefined ? second.areaCode : 'P1';
}

describe('The diagnosis of a subscription', () => {
  it.each(ROWS)('row $row: $code, $status', (row) => {
    expect(diagnoseSubscription(aSubscription(row.cause), NOON, areaOf(row))).toEqual({
      reasonCode: row.code,
      status: row.status,
    });
  });

  it('has a row for every code, in the order of the codes', () => {
    expect([...new Set(ROWS.map((row) => row.code))]).toEqual([...SUBSCRIPTION_REASON_CODES]);
  });

  // Not only the neighbours: of any two rows that can hold at once, the earlier one wins. Rows 3 and 4 do so when the
  // authorization is empty; rows 5, 6 and 7 exclude each other, and so do 8 and 9.
  const pairs = ROWS.flatMap((earlier, index) =>
    ROWS.slice(index + 1).map((later) => ({ earlier, later, title: `${earlier.code} before ${later.code}` })),
  ).filter(({ earlier, later }) => {
    const bothPeriods = 'periods' in earlier.cause && 'periods' in later.cause;
    const bothAreas = 'areas' in earlier.cause && 'areas' in later.cause;
    return !bothPeriods && !bothAreas;
  });

  it.each(pairs)('$title', ({ earlier, later }) => {
    const authorized = {
      ...aSubscription().authorized,
      ...boundsOf(later.cause.authorized),
      ...boundsOf(earlier.cause.authorized),
    };
    const subscription = aSubscription({ ...later.cause, ...earlier.cause, authorized });
    expect(diagnoseSubscription(subscription, NOON, areaOf(earlier, later))).toEqual({
      reasonCode: earlier.code,
      status: earlier.status,
    });
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
