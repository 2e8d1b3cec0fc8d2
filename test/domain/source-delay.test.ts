import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { type AwaitedSource, conclude, type Finding } from '../../src/domain/patrol/finding.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import {
  completeUntil,
  DELAY_STEPS,
  type DelayCount,
  delayStep,
  usualDelaySeconds,
} from '../../src/domain/patrol/source-delay.ts';
import { type Rights, standingOf, type Tolerance } from '../../src/domain/patrol/standing.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { aFacility, aSession, NOON } from './fixtures.ts';
import { Random } from './random.ts';

const ROUNDS = shortOrThorough(3_000, 100_000);
const TODAY = Math.floor(NOON / DAY_MS);
const counts = (...list: [daysAgo: number, step: number, count: number][]): DelayCount[] =>
  list.map(([daysAgo, step, count]) => ({ day: TODAY - daysAgo, step, count }));

const DELAYS: readonly [string, DelayCount[], seconds: number][] = [
  ['nothing seen: stale_after_minutes', [], 900],
  ['too few, all quick: stale_after_minutes', counts([1, 15, 19]), 900],
  ['too few, one slow: the slow one', counts([1, 15, 18], [2, 3600, 1]), 3600],
  ['twenty in the week', counts([1, 15, 10], [6, 15, 10]), 15],
  ['a week ago is over', counts([1, 15, 19], [7, 15, 1]), 900],
  ['tomorrow does not count', counts([1, 15, 19], [-1, 15, 1]), 900],
  ['one of a hundred may be slower', counts([1, 30, 99], [1, 86_400, 1]), 30],
  ['two of a hundred may not', counts([1, 30, 98], [1, 600, 2]), 600],
  ['one of ninety-nine may not', counts([1, 30, 98], [1, 600, 1]), 600],
  ['today is slower, on twenty', counts([1, 15, 10_000], [0, 300, 20]), 300],
  ['today is slower, on nineteen', counts([1, 15, 10_000], [0, 300, 19]), 15],
  ['today is quicker', counts([1, 300, 1_000], [0, 15, 20]), 300],
];

const met = new Map<Finding, number>();

/** A line that a source reports so long after the session's start, and when that is. */
interface LateLine {
  readonly startsAt: number;
  readonly reportedAt: number;
}

/**
 * Nobody knows what a source will still send. This model does: it makes lines that the source has not sent by its last
 * success, within the delay that it keeps, and sees whether any would have let the plate go.
 */
it(`No line that a source could still send within its usual delay changes a finding of no_entitlement (seed ${RUN_SEED})`, () => {
  const random = new Random(RUN_SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const seenAt = instant(
      NOON - random.pick([0, 1, 10, 60, 300, 900, 3_600, 7_200]) * SECOND_MS - random.below(3),
    );
    const tolerance: Tolerance = {
      observationMinutes: random.pick([0, 1, 5, 60]),
      overstayMinutes: random.pick([0, 10, 120]),
    };
    const area = { code: 'P1', facility: random.oneIn(3) ? aFacility({ entryGraceMinutes: 0 }) : null };
    const rights: Rights = {
      sessions: random.list(random.below(2), () => someSession(random)),
      subscriptions: [],
    };
    const delay = random.pick(DELAY_STEPS.slice(0, 9));
    const source = someSource(random, delay);
    const { finding } = conclude(
      {
        seenAt,
        standing: standingOf(rights, area, seenAt, tolerance),
        paymentDue: !random.oneIn(8),
        sources: [source],
        lineRejected: random.oneIn(8),
        paymentUnsettled: false,
        subscriptionMayBeRenewed: false,
        similarPlateEntitled: false,
        validIn: [],
      },
      tolerance,
      NOON,
    );
    met.set(finding, (met.get(finding) ?? 0) + 1);
    if (finding !== 'no_entitlement') continue;
    for (const { startsAt } of linesToCome(random, source, delay)) {
      const session = aSession({ startsAt: instant(startsAt), endsAt: instant(startsAt + HOUR_MS) });
      const after = standingOf(
        { ...rights, sessions: [...rights.sessions, session] },
        area,
        seenAt,
        tolerance,
      );
      expect(after, JSON.stringify({ round, seenAt, tolerance, source, startsAt })).toBeNull();
    }
  }
  for (const finding of [
    'entitled',
    'tolerated',
    'not_due',
    'look_again',
    'officer_decides',
    'no_entitlement',
  ] as const) {
    expect(met.get(finding) ?? 0, finding).toBeGreaterThan(ROUNDS / 200);
  }
});

