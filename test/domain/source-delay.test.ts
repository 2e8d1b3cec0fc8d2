import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import {
  type AwaitedSource,
  completeUntil,
  conclude,
  type Finding,
} from '../../src/domain/patrol/finding.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { type Rights, standingOf, type Tolerance } from '../../src/domain/patrol/standing.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { aFacility, aSession, NOON } from './fixtures.ts';
import { Random } from './random.ts';

const ROUNDS = shortOrThorough(3_000, 100_000);
const met = new Map<Finding, number>();

/**
 * Nobody knows what a source will still send. This model does: it makes lines that the source has not sent by its last
 * success, within the delay that it keeps, and sees whether any would have let the plate go.
 */
it(`No line that a source could still send within its delay changes a finding of no_entitlement (seed ${RUN_SEED})`, () => {
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
    const source = someSource(random);
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
    for (const startsAt of startsToCome(random, source)) {
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

/** Starts of all that it has not sent yet: of a native source from now on, of another from its last success on. */
function startsToCome(random: Random, source: AwaitedSource): number[] {
  const delayMs = source.reportDelayMinutes * MINUTE_MS;
  const sentUntil =
    source.isSystem && source.lastOutcome !== 'failed' ? NOON : (source.lastSuccessfulAt ?? 0);
  return random.list(6, () => {
    const lateBy = random.pick([delayMs, random.below(delayMs + 1)]);
    const reportedAt = sentUntil + random.pick([1, 1_000, random.below(10 * MINUTE_MS) + 1]);
    return reportedAt - lateBy;
  });
}

function someSource(random: Random): AwaitedSource {
  const lastSuccessfulAt = random.oneIn(10) ? null : instant(NOON - random.below(20 * MINUTE_MS));
  return {
    code: 'app1',
    isSystem: random.oneIn(4),
    staleAfterMinutes: 15,
    lastOutcome:
      lastSuccessfulAt === null ? null : random.pick(['succeeded', 'succeeded', 'failed'] as const),
    lastSuccessfulAt,
    reportDelayMinutes: random.pick([0, 1, 5, 15, 60]),
  };
}

const someSession = (random: Random) => {
  const startsAt = NOON - random.below(4 * HOUR_MS) + HOUR_MS;
  return aSession({ startsAt: instant(startsAt), endsAt: instant(startsAt + 1 + random.below(2 * HOUR_MS)) });
};

describe('A source is complete', () => {
  const source: AwaitedSource = {
    code: 'app1',
    isSystem: false,
    staleAfterMinutes: 15,
    reportDelayMinutes: 5,
    lastOutcome: 'succeeded',
    lastSuccessfulAt: instant(NOON - HOUR_MS),
  };
  const native = { ...source, isSystem: true };

  it.each<[string, AwaitedSource, number | null]>([
    ['until its last success, less its delay', source, -HOUR_MS - 5 * MINUTE_MS],
    ['until its last success, with no delay', { ...source, reportDelayMinutes: 0 }, -HOUR_MS],
    ['until a day before it at most', { ...source, reportDelayMinutes: 1_440 }, -HOUR_MS - DAY_MS],
    ['also while its last import has failed', { ...source, lastOutcome: 'failed' }, -HOUR_MS - 5 * MINUTE_MS],
    ['at no time without an import', { ...source, lastOutcome: null, lastSuccessfulAt: null }, null],
    ['at no time without a success', { ...source, lastOutcome: 'failed', lastSuccessfulAt: null }, null],
    ['until now, less its delay, where it is native', native, -5 * MINUTE_MS],
    ['likewise without an import', { ...native, lastOutcome: null, lastSuccessfulAt: null }, -5 * MINUTE_MS],
    [
      'until its last success, where a native one has failed',
      { ...native, lastOutcome: 'failed' },
      -HOUR_MS - 5 * MINUTE_MS,
    ],
    [
      'at no time, where a native one only ever failed',
      { ...native, lastOutcome: 'failed', lastSuccessfulAt: null },
      null,
    ],
  ])('%s', (_, one, ms) => {
    expect(completeUntil(one, NOON)).toBe(ms === null ? null : NOON + ms);
  });
});

describe('One slip', () => {
  it.each([
    ['A', ['4', 'AE', 'AH']],
    ['11', ['I1', 'L1', 'T1', '1I', '1L', '1T', '1', '11E', '11H']],
    ['J9', ['9J', 'J', '9', 'J9E', 'J9H']],
    ['U', ['V', 'W', 'UE', 'UH']],
    ['T', ['1', 'I', 'L', '7', 'Y', 'TE', 'TH']],
    ['C', ['6', 'G', 'CE', 'CH']],
    ['Ж京', ['京Ж', 'Ж', '京', 'Ж京E', 'Ж京H']],
    ['JJJJJJJJJJJJJJJ', ['JJJJJJJJJJJJJJ']],
  ])('away from %s', (plate, slips) => {
    expect([...platesOneSlipAway(storedPlate(plate))].sort()).toEqual([...slips].sort());
  });

  it('leads back, where no character was left out or added', () => {
    const plate = storedPlate('AB0Q1CD');
    for (const slip of platesOneSlipAway(plate).filter(({ length }) => length === plate.length)) {
      expect(platesOneSlipAway(slip)).toContain(plate);
    }
  });
});
