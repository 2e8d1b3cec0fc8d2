import type { Text } from '../../src/base/text/text.ts';
import { readDateAndTime, readTime, type TimeField, type TimeReading, type TimeRules } from './read-time.ts';

/** What is imported. */
export type KindName = 'sessions' | 'subscriptions';

/** The value of a cell for the line's property, or why it has none. Undefined: it is empty. */
export type CellReading = { readonly value: unknown } | { readonly trouble: Text } | undefined;

/** A property that a column may fill. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly read: (cell: string, rules: TimeRules) => CellReading;
  /** It holds plates, keys or codes, which a spreadsheet spoils when it takes them for numbers or dates. */
  readonly isCode: boolean;
  /** Reads a column of dates and one of times of day together. Null: it is not a time. */
  readonly readPair: ((cells: readonly [string, string], rules: TimeRules) => CellReading) | null;
}

// Blanks are trimmed afterwards: a pattern that matches them backtracks in a cell of blanks.
const BETWEEN_PLATES = /[;,|/\r\n]|\s\+\s/;
const BETWEEN_AREAS = /[;,|\r\n]|\s\+\s/;
const BETWEEN_PERIODS = /[;|\r\n]/;
const BETWEEN_ENDS = /\/|\s[–—]\s/;
const split = (cell: string, between: RegExp): string[] => cell.split(between).map((part) => part.trim());
const items = (cell: string, between: RegExp): string[] => split(cell, between).filter((item) => item !== '');

/** What a spreadsheet writes for a long number, or for a plate such as 219E24 that it took for one. */
const E_NOTATION = /(?:^|[\s;,|/])\d+(?:[.,]\d+)?E[+-]\d+(?:$|[\s;,|/])/i;

function code(cell: string): CellReading {
  return E_NOTATION.test(cell) ? { trouble: SPOILT_NUMBER } : { value: cell };
}
const SPOILT_NUMBER: Text = {
  en: 'is a number that a spreadsheet has shortened: format the column as text, and write it again',
  it: 'è un numero accorciato dal foglio di calcolo: formattare la colonna come testo e riscriverlo',
};

/** As `07/03/2026`, which a list of plates would be split at. */
const DATE = /^(?:\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})(?:[T ].*)?$/;

/** Five characters with letters and digits are a whole plate. No plate has two such parts. */
const isWholePlate = (part: string): boolean => /\p{L}/u.test(part) && /\d/.test(part) && part.length >= 5;

function plate(cell: string): CellReading {
  if (E_NOTATION.test(cell)) return { trouble: SPOILT_NUMBER };
  if (DATE.test(cell)) return { trouble: DATE_AS_PLATE };
  return cell.split(/[^\p{L}\p{N}]+/u).filter(isWholePlate).length > 1
    ? { trouble: SEVERAL_PLATES }
    : { value: cell };
}
const DATE_AS_PLATE: Text = {
  en: 'is a date: format the column as text, and write the plate again',
  it: 'è una data: formattare la colonna come testo e riscrivere la targa',
};
const SEVERAL_PLATES: Text = {
  en: 'is more than one plate: a session has one, and a subscription’s are separated by line breaks, commas, semicolons or slashes',
  it: 'è più di una targa: una sosta ne ha una, e quelle di un abbonamento sono separate da a capo, virgole, punti e virgola o barre',
};

function plates(cell: string): CellReading {
  if (E_NOTATION.test(cell)) return { trouble: SPOILT_NUMBER };
  const found = DATE.test(cell) ? [cell] : items(cell, BETWEEN_PLATES);
  for (const item of found) {
    const reading = plate(item);
    if (reading !== undefined && 'trouble' in reading) return reading;
  }
  return { value: found };
}

const text = (cell: string): CellReading => ({ value: cell });

/** Spreadsheets write 2 as `2,00` or `2.0`. Three zeros may be thousands. */
function wholeNumber(cell: string): CellReading {
  const [, digits] = /^(-?\d{1,15})(?:[.,]0{1,2})?$/.exec(cell) ?? [];
  return digits === undefined
    ? { trouble: { en: 'is not a whole number', it: 'non è un numero intero' } }
    : { value: Number(digits) };
}

