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
  if (paidHours === null || paidHours.length === 0) {
    return paidHours === null;
  }
  const wallClock = at + offsetAt(at, timeZone);
  const date = Math.floor(wallClock / DAY_MS);
  const timeOfDay = wallClock - date * DAY_MS;
  const day = dayOf(date, holidays);
  return paidHours.some(
    ({ days, from, to }) =>
      days.includes(day) && timeOfDayOf(from) <= timeOfDay && timeOfDay < timeOfDayOf(to),
  );
}

/**
 * The first instant within the next 8 days at which {@link paymentDue} becomes another. Null if there is none.
 */
export function nextPaymentChange(calendar: PaymentCalendar, at: Instant): Instant | null {
  const { paidHours, holidays, timeZone } = calendar;
  if (paidHours === null || paidHours.length === 0) {
    return null;
  }
  const now = paymentDue(calendar, at);
  const byDay = hoursByDay(paidHours);
  const hoursOf = (date: number): Hours => byDay.get(dayOf(date, holidays)) ?? [];
  const isDue = (wallClock: number): boolean => {
    const date = Math.floor(wallClock / DAY_MS);
    const timeOfDay = wallClock - date * DAY_MS;
    return hoursOf(date).some(([from, to]) => from <= timeOfDay && timeOfDay < to);
  };
  const last = at + CHANGE_WITHIN_MS;
  for (const stretch of stretchesOfOneOffset(at, last, timeZone)) {
    const candidates = [stretch.from, ...edgesIn(hoursOf, stretch)].sort((a, b) => a - b);
    const change = candidates.find((ms) => ms > at && isDue(ms + stretch.offset) !== now);
    if (change !== undefined) {
      return instant(change);
    }
  }
  return null;
}

/** The hours of a day, in milliseconds since midnight: in order, and apart from each other. */
type Hours = readonly (readonly [from: number, to: number])[];

const hoursByDay = (paidHours: readonly PaidSpan[]): ReadonlyMap<PaidDay, Hours> =>
  new Map(
    PAID_DAYS.map((day) => [
      day,
      joined(paidHours.filter(({ days }) => days.includes(day))).map(({ from, to }) => [
        timeOfDayOf(from),
        timeOfDayOf(to),
      ]),
    ]),
  );

/** Spans that overlap or follow each other at once become one. */
export function joined(spans: readonly PaidSpan[]): readonly Omit<PaidSpan, 'days'>[] {
  const hours: { from: string; to: string }[] = [];
  // In this form, the order of texts is that of times.
  for (const { from, to } of spans
    .map((span) => ({ from: span.from, to: span.to }))
    .sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = hours.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = to > last.to ? to : last.to;
    } else {
      hours.push({ from, to });
    }
  }
  return hours;
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

/** A stretch of time, its end included, in which the local clock runs without a change. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** The instants of a stretch at which a local date begins, or an hour of it begins or ends. */
function edgesIn(hoursOf: (date: number) => Hours, { from, until, offset }: Stretch): number[] {
  const firstDate = Math.floor((from + offset) / DAY_MS);
  const lastDate = Math.floor((until + offset) / DAY_MS);
  const dates = Array.from({ length: lastDate - firstDate + 1 }, (_, index) => firstDate + index);
  return dates
    .flatMap((date) => [0, ...hoursOf(date).flat()].map((time) => date * DAY_MS + time - offset))
    .filter((ms) => from <= ms && ms <= until);
}

/** No time zone changes its clock twice within this time. */
const OFFSET_STEP_MS = 6 * HOUR_MS;

function stretchesOfOneOffset(from: number, last: number, timeZone: string): Stretch[] {
  const offset = (ms: number) => offsetAt(instant(ms), timeZone);
  const stretches: Stretch[] = [];
  let start = from;
  for (let known = from; known < last; ) {
    const next = Math.min(known + OFFSET_STEP_MS, last);
    if (offset(next) !== offset(known)) {
      const change = firstWithOtherOffset(known, next, offset);
      stretches.push({ from: start, until: change - 1, offset: offset(start) });
      start = change;
    }
    known = next;
  }
  return [...stretches, { from: start, until: last, offset: offset(start) }];
}

function firstWithOtherOffset(before: number, after: number, offset: (ms: number) => number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === offset(before)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}
