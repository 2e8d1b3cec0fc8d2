import type { PaidDay, PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { runsOf, weekOf } from '../../domain/patrol/paid-week.ts';

/** Paid hours as people write them: `Mon–Fri 08:00–13:00, 14:30–20:00; Sat 08:00–13:00`. Empty if there are none. */
export const weekText = (paidHours: readonly PaidSpan[], nameOfDay: (day: PaidDay) => string): string =>
  weekOf(paidHours)
    .map(({ days, hours }) => {
      const runs = runsOf(days).map((run) => run.map(nameOfDay).join('–'));
      return `${runs.join(', ')} ${hours.map(({ from, to }) => `${from}–${to}`).join(', ')}`;
    })
    .join('; ');
