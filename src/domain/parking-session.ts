import { DAY_MS, HOUR_MS, type Instant, instant } from './instant.ts';
import { overlaps } from './interval.ts';
import type { Plate } from './plate.ts';
import { firstMatch, type Rule } from './precedence.ts';

/** An hourly parking session, paid for a plate in an area. */
export interface ParkingSession {
  /** Unique in its source. */
  readonly sessionId: string;
  readonly plate: Plate;
  readonly area: { readonly code: string; readonly name: string };
  readonly sourceCode: string;
  readonly startsAt: Instant;
  /** Not earlier than the start; `null` while a start-and-stop session runs. */
  readonly endsAt: Instant | null;
  readonly cancelledAt: Instant | null;
  /** For how many hours a session of its source counts if its stop never comes. */
  readonly openSessionMaxHours: number;
}

/** When a session counts: all that the gate's decision needs of it. */
export type SessionTimes = Pick<
  ParkingSession,
  'startsAt' | 'endsAt' | 'cancelledAt' | 'openSessionMaxHours'
>;

export const SESSION_STATUSES = ['valid', 'not_started', 'expired', 'cancelled'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/**
 * How far a check looks before and after its instant. Sessions further away do not matter to a car that is here now.
 */
export const SESSION_WINDOW_MS = DAY_MS;

interface Facts {
  readonly session: SessionTimes;
  readonly at: Instant;
}

const STATUS: readonly Rule<Facts, SessionStatus>[] = [
  { when: ({ session, at }) => isCancelled(session, at), outcome: 'cancelled' },
  { when: ({ session, at }) => at < session.startsAt, outcome: 'not_started' },
  { when: ({ session, at }) => effectiveEnd(session) <= at, outcome: 'expired' },
];

/**
 * The session's end. For one that is still open: the latest end that its source allows, since a stop may be forgotten.
 */
export function effectiveEnd(
  session: Pick<ParkingSession, 'startsAt' | 'endsAt' | 'openSessionMaxHours'>,
): Instant {
  return session.endsAt ?? instant(session.startsAt + session.openSessionMaxHours * HOUR_MS);
}

/** Whether the session's cancellation has come: one dated later than the instant does not count yet. */
export function isCancelled(session: Pick<ParkingSession, 'cancelledAt'>, at: Instant): boolean {
  return session.cancelledAt !== null && session.cancelledAt <= at;
}

/**
 * The status of a session at an instant, the first that applies: `cancelled` once the cancellation has come,
 * `not_started` before the start, `expired` from the effective end on, else `valid`.
 */
export function sessionStatus(session: SessionTimes, at: Instant): SessionStatus {
  return firstMatch(STATUS, 'valid', { session, at });
}

/** Whether a session belongs to a check: it overlaps the 24 h before and the 24 h after the instant. */
export function isInSessionWindow(session: SessionTimes, at: Instant): boolean {
  const window = { from: instant(at - SESSION_WINDOW_MS), until: instant(at + SESSION_WINDOW_MS) };
  return overlaps({ from: session.startsAt, until: effectiveEnd(session) }, window);
}
