import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, type Instant, instant } from '../../src/domain/instant.ts';
import { contains, type Span } from '../../src/domain/interval.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { diagnoseSubscription, isListed, type Subscription } from '../../src/domain/subscription.ts';
import { validIntervals } from '../../src/domain/valid-intervals.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { NOON } from './fixtures.ts';
import { Random } from './random.ts';

const SEEDS = shortOrThorough(500, 3_000);
const AREAS = ['P1', 'P2', 'S1'] as const;
/** Few points, so that bounds meet and touch. */
const POINTS = [-2 * DAY_MS, -DAY_MS, -HOUR_MS, 0, 1, HOUR_MS, DAY_MS, 2 * DAY_MS, 3 * DAY_MS] as const;

/** How many intervals there were, so that no number of them goes untried. */
const met = new Set<number>();

describe('The intervals of a subscription agree with its diagnosis', () => {
  it(`at every bound and a millisecond to either side, over ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const subscription = randomSubscription(random);
      const areaCode = random.pick(AREAS);
      const from = point(random);
      const intervals = validIntervals(subscription, areaCode, from);
      met.add(intervals.length);
      let end: Instant | null = instant(0);
      for (const { from: start, until } of intervals) {
        expect(end !== null && end < start && (until === null || start < until), `seed ${seed}`).toBe(true);
        end = until;
      }
      for (const at of instantsBeside([from, ...boundsOf(subscription)])) {
        const expected =
          at >= from &&
          isListed(subscription, at) &&
          diagnoseSubscription(subscription, at, areaCode).reasonCode === 'VALID_SUBSCRIPTION';
        const found = intervals.filter((interval) => contains(interval, at)).length;
        expect(found, `seed ${seed}, at ${at - NOON}, ${JSON.stringify({ subscription, intervals })}`).toBe(
          expected ? 1 : 0,
        );
      }
    }
  });

  afterAll(() => {
    expect([...met].sort()).toEqual(expect.arrayContaining([0, 1, 2, 3]));
  });
});

function point(random: Random): Instant {
  return instant(NOON + random.pick(POINTS) + random.pick([-1, 0, 0, 0, 1]));
}

function randomSpan(random: Random): Span {
  const [a, b] = [point(random), point(random)];
  const [from, until] = a < b ? [a, b] : [b, instant(a + 1)];
  return { from: random.oneIn(3) ? null : from, until: random.oneIn(3) ? null : until };
}

function randomSubscription(random: Random): Subscription {
  const starts = [...new Set(random.list(random.below(5), () => point(random)))].toSorted((a, b) => a - b);
  const suspendedFrom = point(random);
  return {
    subscriptionNumber: 'A-1',
    plate: storedPlate('AB123CD'),
    plateValidity: random.oneIn(2)
      ? [{ from: null, until: null }]
      : random.list(random.below(4), () => randomSpan(random)),
    approval: random.oneIn(8) ? random.pick(['pending', 'rejected']) : 'approved',
    authorized: random.oneIn(2) ? { from: null, until: null } : randomSpan(random),
    suspended: random.oneIn(2)
      ? null
      : {
          from: suspendedFrom,
          until: random.oneIn(3) ? null : instant(suspendedFrom + random.pick([1, HOUR_MS, DAY_MS])),
        },
    revokedAt: random.oneIn(3) ? point(random) : null,
    periods: starts.map((startsAt, index) => {
      const end = random.oneIn(2) ? startsAt + random.pick([1, HOUR_MS, DAY_MS]) : Number.POSITIVE_INFINITY;
      const next = starts[index + 1] ?? startsAt + 2 * DAY_MS;
      return { startsAt, endsAt: instant(Math.min(end, next)) };
    }),
    areas: random.oneIn(2) ? 'all' : AREAS.filter(() => random.oneIn(2)),
  };
}

function boundsOf({
  plateValidity,
  authorized,
  suspended,
  revokedAt,
  periods,
}: Subscription): (Instant | null)[] {
  return [
    ...[...plateValidity, authorized].flatMap(({ from, until }) => [from, until]),
    suspended?.from ?? null,
    suspended?.until ?? null,
    revokedAt,
    ...periods.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]),
  ];
}

const instantsBeside = (bounds: readonly (Instant | null)[]): Instant[] =>
  bounds.flatMap((bound) =>
    bound === null ? [] : [instant(bound - 1), bound, instant(bound + 1), instant(bound + 10 * DAY_MS)],
  );
