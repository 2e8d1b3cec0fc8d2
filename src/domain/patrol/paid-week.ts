import { joined, PAID_DAYS, type PaidDay, type PaidSpan } from './paid-hours.ts';

/** Days with the same hours; the hours are sorted and do not touch. */
export interface DaysHours {
  readonly days: readonly PaidDay[];
  readonly hours: readonly Omit<PaidSpan, 'days'>[];
}

/** The paid hours of a week as people write them: Monday to Saturday 08:00 to 20:00. Days without any are left out. */
export function weekOf(paidHours: readonly PaidSpan[]): DaysHours[] {
  const byDay = PAID_DAYS.map((day) => ({
    day,
    hours: joined(paidHours.filter(({ days }) => days.includes(day))),
  }));
  const paid = byDay.filter(({ hours }) => hours.length > 0);
  return [...Map.groupBy(paid, ({ hours }) => JSON.stringify(hours)).values()].map((same) => ({
    days: same.map(({ day }) => day),
    hours: same[0]?.hours ?? [],
  }));
}