/** All that it has not sent yet: of a native source from now on, of another from its last success on. */
function linesToCome(random: Random, source: AwaitedSource, delay: number): LateLine[] {
  const sentUntil =
    source.isSystem && source.lastOutcome !== 'failed' ? NOON : (source.lastSuccessfulAt ?? 0);
  return random.list(6, () => {
    const lateBy = random.pick([delay * SECOND_MS, random.below(delay * SECOND_MS + 1)]);
    const reportedAt = sentUntil + random.pick([1, 1_000, random.below(10 * MINUTE_MS) + 1]);
    return { startsAt: reportedAt - lateBy, reportedAt };
  });
}

function someSource(random: Random, step: number): AwaitedSource {
  const lastSuccessfulAt = random.oneIn(10) ? null : instant(NOON - random.below(20 * MINUTE_MS));
  return {
    code: 'app1',
    isSystem: random.oneIn(4),
    staleAfterMinutes: 15,
    lastOutcome:
      lastSuccessfulAt === null ? null : random.pick(['succeeded', 'succeeded', 'failed'] as const),
    lastSuccessfulAt,
    delays: [{ day: TODAY - random.below(7), step, count: 20 + random.below(100) }],
  };
}

const someSession = (random: Random) => {
  const startsAt = NOON - random.below(4 * HOUR_MS) + HOUR_MS;
  return aSession({ startsAt: instant(startsAt), endsAt: instant(startsAt + 1 + random.below(2 * HOUR_MS)) });
};

describe('The usual delay of a source', () => {
  it.each(DELAYS)('%s', (_, delays, seconds) => {
    expect(usualDelaySeconds({ delays, staleAfterMinutes: 15 }, NOON)).toBe(seconds);
  });

  it.each([
    [-1, null],
    [0, 15],
    [15_000, 15],
    [15_001, 30],
    [DAY_MS - 1, 86_400],
    [DAY_MS, 86_400],
    [DAY_MS + 1, null],
  ])('counts %i ms under the step %s', (ms, step) => {
    expect(delayStep(ms)).toBe(step);
  });

  it('is what its last success lacks of being complete', () => {
    const source: AwaitedSource = {
      code: 'app1',
      isSystem: false,
      staleAfterMinutes: 15,
      lastOutcome: 'succeeded',
      lastSuccessfulAt: NOON,
      delays: counts([1, 60, 20]),
    };
    expect(completeUntil(source, instant(NOON + HOUR_MS))).toBe(NOON - MINUTE_MS);
  });
});

describe('One slip', () => {
  it.each([
    ['A', ['4']],
    ['11', ['I1', 'L1', 'T1', '1I', '1L', '1T']],
    ['J9', ['9J']],
    ['U', ['V', 'W']],
    ['T', ['1', 'I', 'L', '7', 'Y']],
    ['C', ['6', 'G']],
    ['Ж京', ['京Ж']],
  ])('away from %s', (plate, slips) => {
    expect([...platesOneSlipAway(storedPlate(plate))].sort()).toEqual([...slips].sort());
  });

  it('leads back', () => {
    const plate = storedPlate('AB0Q1CD');
    for (const slip of platesOneSlipAway(plate)) {
      expect(platesOneSlipAway(slip)).toContain(plate);
    }
  });
});
