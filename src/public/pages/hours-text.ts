import { PAID_DAYS, type PaidDay, type PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { type DaysHours, weekOf } from '../../domain/patrol/paid-week.ts';
import type { Texts } from './texts-en.ts';

/** The paid hours of a week, a text for each group of days: `Mon–Sat 08:00–20:00`. */
export function hoursText(paidHours: readonly PaidSpan[], texts: Texts): string[] {
  return weekOf(paidHours).map(({ days, hours }) => `${daysText(days, texts)} ${timesText(hours)}`);
}

const timesText = (hours: DaysHours['hours']): string =>
  hours.map(({ from, to }) => `${from}–${to}`).join(', ');

/** Three days or more that follow each other become a range. */
function daysText(days: readonly PaidDay[], texts: Texts): string {
  const runs: PaidDay[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && day !== 'holiday' && PAID_DAYS.indexOf(day) === PAID_DAYS.indexOf(last) + 1) {
      run.push(day);
    } else {
      runs.push([day]);
    }
  }
  const named = runs.map((run) => run.map((day) => dayName(day, texts)));
  return named.flatMap((names) => (names.length > 2 ? `${names[0]}–${names.at(-1)}` : names)).join(', ');
}

function dayName(day: PaidDay, { locale, holidays }: Texts): string {
  if (day === 'holiday') return holidays;
  // 1970-01-05 was a Monday.
  const date = Date.UTC(1970, 0, 5 + PAID_DAYS.indexOf(day));
  return new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(date);
}
