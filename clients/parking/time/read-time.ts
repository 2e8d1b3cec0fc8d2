import type { Text } from '../../../src/base/text/text.ts';
import { parseInstant } from '../../../src/domain/instant.ts';
import type { Side, WallClock, Zone } from './wall-clock.ts';

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

export type TimeReading = { readonly at: string; readonly trouble?: undefined } | { readonly trouble: Text };

const YEAR_FIRST =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?)?$/;
const YEAR_LAST =
  /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ]+(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?)?$/;

/**
 * Reads a time as offices write it: ISO 8601 with an offset, or a date (`2026-03-07`, `07/03/2026`) with or
 * without a time, which is then the municipality's local time.
 *
 * @returns an ISO 8601 instant in UTC, or why there is none
 */
export function readTime(text: string, rules: TimeRules, field: TimeField): TimeReading {
  if (parseInstant(text) !== null) return { at: text };
  const parts = partsOf(text, rules.dateOrder);
  if (parts === null) return { trouble: NO_TIME };
  if (rules.zone === null) return { trouble: NO_ZONE };
  if (!parts.hasTime && field.isEnd && rules.endDates === null) return { trouble: BARE_END };

  const clock =
    !parts.hasTime && field.isEnd && rules.endDates === 'included' ? dayAfter(parts.clock) : parts.clock;
  const at = new Date(rules.zone.instantOf(clock, field.side)).toISOString();
  return parseInstant(at) === null ? { trouble: NO_TIME } : { at };
}

function partsOf(text: string, order: DateOrder): { clock: WallClock; hasTime: boolean } | null {
  const first = YEAR_FIRST.exec(text);
  const last = first === null ? YEAR_LAST.exec(text) : null;
  const found = first ?? last;
  if (found === null) return null;
  const [a, b, c] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const date =
    first !== null
      ? { year: a, month: b, day: c }
      : { year: c, month: order === 'dmy' ? b : a, day: order === 'dmy' ? a : b };
  const clock = {
    ...date,
    hour: Number(found[4] ?? 0),
    minute: Number(found[5] ?? 0),
    second: Number(found[6] ?? 0),
  };
  return isOnTheClock(clock) ? { clock, hasTime: found[4] !== undefined } : null;
}

/** Neither 30 February nor 24:00. Years before 1900 are slips of the keyboard. */
function isOnTheClock({ year, month, day, hour, minute, second }: WallClock): boolean {
  if (year < 1900 || hour > 23 || minute > 59 || second > 59) return false;
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
const NO_ZONE: Text = {
  en: 'has no offset, and the municipality’s time zone is not known: pass --timezone Europe/Rome',
  it: 'non ha differenza oraria, e il fuso del comune non è noto: indicare --timezone Europe/Rome',
};
const BARE_END: Text = {
  en: 'ends on a date without a time: pass --end-dates included (to the end of that day) or excluded (to its start)',
  it: 'finisce in una data senza ora: indicare --end-dates included (fino alla fine di quel giorno) o excluded (fino al suo inizio)',
};
