import { PAID_DAYS, type PaidDay, type PaidSpan } from '../../../src/domain/patrol/paid-hours.ts';
import { weekText } from '../../../src/public/pages/week-text.ts';
import { say } from '../language.ts';

/** In the order of {@link PAID_DAYS}. */
const DAYS = say('mon tue wed thu fri sat sun holidays', 'lun mar mer gio ven sab dom festivi').split(' ');
const NEVER = say('never', 'mai');
const DASH = /\s*[-–]\s*/;

/** Paid hours as a clerk writes them: `mon–fri 08:00–13:00, 14:30–20:00; sat 08:00–13:00`. */
export const hoursText = (spans: readonly PaidSpan[]): string =>
  weekText(spans, (day) => DAYS[PAID_DAYS.indexOf(day)] ?? day) || NEVER;

/**
 * Reads them. The service judges the times.
 *
 * @throws Error if a day is none
 */
export function readHours(typed: string): PaidSpan[] {
  if (typed === NEVER) return [];
  return typed.split(';').flatMap((part) => {
    const [, days = '', hours = ''] = /^\s*(\D*?)\s*(\d.*)?$/.exec(part) ?? [];
    const named = days.split(',').flatMap(readDays);
    return hours.split(',').map((span) => {
      const [from = '', to = ''] = span.trim().split(DASH);
      return { days: named, from: from.padStart(5, '0'), to: to.padStart(5, '0') };
    });
  });
}

function readDays(typed: string): readonly PaidDay[] {
  const [first = '', last = first] = typed.trim().toLowerCase().split(DASH);
  const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
  if (from >= 0 && to >= from) return PAID_DAYS.slice(from, to + 1);
  const known = DAYS.join(', ');
  throw new Error(say(`“${typed}” is no day: ${known}.`, `«${typed}» non è un giorno: ${known}.`));
}
