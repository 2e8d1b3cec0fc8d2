import type { Instant } from '../../domain/instant.ts';
import type { Texts } from './texts.ts';

/** How a page writes instants, by the city's clock. */
interface Times {
  /** The date only where it is not that of the counters. */
  readonly short: (instant: Instant) => string;
  /** With the day of the week. */
  readonly inWeek: (instant: Instant) => string;
}

/** @param at the instant of the counters */
export function timesOf(at: Instant, timeZone: string, { locale }: Texts): Times {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const week = new Intl.DateTimeFormat(locale, {
    ...({ weekday: 'short', hour: '2-digit', minute: '2-digit' } as const),
    timeZone,
  });
  const today = day.format(at);
  return {
    short: (instant) => (day.format(instant) === today ? time : long).format(instant),
    inWeek: (instant) => week.format(instant),
  };
}
