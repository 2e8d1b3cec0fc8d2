import { create } from 'temporal-polyfill/fns/Duration';
import { fromEpochMilliseconds, toZonedDateTimeISO } from 'temporal-polyfill/fns/Instant';
import { add } from 'temporal-polyfill/fns/PlainDate';
import { toPlainDate, type Record as ZonedDateTime } from 'temporal-polyfill/fns/ZonedDateTime';
import { parseCalendarDuration } from './calendar-duration.ts';
import type { Instant } from './instant.ts';

/** The facts that a plan's expiry depends on. */
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

  const consulted = toLocal(at, timeZone);
  const from = currentExpiry === null ? consulted : toLocal(currentExpiry, timeZone);
  const date = add(toPlainDate(from), create(added.years, added.months, added.weeks, added.days));
  if (date.year > LAST_YEAR) return null;

  const time = `${digits(consulted.hour, 2)}:${digits(consulted.minute, 2)}`;
  return `${time} ${digits(date.day, 2)}/${digits(date.month, 2)}/${digits(date.year, 4)}`;
}

function toLocal(at: Instant, timeZone: string): ZonedDateTime {
  return toZonedDateTimeISO(fromEpochMilliseconds(at), timeZone);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
