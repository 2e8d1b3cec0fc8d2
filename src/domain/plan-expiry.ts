import { Temporal } from 'temporal-polyfill/implementation';

import { parseCalendarDuration } from './calendar-duration.ts';
import type { Instant } from './instant.ts';

/** What the expiry of a plan depends on. */
export interface ExpiryFacts {
  /** The consultation instant. */
  readonly at: Instant;
  /** When the active period ends; null for a title that has expired or was never activated. */
  readonly currentExpiry: Instant | null;
  /** ISO 8601, of whole days, weeks, months or years: `P1M`. */
  readonly duration: string;
  /** The municipality's, an IANA name. */
  readonly timeZone: string;
}

/** The last year that four digits can write. */
const LAST_YEAR = 9_999;

/**
 * The expiry to expect after paying a plan: the local date of the current expiry (of the consultation where there is
 * none) plus the duration on the calendar, the end of a shorter month being kept. The time of day is always the
 * consultation's as the clocks showed it, also where clocks change on the day of expiry: it is a text, not an instant.
 *
 * @returns `HH:MM DD/MM/YYYY`, or null when the duration is none or the year has no four digits: nobody could print it.
 */
export function planExpiry({ at, currentExpiry, duration, timeZone }: ExpiryFacts): string | null {
  const added = parseCalendarDuration(duration);
  if (added === null) return null;

  const consulted = local(at, timeZone);
  const from = currentExpiry === null ? consulted : local(currentExpiry, timeZone);
  const date = from.toPlainDate().add(added, { overflow: 'constrain' });
  if (date.year > LAST_YEAR) return null;

  const time = `${digits(consulted.hour, 2)}:${digits(consulted.minute, 2)}`;
  return `${time} ${digits(date.day, 2)}/${digits(date.month, 2)}/${digits(date.year, 4)}`;
}

function local(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
