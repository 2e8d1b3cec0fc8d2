import { type CalendarDuration, parseCalendarDuration } from './calendar-duration.ts';
import type { Instant } from './instant.ts';
import { offsetAt } from './zoned-time.ts';

/** What the expiry of a plan depends on. */
interface ExpiryFacts {
  /** The consultation instant. */
  readonly at: Instant;
  /** When the active period ends; null for a subscription that has expired or was never activated. */
  readonly currentExpiry: Instant | null;
  /** ISO 8601, of whole days, weeks, months or years: `P1M`. */
  readonly duration: string;
  /** The municipality's, an IANA name. */
  readonly timeZone: string;
}

/** The last year that four digits can write. */
const LAST_YEAR = 9_999;

/**
 * The expiry to expect after paying for a plan: the local date of the current expiry (or of the consultation, if there
 * is none) plus the duration on the calendar; in a shorter month, the last day. The time of day is always that of the
 * consultation in local time, even if clocks change on the day of expiry: the result is a text, not an instant.
 *
 * @returns `HH:MM DD/MM/YYYY`, or null if the duration is invalid or the year does not have four digits, and cannot be
 * printed.
 */
export function planExpiry({ at, currentExpiry, duration, timeZone }: ExpiryFacts): string | null {
  const added = parseCalendarDuration(duration);
  if (added === null) return null;

  const consulted = wallClock(at, timeZone);
  const date = later(currentExpiry === null ? consulted : wallClock(currentExpiry, timeZone), added);
  if (date.getUTCFullYear() > LAST_YEAR) return null;

  const time = `${digits(consulted.getUTCHours(), 2)}:${digits(consulted.getUTCMinutes(), 2)}`;
  const [day, month] = [digits(date.getUTCDate(), 2), digits(date.getUTCMonth() + 1, 2)];
  return `${time} ${day}/${month}/${digits(date.getUTCFullYear(), 4)}`;
}

/** What the clocks of a zone show, in the date's UTC fields. */
function wallClock(at: Instant, timeZone: string): Date {
  return new Date(at + offsetAt(at, timeZone));
}

/** The day that is so much later: first by years and months, in a shorter month its last day, then by weeks and days. */
function later(from: Date, { years, months, weeks, days }: CalendarDuration): Date {
  const [year, month] = [from.getUTCFullYear() + years, from.getUTCMonth() + months];
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(from.getUTCDate(), lastOfMonth) + weeks * 7 + days));
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
