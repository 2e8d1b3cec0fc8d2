import { afterAll, describe, expect, it } from 'vitest';

import { judgeEntitlement } from '../../src/domain/entitlement.ts';
import {
  ACCESS_EVENTS,
  ACCESS_REASON_CODES,
  decideFacilityAccess,
} from '../../src/domain/facility-access.ts';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Span } from '../../src/domain/interval.ts';
import { type ParkingSession, SESSION_STATUSES } from '../../src/domain/parking-session.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import {
  diagnoseSubscription,
  SUBSCRIPTION_REASON_CODES,
  type Subscription,
} from '../../src/domain/subscription.ts';
import { NOON } from './fixtures.ts';
import {
  type FacilityRow,
  naiveAccess,
  naiveDiagnosis,
  naiveJudgement,
  type SessionRow,
  type SubscriptionRow,
  type World,
} from './naive-model.ts';
import { Random } from './random.ts';

/** How many seeds each rule is tried with. A failure names its seed; `SEED` in the loop's place runs it alone. */
const SEEDS = 600;

const PLATE = storedPlate('AB123CD');
const AREAS = ['P1', 'P2', 'S1'] as const;

/** Distances from the instant at which some rule turns; each is met exactly, and a millisecond to either side. */
const TURNS = [0, 10 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS + HOUR_MS] as const;

/** What the runs have met, so that no rule passes for want of a case. */
const met = new Set<string>();

