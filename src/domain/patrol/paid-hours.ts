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

/** Time zones change their offset on the quarter hour, and differ from UTC by quarters. */
const QUARTER_MS = 15 * MINUTE_MS;

/** The first instant within the next 8 days at which {@link paymentDue} becomes another. Null if there is none. */
export function nextPaymentChange(calendar: PaymentCalendar, at: Instant): Instant | null {
  const { paidHours } = calendar;
  if (paidHours === null || paidHours.length === 0) return null;
  // It changes on a quarter, and as far behind one as its hours begin and end.
  const times = [0, ...paidHours.flatMap(({ from, to }) => [timeOfDayOf(from), timeOfDayOf(to)])];
  const steps = [...new Set(times.map((time) => time % QUARTER_MS))].sort((a, b) => a - b);
  const now = paymentDue(calendar, at);
  for (let quarter = at - (at % QUARTER_MS); quarter <= at + CHANGE_WITHIN_MS; quarter += QUARTER_MS) {
    const change = steps
      .map((step) => instant(quarter + step))
      .find((ms) => ms > at && ms <= at + CHANGE_WITHIN_MS && paymentDue(calendar, ms) !== now);
    if (change !== undefined) return change;
  }
  return null;
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
