import { HOUR_MS, type Instant, instant, MINUTE_MS, SECOND_MS } from '../instant.ts';
import { firstMatch, type Rule } from '../precedence.ts';
import { type SourceImports, sourceFreshness } from '../source-freshness.ts';
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
export interface Doubt {
  readonly code: DoubtCode;
  /** When waiting may have settled it; null where only the officer can. */
  readonly settledAt: number | null;
  /** Of `SOURCE_LATE`. */
  readonly sourceCode?: string;
  /** Of `VALID_IN_OTHER_AREA`. */
  readonly area?: OtherArea;
}

export interface OtherArea {
  readonly code: string;
  readonly name: string;
}

/** A source that may have more to report. */
export interface AwaitedSource extends SourceImports {
  readonly code: string;
  /** How long after the fact it may report it. In whole minutes. */
  readonly reportDelayMinutes: number;
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
  /** The other active areas in which the plate is entitled or tolerated. */
  readonly validIn: readonly OtherArea[];
}

export interface Conclusion {
  readonly finding: Finding;
  /** When it is worth asking again about the same sighting. Null but for `look_again`. */
  readonly lookAgainAt: Instant | null;
  /** Empty unless the finding depends on them. */
  readonly doubts: readonly Doubt[];
}

interface Facts extends Sighting {
  readonly doubts: readonly Doubt[];
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
export function conclude(sighting: Sighting, { observationMinutes }: Tolerance, now: Instant): Conclusion {
  const watchedUntil = instant(sighting.seenAt + observationMinutes * MINUTE_MS);
  const doubts = doubtsOf(sighting, watchedUntil, now);
  const finding = firstMatch(FINDING, 'no_entitlement', { ...sighting, doubts });
  if (finding !== 'look_again') {
    return { finding, lookAgainAt: null, doubts: finding === 'officer_decides' ? doubts : [] };
  }
  const settled = doubts.map(({ settledAt }) => settledAt ?? watchedUntil);
  return { finding, lookAgainAt: instant(Math.max(watchedUntil, ...settled)), doubts };
}

/** The most other areas that an answer lists. */
const MAX_OTHER_AREAS = 5;
/** This long after a sighting, waiting for a source is no longer worth while. */
const WORTH_WAITING_MS = HOUR_MS;

/** In the order of {@link DOUBT_CODES}. */
function doubtsOf(sighting: Sighting, watchedUntil: Instant, now: Instant): Doubt[] {
  const doubt = (applies: boolean, code: DoubtCode, settledAt: number | null = null): Doubt[] =>
    applies ? [{ code, settledAt }] : [];
  const isWorthWaiting = now < sighting.seenAt + WORTH_WAITING_MS;
  const late = sighting.sources.flatMap((source) => {
    const waitMs = waitForSource(source, watchedUntil, now);
    return waitMs === null
      ? []
      : [{ sourceCode: source.code, settledAt: isWorthWaiting ? now + waitMs : null }];
  });
  return [
    ...doubt(now < watchedUntil, 'MAY_BE_PAYING', watchedUntil),
    ...late.map((one): Doubt => ({ code: 'SOURCE_LATE', ...one })),
    ...doubt(sighting.lineRejected, 'LINE_REJECTED'),
    ...doubt(sighting.paymentUnsettled, 'PAYMENT_UNSETTLED'),
    ...doubt(sighting.subscriptionMayBeRenewed, 'SUBSCRIPTION_MAY_BE_RENEWED'),
    ...doubt(sighting.similarPlateEntitled, 'SIMILAR_PLATE_ENTITLED'),
    ...sighting.validIn
      .toSorted((a, b) => Number(a.code > b.code) - Number(a.code < b.code))
      .slice(0, MAX_OTHER_AREAS)
      .map((area): Doubt => ({ code: 'VALID_IN_OTHER_AREA', settledAt: null, area })),
  ];
}

/**
 * Until when a source has reported everything: its last success, less its delay. A native source reports as things happen,
 * so its silence means nothing: now, less that delay, unless its last import has failed. Null if it has never imported.
 */
export function completeUntil(source: AwaitedSource, at: Instant): Instant | null {
  const reported = source.isSystem && source.lastOutcome !== 'failed' ? at : source.lastSuccessfulAt;
  return reported === null ? null : instant(reported - source.reportDelayMinutes * MINUTE_MS);
}

/** When to ask again about a source that may report at any time. */
const UNKNOWN_WAIT_MS = 5 * MINUTE_MS;
const MIN_WAIT_MS = 30 * SECOND_MS;
const MAX_WAIT_MS = 15 * MINUTE_MS;

/**
 * How long to wait for a source that may still have to report what was paid before an instant.
 *
 * @returns milliseconds from now; null if it has reported everything
 */
function waitForSource(source: AwaitedSource, until: Instant, now: Instant): number | null {
  const status = sourceFreshness(source, now);
  const complete = completeUntil(source, now);
  if (status === 'stale' || status === 'error' || complete === null) return UNKNOWN_WAIT_MS;
  return complete >= until ? null : Math.min(Math.max(until - complete, MIN_WAIT_MS), MAX_WAIT_MS);
}