describe('The rules of the plate check agree with a naive model', () => {
  it(`in the judgement of a plate, over ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = randomWorld(new Random(seed));
      const expected = naiveJudgement(world);
      expect(judged(world), `seed ${seed}`).toEqual(expected);
      for (const line of expected.sessions) met.add(line.split(' ')[2] ?? '');
      if (expected.counts.sessions > 50) met.add('more than are listed');
    }
  });

  it(`in the diagnosis of a subscription, over ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      for (const row of random.list(10, (index) => randomSubscription(random, index))) {
        const areaCode = random.pick([null, ...AREAS]);
        const { reasonCode, status } = diagnoseSubscription(toSubscription(row), NOON, areaCode);
        const expected = naiveDiagnosis(row, NOON, areaCode);
        expect(`${reasonCode} ${status}`, `seed ${seed}, ${JSON.stringify(row)}`).toBe(expected);
        met.add(expected.split(' ')[0] ?? '');
        if (reasonCode === 'PERIOD_NOT_YET_ACTIVE') met.add(expected);
      }
    }
  });

  it(`in the decision of a gate, over ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const facility = randomFacility(random);
      const sessions = random.list(random.below(4), (index) => randomSession(random, index));
      const holdsSubscription = random.oneIn(3);
      for (const event of ACCESS_EVENTS) {
        const facts = {
          event,
          facility: {
            serviceEnabled: facility.service,
            plateControlEnabled: facility.control,
            subscriptionAccess: facility.admits_subscriptions,
            entryGraceMinutes: facility.entry_minutes,
            exitGraceMinutes: facility.exit_minutes,
          },
          sessions: sessions.map(toSession),
          holdsSubscription,
        };
        const decision = decideFacilityAccess(facts, NOON);
        const expected = naiveAccess(event, facility, sessions, holdsSubscription, NOON);
        expect(
          `${decision.granted} ${decision.reasonCode} ${decision.matchedSource}`,
          `seed ${seed}, ${event}`,
        ).toBe(expected);
        met.add(decision.reasonCode);
      }
    }
  });

  afterAll(() => {
    const all = [
      ...SESSION_STATUSES,
      ...SUBSCRIPTION_REASON_CODES,
      ...ACCESS_REASON_CODES,
      'PERIOD_NOT_YET_ACTIVE approved',
      'PERIOD_NOT_YET_ACTIVE expired',
      'more than are listed',
    ];
    expect(all.filter((code) => !met.has(code))).toEqual([]);
  });
});

function judged(world: World): ReturnType<typeof naiveJudgement> {
  const facts = {
    sessions: world.sessions.map(toSession),
    subscriptions: world.subscriptions.map(toSubscription),
    subscriptionsSupported: world.supported,
    areaCode: world.area,
  };
  const verdict = judgeEntitlement(facts, instant(world.t));
  for (const item of verdict.sessions) expect(item.isValidAtCheckTime).toBe(item.status === 'valid');
  for (const item of verdict.subscriptions) {
    expect(item.isValidAtCheckTime).toBe(item.reasonCode === 'VALID_SUBSCRIPTION');
  }
  return {
    sessions: verdict.sessions.map((item) => `${item.sessionId} ${item.sourceCode} ${item.status}`),
    subscriptions: verdict.subscriptions.map(
      (item) => `${item.subscriptionNumber} ${item.reasonCode} ${item.status}`,
    ),
    counts: {
      sessions: verdict.sessionsCount,
      validSessions: verdict.validSessionsCount,
      subscriptions: verdict.subscriptionsCount,
      validSubscriptions: verdict.validSubscriptionsCount,
      results: verdict.resultsCount,
      entitlements: verdict.entitlementsCount,
    },
    parking: verdict.hasValidParking,
    subscription: verdict.hasValidSubscription,
    entitlement: verdict.hasValidEntitlement,
    areaNeeded: verdict.requiresAreaCode,
    complete: verdict.verificationComplete,
  };
}

function randomWorld(random: Random): World {
  const sessionCount = random.oneIn(20) ? 40 + random.below(60) : random.below(6);
  return {
    t: NOON,
    area: random.pick([null, ...AREAS]),
    supported: !random.oneIn(8),
    sessions: random.list(sessionCount, (index) => randomSession(random, index)),
    subscriptions: random.list(random.below(4), (index) => randomSubscription(random, index)),
  };
}

function randomSession(random: Random, index: number): SessionRow {
  const starts_at = gridPoint(random);
  return {
    // Ids repeat across sources, and are not in the order of reading.
    id: `s${String((index * 7) % 50).padStart(2, '0')}`,
    source: index < 50 ? 'meters' : 'app1',
    starts_at,
    ends_at: random.oneIn(4) ? null : pointAfter(random, starts_at),
    cancelled_at: random.oneIn(4) ? gridPoint(random) : null,
    max_hours: random.pick([1, 2, 24, 25, 72]),
  };
}

function randomSubscription(random: Random, index: number): SubscriptionRow {
  const starts = random.list(random.below(4), () => gridPoint(random)).toSorted((a, b) => a - b);
  return {
    number: `n${(index * 3) % 10}`,
    approval: random.pick(['approved', 'approved', 'approved', 'approved', 'pending', 'rejected']),
    plate_spans: random.list(1 + random.below(2), () => ({
      valid_from: random.oneIn(2) ? null : gridPoint(random),
      valid_until: random.oneIn(2) ? null : gridPoint(random),
    })),
    authorized_from: random.oneIn(3) ? gridPoint(random) : null,
    authorized_until: random.oneIn(3) ? gridPoint(random) : null,
    suspended_from: random.oneIn(4) ? gridPoint(random) : null,
    suspended_until: random.oneIn(3) ? null : gridPoint(random),
    revoked_at: random.oneIn(5) ? gridPoint(random) : null,
    periods: starts.flatMap((starts_at, position) => {
      const next = starts[position + 1] ?? Infinity;
      const ends_at = Math.min(pointAfter(random, starts_at), next);
      return starts_at < ends_at ? [{ starts_at, ends_at }] : [];
    }),
    areas: random.oneIn(2) ? null : AREAS.filter(() => random.oneIn(2)),
  };
}

function randomFacility(random: Random): FacilityRow {
  return {
    service: !random.oneIn(8),
    control: !random.oneIn(8),
    admits_subscriptions: random.oneIn(2),
    entry_minutes: random.pick([0, 10, 60, 1_440]),
    exit_minutes: random.pick([0, 10, 60, 1_440]),
  };
}

function gridPoint(random: Random): number {
  return NOON + random.pick([-1, 1]) * random.pick(TURNS) + random.pick([-1, 0, 0, 1]);
}

/** A point of the grid after the start, or a little later than it where the grid has no such point. */
function pointAfter(random: Random, start: number): number {
  const point = gridPoint(random);
  return point > start ? point : start + random.pick([1, HOUR_MS, DAY_MS]);
}

function toSession(row: SessionRow): ParkingSession {
  return {
    sessionId: row.id,
    plate: PLATE,
    area: { code: 'P1', name: 'Parcheggio Centro' },
    sourceCode: row.source,
    startsAt: instant(row.starts_at),
    endsAt: bound(row.ends_at),
    cancelledAt: bound(row.cancelled_at),
    openSessionMaxHours: row.max_hours,
  };
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    subscriptionNumber: row.number,
    plate: PLATE,
    plateValidity: row.plate_spans.map((span) => toSpan(span.valid_from, span.valid_until)),
    approval: row.approval,
    authorized: toSpan(row.authorized_from, row.authorized_until),
    suspended:
      row.suspended_from === null
        ? null
        : { from: instant(row.suspended_from), until: bound(row.suspended_until) },
    revokedAt: bound(row.revoked_at),
    periods: row.periods.map((period) => ({
      startsAt: instant(period.starts_at),
      endsAt: instant(period.ends_at),
    })),
    areas: row.areas ?? 'all',
  };
}

function toSpan(from: number | null, until: number | null): Span {
  return { from: bound(from), until: bound(until) };
}

function bound(ms: number | null): Instant | null {
  return ms === null ? null : instant(ms);
}
