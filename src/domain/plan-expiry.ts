import { blank, type Record as Duration, fromString } from 'temporal-polyfill/fns/Duration';
import { fromEpochMilliseconds, toZonedDateTimeISO } from 'temporal-polyfill/fns/Instant';
import { add, type Record as PlainDate } from 'temporal-polyfill/fns/PlainDate';
import { create as createLocal, toZonedDateTime } from 'temporal-polyfill/fns/PlainDateTime';
import { toPlainDate, type Record as ZonedDateTime } from 'temporal-polyfill/fns/ZonedDateTime';
import { type Instant, instant, LAST_INSTANT } from './instant.ts';

/** Five digits each: the sum stays within Temporal's dates, without rounding. */
export const CALENDAR_DURATION = /^P(?=\d)(?:\d{1,5}Y)?(?:\d{1,5}M)?(?:\d{1,5}W)?(?:\d{1,5}D)?$/;

/**
 * Reads an ISO 8601 duration of whole years, months, weeks and days, such as `P1M`, `P2W` or `P1Y6M`.
 *
 * @returns null for anything else: a time part, a fraction, a sign, a duration of nothing.
 */
export function parseCalendarDuration(text: string): Duration | null {
  const duration = CALENDAR_DURATION.test(text) ? fromString(text) : null;
  return duration === null || blank(duration) ? null : duration;
}

/** The facts that a plan's expiry depends on. */
interface ExpiryFacts {
  /** The instant of the consultation; of a payment, of its collection. */
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
export function planExpiry(facts: ExpiryFacts): string | null {
  const date = expiryDate(facts);
  return date && printed(date, toLocal(facts.at, facts.timeZone));
}

/**
 * When a period ends that was paid at an instant: on the same date as {@link planExpiry}, at the time of day of the collection.
 * A local time that clocks skip moves forward by the gap; of one that occurs twice it is the later.
 *
 * @returns null if the duration is invalid, or the end lies after the year 9999
 */
export function definitiveExpiry(facts: ExpiryFacts): Instant | null {
  const date = expiryDate(facts);
  if (date === null) return null;
  const { hour, minute, second, millisecond } = toLocal(facts.at, facts.timeZone);
  const local = createLocal(date.year, date.month, date.day, hour, minute, second, millisecond);
  const end = toZonedDateTime(local, facts.timeZone, { disambiguation: 'later' }).epochMilliseconds;
  return end > LAST_INSTANT ? null : instant(end);
}

/** An instant as a parking meter prints it: `HH:MM DD/MM/YYYY`, as the clocks of the time zone show it. */
export function printedExpiry(end: Instant, timeZone: string): string {
  const local = toLocal(end, timeZone);
  return printed(toPlainDate(local), local);
}

/** The local date of the current expiry, or of the instant, plus the duration. Null if that is invalid, or leads too far. */
function expiryDate({ at, currentExpiry, duration, timeZone }: ExpiryFacts): PlainDate | null {
  const added = parseCalendarDuration(duration);
  if (added === null) return null;
  const from = toPlainDate(toLocal(currentExpiry ?? at, timeZone));
  const date = add(from, added);
  return date.year > LAST_YEAR ? null : date;
}

function printed(date: PlainDate, { hour, minute }: ZonedDateTime): string {
  const time = `${digits(hour, 2)}:${digits(minute, 2)}`;
  return `${time} ${digits(date.day, 2)}/${digits(date.month, 2)}/${digits(date.year, 4)}`;
}

function toLocal(at: Instant, timeZone: string): ZonedDateTime {
  return toZonedDateTimeISO(fromEpochMilliseconds(at), timeZone);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
