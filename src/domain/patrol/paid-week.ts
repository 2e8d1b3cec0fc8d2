import { PAID_DAYS, type PaidDay, type PaidSpan } from './paid-hours.ts';

/** Days with the same hours; the hours are sorted and do not touch. */
interface DaysHours {
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
    if (last === undefined || from > last.to) hours.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return hours;
}

/** The days in runs: three or more that follow each other are one, of its first and its last day. */
export function runsOf(days: readonly PaidDay[]): PaidDay[][] {
  const runs: PaidDay[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const before = PAID_DAYS[PAID_DAYS.indexOf(day) - 1];
    if (run !== undefined && day !== 'holiday' && run.at(-1) === before) run.push(day);
    else runs.push([day]);
  }
  return runs.flatMap((run) =>
    run.length > 2 ? [[...run.slice(0, 1), ...run.slice(-1)]] : run.map((day) => [day]),
  );
}
