import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../instant.ts';
import { offsetAt } from '../zoned-time.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const PAID_DAYS = [...WEEKDAYS, 'holiday'] as const;
export type PaidDay = (typeof PAID_DAYS)[number];

/** Hours of some days of the week in which parking must be paid: [from, to) on the local clock. */
export interface PaidSpan {
  readonly days: readonly PaidDay[];
  /** `HH:MM`. */
  readonly from: string;
  /** `HH:MM`, later than `from`; `24:00` is the end of the day. */
  readonly to: string;
}

/** When parking must be paid in an area. */
export interface PaymentCalendar {
  /** Null: always. Empty: never. Spans may overlap. */
  readonly paidHours: readonly PaidSpan[] | null;
  /** The municipality's, as local dates: `2026-12-25`. Only spans of `holiday` count on them. */
  readonly holidays: readonly string[];
  /** IANA name. */
  readonly timeZone: string;
}

/** How far ahead a change is looked for: a day that is paid once a week is found. */
const CHANGE_WITHIN_MS = 8 * DAY_MS;

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

/**
 * Whether parking must be paid at an instant, by the local clock. So an hour that the clock skips does not count, and one
 * that it repeats counts twice.
 */
export function paymentDue({ paidHours, holidays, timeZone }: PaymentCalendar, at: Instant): boolean {
  if (paidHours === null) return true;
  const wallClock = at + offsetAt(at, timeZone);
  const date = Math.floor(wallClock / DAY_MS);
  const timeOfDay = wallClock - date * DAY_MS;
  const day = dayOf(date, holidays);
  return paidHours.some(
    ({ days, from, to }) =>
      days.includes(day) && timeOfDayOf(from) <= timeOfDay && timeOfDay < timeOfDayOf(to),
  );
}

/** Time zones change their offset on the quarter hour, and not twice in so few days. */
const QUARTER_MS = 15 * MINUTE_MS;

/** The first instant within the next 8 days at which {@link paymentDue} becomes another. Null if there is none. */
export function nextPaymentChange(calendar: PaymentCalendar, at: Instant): Instant | null {
  const { paidHours, timeZone } = calendar;
  if (paidHours === null) return null;
  const last = instant(at + CHANGE_WITHIN_MS);
  const offsets = [...new Set([at, last].map((end) => offsetAt(end, timeZone)))];
  const times = [0, ...paidHours.flatMap(({ from, to }) => [timeOfDayOf(from), timeOfDayOf(to)])];
  // It changes at none but these. Many are no change: of another day, or by an offset that is not in force.
  // West of Greenwich, the local date may have begun more than a day ago in UTC.
  const edges = multiplesOf(DAY_MS, at - 2 * DAY_MS, last + DAY_MS).flatMap((date) =>
    times.flatMap((time) => offsets.map((offset) => date + time - offset)),
  );
  const clockChanges = offsets.length === 1 ? [] : multiplesOf(QUARTER_MS, at, last);
  const now = paymentDue(calendar, at);
  const change = [...edges, ...clockChanges]
    .filter((ms) => at < ms && ms <= last)
    .sort((a, b) => a - b)
    .find((ms) => paymentDue(calendar, instant(ms)) !== now);
  return change === undefined ? null : instant(change);
}

/** The multiples of a step behind a time, up to another. */
function multiplesOf(step: number, behind: number, until: number): number[] {
  const [before, last] = [Math.floor(behind / step), Math.floor(until / step)];
  return Array.from({ length: last - before }, (_, index) => (before + 1 + index) * step);
}

/** `HH:MM` as milliseconds since midnight. */
export function timeOfDayOf(text: string): number {
  return Number(text.slice(0, 2)) * HOUR_MS + Number(text.slice(3)) * MINUTE_MS;
}

function dayOf(date: number, holidays: readonly string[]): PaidDay {
  if (holidays.length > 0 && holidays.includes(new Date(date * DAY_MS).toISOString().slice(0, 10))) {
    return 'holiday';
  }
  const weekday = (((date + FIRST_WEEKDAY) % WEEKDAYS.length) + WEEKDAYS.length) % WEEKDAYS.length;
  return WEEKDAYS[weekday] ?? 'mon';
}
