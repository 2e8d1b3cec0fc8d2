import { type Instant, instant, MINUTE_MS } from '../instant.ts';
import { firstMatch, type Rule } from '../precedence.ts';
import { type ReportingSource, WORTH_WAITING_MS, waitForSource } from './source-delay.ts';
import type { Standing, Tolerance } from './standing.ts';

export const FINDINGS = [
  'entitled',
  'tolerated',
  'not_due',
  'look_again',
  'officer_decides',
  'no_entitlement',
] as const;
/** What an officer may conclude from a sighting. */
export type Finding = (typeof FINDINGS)[number];

export const DOUBT_CODES = [
  'MAY_BE_PAYING',
  'SOURCE_LATE',
  'LINE_REJECTED',
  'PAYMENT_UNSETTLED',
  'SUBSCRIPTION_MAY_BE_RENEWED',
  'SIMILAR_PLATE_ENTITLED',
  'VALID_IN_OTHER_AREA',
] as const;
export type DoubtCode = (typeof DOUBT_CODES)[number];

/** A reason to doubt that a plate has no entitlement. */
export type Doubt =
  | { readonly code: Exclude<DoubtCode, 'SOURCE_LATE' | 'VALID_IN_OTHER_AREA'> }
  | { readonly code: 'SOURCE_LATE'; readonly sourceCode: string }
  | { readonly code: 'VALID_IN_OTHER_AREA'; readonly areaCode: string };

/** A source that may have more to report. */
export interface AwaitedSource extends ReportingSource {
  readonly code: string;
}

/** All that the finding of a sighting depends on. */
export interface Sighting {
  readonly seenAt: Instant;
  readonly standing: Standing;
  readonly paymentDue: boolean;
  /** The active ones of the municipality. */
  readonly sources: readonly AwaitedSource[];
  readonly lineRejected: boolean;
  readonly paymentUnsettled: boolean;
  readonly subscriptionMayBeRenewed: boolean;
  readonly similarPlateEntitled: boolean;
  /** The codes of the other active areas in which the plate is entitled or tolerated. */
  readonly validIn: readonly string[];
}

export interface Conclusion {
  readonly finding: Finding;
  /** When it is worth asking again about the same sighting. Null but for `look_again`. */
  readonly lookAgainAt: Instant | null;
  /** Empty unless the finding depends on them. */
  readonly doubts: readonly Doubt[];
}

/** The most other areas that an answer lists. */
const MAX_OTHER_AREAS = 5;

interface Facts extends Sighting {
  readonly doubts: readonly PossibleDoubt[];
}

interface PossibleDoubt {
  readonly doubt: Doubt;
  /** When waiting may have settled it; null where only the officer can. */
  readonly settledAt: number | null;
}

const FINDING: readonly Rule<Facts, Finding>[] = [
  { when: ({ standing }) => standing === 'entitled', outcome: 'entitled' },
  { when: ({ standing }) => standing === 'tolerated', outcome: 'tolerated' },
  { when: ({ paymentDue }) => !paymentDue, outcome: 'not_due' },
  { when: ({ doubts }) => doubts.some(({ settledAt }) => settledAt !== null), outcome: 'look_again' },
  { when: ({ doubts }) => doubts.length > 0, outcome: 'officer_decides' },
];

/**
 * What an officer may conclude from a sighting: the first rule that applies.
 *
 * @param now the instant of the answer
 */
export function conclude(sighting: Sighting, tolerance: Tolerance, now: Instant): Conclusion {
  const watchedUntil = instant(sighting.seenAt + tolerance.observationMinutes * MINUTE_MS);
  const doubts = doubtsOf(sighting, watchedUntil, now);
  const finding = firstMatch(FINDING, 'no_entitlement', { ...sighting, doubts });
  const isDoubtful = finding === 'look_again' || finding === 'officer_decides';
  return {
    finding,
    lookAgainAt:
      finding === 'look_again'
        ? instant(Math.max(watchedUntil, ...doubts.map(({ settledAt }) => settledAt ?? watchedUntil)))
        : null,
    doubts: isDoubtful ? doubts.map(({ doubt }) => doubt) : [],
  };
}

/** In the order of {@link DOUBT_CODES}. */
function doubtsOf(sighting: Sighting, watchedUntil: Instant, now: Instant): PossibleDoubt[] {
  return [
    ...(now < watchedUntil ? [{ doubt: { code: 'MAY_BE_PAYING' } as const, settledAt: watchedUntil }] : []),
    ...sighting.sources.flatMap((source) => {
      const waitMs = waitForSource(source, watchedUntil, now);
      const isWorthWaiting = now < sighting.seenAt + WORTH_WAITING_MS;
      return waitMs === null
        ? []
        : [
            {
              doubt: { code: 'SOURCE_LATE', sourceCode: source.code } as const,
              settledAt: isWorthWaiting ? now + waitMs : null,
            },
          ];
    }),
    ...forOfficer(sighting.lineRejected, 'LINE_REJECTED'),
    ...forOfficer(sighting.paymentUnsettled, 'PAYMENT_UNSETTLED'),
    ...forOfficer(sighting.subscriptionMayBeRenewed, 'SUBSCRIPTION_MAY_BE_RENEWED'),
    ...forOfficer(sighting.similarPlateEntitled, 'SIMILAR_PLATE_ENTITLED'),
    ...sighting.validIn
      .toSorted((a, b) => Number(a > b) - Number(a < b))
      .slice(0, MAX_OTHER_AREAS)
      .map((areaCode) => ({ doubt: { code: 'VALID_IN_OTHER_AREA', areaCode } as const, settledAt: null })),
  ];
}

/** A doubt that waiting never settles. */
const forOfficer = (
  applies: boolean,
  code: Exclude<DoubtCode, 'SOURCE_LATE' | 'VALID_IN_OTHER_AREA'>,
): PossibleDoubt[] => (applies ? [{ doubt: { code }, settledAt: null }] : []);
