import { type Instant, MINUTE_MS } from './instant.ts';
import { effectiveEnd, type SessionTimes } from './parking-session.ts';
import { sum } from './sum.ts';

/** A parking session as the counters need it: a vehicle in the half-open interval [from, until). */
export interface Stay {
  /** Identifies the vehicle. It is in no result. */
  readonly plate: string;
  readonly from: Instant;
  readonly until: Instant;
}

export const COUNTERS = [
  'activeNow',
  'activeAfter30',
  'activeAfter60',
  /** Active now, and not in 30 minutes. */
  'endingWithin30',
  /** Active now and in 30 minutes, and not in 60. */
  'endingBetween30And60',
] as const;
/** Vehicles of an area, or of several. A vehicle in two areas is counted in each. */
export type Counters = Readonly<Record<(typeof COUNTERS)[number], number>>;

/** How far a report looks ahead: two half hours. */
export const HALF_HOUR_MS = 30 * MINUTE_MS;
export const LOOK_AHEAD_MS = 2 * HALF_HOUR_MS;

/**
 * The interval in which a session is valid: from its start to its effective end, or to its cancellation if that is
 * earlier.
 */
export function validTime(session: SessionTimes): { readonly from: Instant; readonly until: Instant } {
  const end = effectiveEnd(session);
  const { startsAt, cancelledAt } = session;
  return { from: startsAt, until: cancelledAt !== null && cancelledAt < end ? cancelledAt : end };
}

/**
 * Counts the vehicles of an area at an instant, and 30 and 60 minutes later from the sessions known at that instant. A
 * vehicle counts once, however many sessions it has there.
 */
export function countVehicles(stays: readonly Stay[], at: Instant): Counters {
  const vehiclesAt = (ms: number): ReadonlySet<string> =>
    new Set(stays.filter(({ from, until }) => from <= ms && ms < until).map(({ plate }) => plate));
  const now = vehiclesAt(at);
  const after30 = vehiclesAt(at + HALF_HOUR_MS);
  const after60 = vehiclesAt(at + LOOK_AHEAD_MS);
  return {
    activeNow: now.size,
    activeAfter30: after30.size,
    activeAfter60: after60.size,
    endingWithin30: now.difference(after30).size,
    endingBetween30And60: now.intersection(after30).difference(after60).size,
  };
}

/** The sums of counters. */
export const sumOf = (counters: readonly Counters[]): Counters =>
  // It has an entry for each counter.
  Object.fromEntries(COUNTERS.map((name) => [name, sum(counters.map((one) => one[name]))])) as Counters;

export const NO_VEHICLES = sumOf([]);

/** Active now, and no longer at one of the horizons: the sum of its two parts. */
export const endingWithin60 = ({ endingWithin30, endingBetween30And60 }: Counters): number =>
  endingWithin30 + endingBetween30And60;