const readingOf = ({ at, trouble }: TimeReading): CellReading =>
  trouble === undefined ? { value: at } : { trouble };

/**
 * In the night of a clock change, the instant that favours the driver is meant: an entitlement starts earlier
 * and ends later, a suspension the other way round.
 */
const START: TimeField = { side: 'earlier', isEnd: false };
const END: TimeField = { side: 'later', isEnd: true };
const TAKEN_AWAY: TimeField = { side: 'later', isEnd: false };
const GIVEN_BACK: TimeField = { side: 'earlier', isEnd: true };

function areas(cell: string): CellReading {
  if (E_NOTATION.test(cell)) return { trouble: SPOILT_NUMBER };
  return { value: /^(all|tutte|tutti|\*)$/i.test(cell) ? 'all' : items(cell, BETWEEN_AREAS) };
}

function periods(cell: string, rules: TimeRules): CellReading {
  const found = [];
  for (const item of items(cell, BETWEEN_PERIODS)) {
    const [from = '', until, more] = split(item, BETWEEN_ENDS);
    if (until === undefined || more !== undefined) return { trouble: NO_PERIOD };
    const [starts, ends] = [readTime(from, rules, START), readTime(until, rules, END)];
    const trouble = starts.trouble ?? ends.trouble;
    if (trouble !== undefined) return { trouble };
    found.push({ starts_at: starts.at, ends_at: ends.at });
  }
  return { value: found };
}
const NO_PERIOD: Text = {
  en: 'is not a list of periods: write 2026-01-01/2026-02-01; 2026-02-01/2026-03-01',
  it: 'non è un elenco di periodi: scrivere 2026-01-01/2026-02-01; 2026-02-01/2026-03-01',
};

type Read = Field['read'];
const field = (name: string, read: Read, required = false): Field => ({
  ...{ name, required, read },
  isCode: CODES.includes(read),
  readPair: null,
});
const CODES: readonly Read[] = [code, plate, plates, areas];

const time = (name: string, meant: TimeField, required = false): Field => ({
  ...{ name, required, isCode: false },
  read: (cell, rules) => readingOf(readTime(cell, rules, meant)),
  readPair: (cells, rules) => readingOf(readDateAndTime(cells, rules, meant)),
});

/** The properties of a line that columns may fill. Plates and periods of a subscription have parts of their own. */
export const FIELDS: Readonly<Record<KindName, readonly Field[]>> = {
  sessions: [
    field('session_id', code, true),
    field('plate', plate, true),
    field('area_code', code, true),
    time('starts_at', START, true),
    time('ends_at', END),
    time('cancelled_at', TAKEN_AWAY),
    field('revision', wholeNumber),
  ],
  subscriptions: [
    field('subscription_number', code, true),
    field('type', code, true),
    field('plates', plates, true),
    time('plate_valid_from', START),
    time('plate_valid_until', END),
    field('approval', text, true),
    time('authorized_from', START),
    time('authorized_until', END),
    field('areas', areas, true),
    time('suspended_from', TAKEN_AWAY),
    time('suspended_until', GIVEN_BACK),
    time('revoked_at', TAKEN_AWAY),
    field('periods', periods),
    time('period_starts_at', START),
    time('period_ends_at', END),
    field('revision', wholeNumber),
  ],
};

/** The line of these properties, with the values of several columns put together. */
export function lineOf(kind: KindName, values: Record<string, unknown>): object {
  if (kind === 'sessions') return values;
  const {
    plates,
    plate_valid_from,
    plate_valid_until,
    period_starts_at,
    period_ends_at,
    periods: listed,
    ...line
  } = values;
  const validity = { valid_from: plate_valid_from, valid_until: plate_valid_until };
  const own = period_starts_at === undefined && period_ends_at === undefined;
  const period = own ? [] : [{ starts_at: period_starts_at, ends_at: period_ends_at }];
  return {
    ...line,
    plates: (Array.isArray(plates) ? plates : []).map((plate: unknown) => ({ plate, ...validity })),
    periods: [...(Array.isArray(listed) ? listed : []), ...period],
  };
}
