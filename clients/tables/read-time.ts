import type { Text } from '../../src/base/text/text.ts';
import { parseInstant } from '../../src/domain/instant.ts';
import type { Side, WallClock, Zone } from './zone.ts';

/** The order of day, month and year, if the text itself leaves it open. */
export type DateOrder = 'dmy' | 'mdy';

/** The meaning of a bare date as an end: it ends with the day before, or with this day. */
export type EndDates = 'included' | 'excluded';

export interface TimeRules {
  /** Null: unknown. Then only texts with an offset can be read. */
  readonly zone: Zone | null;
  readonly dateOrder: DateOrder;
  /** Null: not given. Then a bare date is refused as an end. */
  readonly endDates: EndDates | null;
}

export interface TimeField {
  /** Which instant is meant when a clock change leaves two. */
  readonly side: Side;
  /** Whether it ends something. */
  readonly isEnd: boolean;
}

export type TimeReading =
  | { readonly at: string; readonly trouble?: undefined }
  | { readonly at?: undefined; readonly trouble: Text };

const YEAR_FIRST =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,3})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?)?$/;
const YEAR_LAST =
  /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ]+(\d{1,3})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?)?$/;

/**
 * Reads a time as offices write it: ISO 8601 with an offset, or a date (`2026-03-07`, `07/03/2026`) with or
 * without a time, which is then the municipality's local time. 24:00 is the end of the day.
 *
 * @returns an ISO 8601 instant in UTC, or why there is none
 */
export function readTime(text: string, rules: TimeRules, field: TimeField): TimeReading {
  if (parseInstant(text) !== null) return { at: text };
  const parts = partsOf(text, rules.dateOrder);
  if (parts === null) return { trouble: NO_TIME };
  if ('trouble' in parts) return parts;
  if (rules.zone === null) return { trouble: NO_ZONE };
  if (!parts.hasTime && field.isEnd && rules.endDates === null) return { trouble: BARE_END };

  const clock =
    !parts.hasTime && field.isEnd && rules.endDates === 'included' ? dayAfter(parts.clock) : parts.clock;
  const at = new Date(rules.zone.instantOf(clock, field.side)).toISOString();
  return parseInstant(at) === null ? { trouble: NO_TIME } : { at };
}

/** Reads a time whose date and time of day have a column each. The time of day may be absent. */
export function readDateAndTime(
  [date, time]: readonly [string, string],
  rules: TimeRules,
  field: TimeField,
): TimeReading {
  if (date !== '' && parseInstant(date) !== null) return { trouble: TIME_IN_DATE };
  const parts = partsOf(date, rules.dateOrder);
  if (parts !== null && 'trouble' in parts && parts.trouble === NO_DATE) return parts;
  if (parts !== null && ('trouble' in parts || parts.hasTime)) return { trouble: TIME_IN_DATE };
  return readTime(`${date} ${time}`.trim(), rules, field);
}

type Parts = { readonly clock: WallClock; readonly hasTime: boolean } | { readonly trouble: Text };

function partsOf(text: string, order: DateOrder): Parts | null {
  const found = YEAR_FIRST.exec(text) ?? YEAR_LAST.exec(text);
  if (found === null) return null;
  const clock = {
    ...dateIn(found, order),
    hour: Number(found[4] ?? 0),
    minute: Number(found[5] ?? 0),
    second: Number(found[6] ?? 0),
  };
  if (!isOnTheCalendar(clock)) return { trouble: NO_DATE };
  if (clock.minute > 59 || clock.second > 59) return null;
  if (clock.hour < 24) return { clock, hasTime: found[4] !== undefined };
  const isEndOfDay = clock.hour === 24 && clock.minute === 0 && clock.second === 0;
  return isEndOfDay ? { clock: dayAfter({ ...clock, hour: 0 }), hasTime: true } : { trouble: BEYOND_DAY };
}

function dateIn([, a = '', b, c]: readonly string[], order: DateOrder) {
  if (a.length === 4) return { year: Number(a), month: Number(b), day: Number(c) };
  const [day, month] = order === 'dmy' ? [a, b] : [b, a];
  return { year: Number(c), month: Number(month), day: Number(day) };
}

/** Not 30 February. Years before 1900 are slips of the keyboard. */
function isOnTheCalendar({ year, month, day }: WallClock): boolean {
  if (year < 1900) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function dayAfter(clock: WallClock): WallClock {
  const next = new Date(Date.UTC(clock.year, clock.month - 1, clock.day + 1));
  return { ...clock, year: next.getUTCFullYear(), month: next.getUTCMonth() + 1, day: next.getUTCDate() };
}

const NO_TIME: Text = {
  en: 'is not a time: write 2026-03-07 17:44, 07/03/2026 17:44 or 2026-03-07T17:44:00+01:00',
  it: 'non è un orario: scrivere 2026-03-07 17:44, 07/03/2026 17:44 o 2026-03-07T17:44:00+01:00',
};
const NO_DATE: Text = {
  en: 'is no date: the calendar has no such day; is the order of day and month right?',
  it: 'non è una data: il calendario non ha questo giorno; l’ordine di giorno e mese è giusto?',
};
const BEYOND_DAY: Text = {
  en: 'is later than 24:00, the end of its day',
  it: 'è oltre le 24:00, la fine del giorno',
};
const TIME_IN_DATE: Text = {
  en: 'has a time in the column of the date: write the date alone there, or map that column alone',
  it: 'ha un’ora nella colonna della data: scrivervi solo la data, o mappare solo quella colonna',
};
const NO_ZONE: Text = {
  en: 'has no offset, and the municipality’s time zone is not known: give the timezone, such as Europe/Rome',
  it: 'non ha differenza oraria, e il fuso del comune non è noto: indicare il fuso (timezone), come Europe/Rome',
};
const BARE_END: Text = {
  en: 'ends on a date without a time: say by end-dates whether that day is included or excluded',
  it: 'finisce in una data senza ora: indicare con end-dates se quel giorno è compreso (included) o no (excluded)',
};
