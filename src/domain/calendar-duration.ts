/** A duration on the calendar, in whole units: how long a plan lasts. At least one of them is not zero. */
interface CalendarDuration {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
}

/** Five digits each: the sum stays within Temporal's dates, without rounding. */
export const CALENDAR_DURATION = /^P(?=\d)(?:(\d{1,5})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,5})D)?$/;

/**
 * Reads an ISO 8601 duration of whole years, months, weeks and days, such as `P1M`, `P2W` or `P1Y6M`.
 *
 * @returns null for anything else: a time part, a fraction, a sign, a duration of nothing.
 */
export function parseCalendarDuration(text: string): CalendarDuration | null {
  const fields = CALENDAR_DURATION.exec(text);
  if (fields === null) return null;
  const [years = 0, months = 0, weeks = 0, days = 0] = fields.slice(1).map(numberOf);
  return years + months + weeks + days > 0 ? { years, months, weeks, days } : null;
}

const numberOf = (digits: string | undefined): number => Number(digits ?? 0);
