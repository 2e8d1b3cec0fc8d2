import type { Text } from '../../../src/base/text/text.ts';
import { readTime, type TimeField, type TimeRules } from '../time/read-time.ts';
import type { KindName } from './kinds.ts';

/** The value of a cell for the line's property, or why it has none. Undefined: it is empty. */
export type CellReading = { readonly value: unknown } | { readonly trouble: Text } | undefined;

/** A property that a column may fill. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly read: (cell: string, rules: TimeRules) => CellReading;
  /** Then a column of dates and one of times of day may fill it together. */
  readonly isTime: boolean;
}

// Blanks are trimmed afterwards: a pattern that matches them backtracks in a cell of blanks.
const BETWEEN_ITEMS = /[;,|]|\s\+\s/;
const BETWEEN_PERIODS = /[;|]/;
const BETWEEN_ENDS = /\/|\s[–—]\s/;
const split = (cell: string, between: RegExp): string[] => cell.split(between).map((part) => part.trim());

const text = (cell: string): CellReading => ({ value: cell });

/** Spreadsheets write 2 as `2,00` or `2.0`. Three zeros may be thousands. */
function wholeNumber(cell: string): CellReading {
  const [, digits] = /^(-?\d{1,15})(?:[.,]0{1,2})?$/.exec(cell) ?? [];
  return digits === undefined
    ? { trouble: { en: 'is not a whole number', it: 'non è un numero intero' } }
    : { value: Number(digits) };
}

const time =
  (field: TimeField) =>
  (cell: string, rules: TimeRules): CellReading => {
    const { at, trouble } = { at: undefined, ...readTime(cell, rules, field) };
    return at === undefined ? { trouble: trouble ?? NEVER } : { value: at };
  };
const NEVER: Text = { en: 'is not a time', it: 'non è un orario' };

/**
 * In the night of a clock change, the instant that favours the driver is meant: an entitlement starts earlier
 * and ends later, a suspension the other way round.
 */
const start = time({ side: 'earlier', isEnd: false });
const end = time({ side: 'later', isEnd: true });
const takenAway = time({ side: 'later', isEnd: false });
const givenBack = time({ side: 'earlier', isEnd: true });

const items = (cell: string): string[] => split(cell, BETWEEN_ITEMS).filter((item) => item !== '');

const areas = (cell: string): CellReading => ({
  value: /^(all|tutte|tutti|\*)$/i.test(cell) ? 'all' : items(cell),
});

function periods(cell: string, rules: TimeRules): CellReading {
  const found = [];
  for (const item of split(cell, BETWEEN_PERIODS).filter((one) => one !== '')) {
    const [from = '', until = '', more] = split(item, BETWEEN_ENDS);
    const [starts, ends] = [start(from, rules), end(until, rules)];
    if (more !== undefined || starts === undefined || ends === undefined) return { trouble: NO_PERIOD };
    if ('trouble' in starts) return starts;
    if ('trouble' in ends) return ends;
    found.push({ starts_at: starts.value, ends_at: ends.value });
  }
  return { value: found };
}
const NO_PERIOD: Text = {
  en: 'is not a list of periods: write 2026-01-01/2026-02-01; 2026-02-01/2026-03-01',
  it: 'non è un elenco di periodi: scrivere 2026-01-01/2026-02-01; 2026-02-01/2026-03-01',
};

const TIMES: readonly Field['read'][] = [start, end, takenAway, givenBack];
const field = (name: string, read: Field['read'], required = false): Field => ({
  ...{ name, required, read },
  isTime: TIMES.includes(read),
});

/** The properties of a line that columns may fill. Plates and periods of a subscription have parts of their own. */
export const FIELDS: Readonly<Record<KindName, readonly Field[]>> = {
  sessions: [
    field('session_id', text, true),
    field('plate', text, true),
    field('area_code', text, true),
    field('starts_at', start, true),
    field('ends_at', end),
    field('cancelled_at', takenAway),
    field('revision', wholeNumber),
  ],
  subscriptions: [
    field('subscription_number', text, true),
    field('type', text, true),
    field('plates', (cell) => ({ value: items(cell) }), true),
    field('plate_valid_from', start),
    field('plate_valid_until', end),
    field('approval', text, true),
    field('authorized_from', start),
    field('authorized_until', end),
    field('areas', areas, true),
    field('suspended_from', takenAway),
    field('suspended_until', givenBack),
    field('revoked_at', takenAway),
    field('periods', periods),
    field('period_starts_at', start),
    field('period_ends_at', end),
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
