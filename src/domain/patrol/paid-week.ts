import { PAID_DAYS, type PaidDay, type PaidSpan } from './paid-hours.ts';

/** Days that have the same hours, and these hours: in order, and apart from each other. */
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

/** Spans that overlap or follow each other at once become one. */
function joined(spans: readonly PaidSpan[]): DaysHours['hours'] {
  const hours: { from: string; to: string }[] = [];
  // In this form, the order of texts is that of times.
  for (const { from, to } of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = hours.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = to > last.to ? to : last.to;
    } else {
      hours.push({ from, to });
    }
  }
  return hours;
}
