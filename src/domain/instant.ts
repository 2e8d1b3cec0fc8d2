declare const instantBrand: unique symbol;

/** A point in time: whole milliseconds since the epoch, UTC. A time zone is added only where it is shown. */
export type Instant = number & { readonly [instantBrand]: true };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** Always 24 hours, never a calendar day: rules that count in such days do not depend on clock changes. */
export const DAY_MS = 24 * HOUR_MS;

/** The greatest distance from the epoch of a JavaScript `Date` and a `Temporal.Instant`. */
const MAX_INSTANT_MS = 8_640_000_000_000_000;

const FIRST_WRITABLE_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_WRITABLE_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The range of instants that are accepted, both included. */
const FIRST_INSTANT = asInstant(0);
export const LAST_INSTANT = asInstant(LAST_WRITABLE_MS);

/**
 * `Date.UTC` reads the years 0 to 99 as 1900 to 1999. The calendar repeats after 400 years, so we look 400 years ahead.
 */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * DAY_MS;

const EXTENDED_FORM =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;

/** The form of an instant's text, as a pattern of JSON Schema. */
export const INSTANT_PATTERN = EXTENDED_FORM.source;
/** Its greatest length: `2026-03-07T17:44:12.123456789+01:00`. */
export const INSTANT_LENGTH = 35;

/**
 * Makes an instant of a number that is known to be one: from storage, or computed from instants.
 *
 * @param ms whole milliseconds since the epoch, UTC
 * @throws RangeError for anything else. Comparisons with NaN are always false, which would look like "not valid".
 */
export function instant(ms: number): Instant {
  if (!Number.isInteger(ms) || Math.abs(ms) > MAX_INSTANT_MS) {
    throw new RangeError(`not an instant in whole milliseconds: ${ms}`);
  }
  return asInstant(ms);
}

/**
 * Reads an ISO 8601 instant in extended form: a date, a time to the minute or finer, and an offset (`Z`, `±HH:MM`,
 * `±HHMM` or `±HH`). Fractions of a second follow a point or a comma and have up to nine digits; what is finer than a
 * millisecond is floored, before 1970 too.
 *
 * It is strict otherwise: no bracketed annotation, missing offset, bare date, basic date or time, lower case,
 * leap second, 24:00, date that is not in the calendar, or year of other than four digits.
 *
 * @returns the instant, or `null` when the text is not one. It may lie outside the range: see {@link isInRange}.
 */
export function parseInstant(text: string): Instant | null {
  if (!EXTENDED_FORM.test(text)) return null;
  // The form fixes where the digits are. To cut the text into groups would take twice as long, in each line of an import.
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = text[16] === ':' ? twoDigits(text, 17) : 0;
  const signAt = text.endsWith('Z') ? null : Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
  const offsetHour = signAt === null ? 0 : twoDigits(text, signAt + 1);
  const offsetMinute = signAt === null || text.length === signAt + 3 ? 0 : twoDigits(text, text.length - 2);
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null;

  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const midnight = utcMidnight(year, twoDigits(text, 5), twoDigits(text, 8));
  if (midnight === null) return null;

  const wallClock =
    midnight + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + millisecondsOf(text);
  const offset = offsetHour * HOUR_MS + offsetMinute * MINUTE_MS;
  const ms = signAt !== null && text[signAt] === '-' ? wallClock + offset : wallClock - offset;
  return asInstant(ms);
}

const digitAt = (text: string, index: number): number => text.charCodeAt(index) - '0'.charCodeAt(0);
const twoDigits = (text: string, index: number): number =>
  10 * digitAt(text, index) + digitAt(text, index + 1);

/** The whole milliseconds of the fraction of a second that begins behind the seconds with its point or comma; 0 if none does. */
function millisecondsOf(text: string): number {
  let milliseconds = 0;
  let worth = text[19] === '.' || text[19] === ',' ? 100 : 0;
  for (let at = 20; worth >= 1 && digitAt(text, at) >= 0 && digitAt(text, at) <= 9; at += 1) {
    milliseconds += worth * digitAt(text, at);
    worth /= 10;
  }
  return milliseconds;
}

/** The UTC day of an instant: days since 1970. */
export const utcDay = (at: number): number => Math.floor(at / DAY_MS);

/** Whether an instant may be sent and stored: earlier ones are mistakes, and later ones cannot be written. */
export const isInRange = (at: Instant): boolean => FIRST_INSTANT <= at && at <= LAST_INSTANT;

/** The nearest wall clock, in whole seconds, whose year has four digits. */
export function toWritable(wallClockMs: number): number {
  if (wallClockMs < FIRST_WRITABLE_MS) return FIRST_WRITABLE_MS;
  return wallClockMs > LAST_WRITABLE_MS ? LAST_WRITABLE_MS - (SECOND_MS - 1) : wallClockMs;
}

/** Whether a wall clock's year has four digits. Few clients can read the ISO 8601 form of other years. */
export function isWritable(wallClockMs: number): boolean {
  return FIRST_WRITABLE_MS <= wallClockMs && wallClockMs <= LAST_WRITABLE_MS;
}

/**
 * @returns the first millisecond of that UTC day (month and day from 1), or `null` when the calendar has no such day.
 */
function utcMidnight(year: number, month: number, day: number): number | null {
  const later = Date.UTC(year + CYCLE_YEARS, month - 1, day);
  // `Date.UTC` lets 30 February overflow into March, and month 13 into the next year: then the month does not come back.
  const exists = new Date(later).getUTCMonth() === month - 1;
  return exists ? later - CYCLE_MS : null;
}

/** The one cast to `Instant`. Every caller has a whole number of milliseconds within the range of `Date`. */
function asInstant(ms: number): Instant {
  return ms as Instant;
}
