import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS, SECOND_MS, utcDay } from '../instant.ts';
import { type SourceImports, sourceFreshness } from '../source-freshness.ts';
import { sum } from '../sum.ts';

/** The steps by which delays are counted, in seconds. */
export const DELAY_STEPS = [
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1_800,
  3_600,
  3 * 3_600,
  6 * 3_600,
  12 * 3_600,
  24 * 3_600,
] as const;

/** Days that the usual delay is taken from, today included. */
export const DELAY_DAYS = 7;
/** Fewer reports than these say little of a source. */
const ENOUGH = 20;

/** How many reports of a day (days since the epoch, UTC) exceeded the step before, and not this one. */
export interface DelayCount {
  readonly day: number;
  /** In seconds, one of {@link DELAY_STEPS}. */
  readonly step: number;
  readonly count: number;
}

/** The facts of a source that decide whether its silence can be trusted. */
export interface ReportingSource extends SourceImports {
  /** Those of other days are ignored. */
  readonly delays: readonly DelayCount[];
}

/** The step that a delay is counted under. Null for one that is not counted. */
export function delayStep(delayMs: number): number | null {
  return delayMs < 0 ? null : (DELAY_STEPS.find((step) => delayMs <= step * SECOND_MS) ?? null);
}

/**
 * How long after the fact a source usually reports it: the 99th percentile of a week's reports. In seconds.
 */
export function usualDelaySeconds(
  { delays, staleAfterMinutes }: Pick<ReportingSource, 'delays' | 'staleAfterMinutes'>,
  at: Instant,
): number {
  const today = utcDay(at);
  const ofWeek = delays.filter(({ day }) => today - DELAY_DAYS < day && day <= today);
  if (reportsIn(ofWeek) < ENOUGH) {
    const longest = ofWeek.reduce((max, { step, count }) => (count > 0 ? Math.max(max, step) : max), 0);
    return Math.max((staleAfterMinutes * MINUTE_MS) / SECOND_MS, longest);
  }
  const ofToday = ofWeek.filter(({ day }) => day === today);
  return Math.max(usualStep(ofWeek), reportsIn(ofToday) >= ENOUGH ? usualStep(ofToday) : 0);
}

/** The smallest step that 99 of 100 of them did not exceed. */
function usualStep(counts: readonly DelayCount[]): number {
  const all = reportsIn(counts);
  const within = (step: number) => reportsIn(counts.filter((count) => count.step <= step));
  return DELAY_STEPS.find((step) => within(step) * 100 >= all * 99) ?? LONGEST_STEP;
}
const LONGEST_STEP = DAY_MS / SECOND_MS;

/** How many reports were counted. */
export const reportsIn = (counts: readonly DelayCount[]): number => sum(counts.map(({ count }) => count));

/**
 * Until when a source has reported everything: its last success, less its usual delay. A native source
 * reports as things happen, so its silence means nothing: now, less that delay, unless its last import has
 * failed. Null for one that has never imported.
 */
export function completeUntil(source: ReportingSource, at: Instant): Instant | null {
  const reported = source.isSystem && source.lastOutcome !== 'failed' ? at : source.lastSuccessfulAt;
  return reported === null ? null : instant(reported - usualDelaySeconds(source, at) * SECOND_MS);
}

/** This long after a sighting, waiting for a source is no longer worth while. */
const WORTH_WAITING_MS = HOUR_MS;
/** When to ask again about a source of unknown delay. */
const UNKNOWN_WAIT_MS = 5 * MINUTE_MS;
const MIN_WAIT_MS = 30 * SECOND_MS;
const MAX_WAIT_MS = 15 * MINUTE_MS;

/** How a source is late for a sighting. */
interface Lateness {
  /** How long to wait before asking again; null where only the officer can settle it. */
  readonly waitMs: number | null;
}

/**
 * Whether a source may still have to report a payment for a sighting.
 *
 * @param until until when it must be complete
 * @returns null if it has
 */
export function latenessFor(
  source: ReportingSource,
  seenAt: Instant,
  until: Instant,
  now: Instant,
): Lateness | null {
  const status = sourceFreshness(source, now);
  const complete = completeUntil(source, now);
  const isSilent = status === 'stale' || status === 'error' || complete === null;
  if (!isSilent && complete >= until) {
    return null;
  }
  if (now >= seenAt + WORTH_WAITING_MS) {
    return { waitMs: null };
  }
  const lacks = isSilent ? UNKNOWN_WAIT_MS : until - complete;
  return { waitMs: Math.min(Math.max(lacks, MIN_WAIT_MS), MAX_WAIT_MS) };
}
