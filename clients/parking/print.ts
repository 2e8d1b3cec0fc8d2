import Table from 'cli-table3';
import { withSteeringShown } from '../../src/base/text/text.ts';

/** No lines between the cells: a table is copied into files and read by `grep`. */
const PLAIN = {
  chars: Object.fromEntries(
    ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
      .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
      .map((name) => [name, '']),
  ),
  style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
};

/** Of every answer, and of no interest to a person. */
const ENVELOPE: readonly string[] = ['success', 'ok', 'api_version'];

/**
 * A record for people: one property a line, those of its objects by their path, then its lists of objects as tables.
 *
 * @param columns the width of the screen
 */
export function recordLines(record: object, columns: number): string[] {
  const entries = [...flat(record)].filter(([name]) => !ENVELOPE.includes(name));
  const lists = entries.filter((entry): entry is [string, object[]] => isTable(entry[1]));
  const fields = entries.filter(([, value]) => !isTable(value)).map(([name, value]) => [name, cellOf(value)]);
  return [
    ...printed([], fields, columns),
    ...lists.flatMap(([name, rows]) => ['', withSteeringShown(`${name}:`), ...tableLines(rows, columns)]),
  ];
}

/**
 * A table for people: a title for each property, unless all rows lack it.
 *
 * @param columns the width of the screen
 * @param named the properties to show; absent: all
 */
export function tableLines(rows: readonly object[], columns: number, named?: readonly string[]): string[] {
  const flats = rows.map((row) => flat(row));
  const names = named ?? [...new Set(flats.flatMap((row) => [...row.keys()]))];
  const titles = named ?? names.filter((name) => flats.some((row) => isFilled(row.get(name))));
  const cells = flats.map((row) => titles.map((name) => cellOf(row.get(name))));
  const aligns = titles.map((name) =>
    flats.every((row) => typeof (row.get(name) ?? 0) === 'number') ? ('right' as const) : ('left' as const),
  );
  return printed(titles, cells, columns, aligns);
}

/** The only way of cells to a terminal: none of them steers it. */
function printed(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  colAligns: ('left' | 'right')[] = [],
): string[] {
  if (head.length === 0 && rows.length === 0) return [];
  const titles = head.map(withSteeringShown);
  const cells = rows.map((row) => row.map(withSteeringShown));
  // On a narrow screen a title breaks at its underscores.
  const words = titles.map((title) => title.replaceAll('_', ' '));
  const colWidths = fittingWidths(titles.length === 0 ? cells : [words, ...cells], columns);
  const fits = (title: string, index: number) => widthOfText(title) + GAP <= (colWidths[index] ?? 0);
  const shown = titles.map((title, index) => (fits(title, index) ? title : (words[index] ?? '')));
  const table = new Table({ ...PLAIN, head: shown, colAligns, colWidths, wordWrap: true });
  table.push(...cells);
  const lines = table.toString().split('\n');
  return lines.map((line) => line.trimEnd());
}

const GAP = 2;

/** The widths of the columns: the widest shrink to their longest word, until all fit the screen. */
function fittingWidths(rows: readonly (readonly string[])[], columns: number): number[] {
  const widest = (index: number, widthOf: (cell: string) => number): number =>
    Math.max(1, ...rows.map((row) => widthOf(row[index] ?? '')));
  const indexes = [...(rows[0] ?? []).keys()];
  const widths = indexes.map((index) => widest(index, widthOfText));
  const least = indexes.map((index) =>
    widest(index, (cell) => Math.max(...cell.split(' ').map(widthOfText))),
  );
  const room = columns - GAP * (widths.length - 1);
  for (;;) {
    const spare = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const most = Math.max(...spare);
    if (most === 0 || widths.reduce((sum, width) => sum + width, 0) <= room) break;
    widths[spare.indexOf(most)] = most - 1;
  }
  return widths.map((width) => width + GAP);
}

const widthOfText = (text: string): number => [...text].length;

/** The properties of a record by their path: `facility.exit_grace_minutes`. An item with code and name is one value. */
function flat(record: object, prefix = ''): Map<string, unknown> {
  return new Map(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
      isObject(value) && named(value) === null
        ? [...flat(value, `${prefix}${name}.`)]
        : [[prefix + name, value]],
    ),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is object[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** `Roma (H501)`; null for anything else. */
function named(value: object): string | null {
  const { code, name }: { code?: unknown; name?: unknown } = value;
  return typeof code === 'string' && typeof name === 'string' ? `${name} (${code})` : null;
}

/** A value as people read it, in one line. */
function cellOf(value: unknown): string {
  if (value === '') return '';
  if (!isFilled(value)) return '–';
  if (Array.isArray(value)) return value.map(cellOf).join(', ');
  if (isObject(value)) {
    return named(value) ?? [...flat(value)].map(([name, item]) => `${name} ${cellOf(item)}`).join(', ');
  }
  return typeof value === 'string' ? shownTime(value) : String(value);
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** An instant on the wall clock of its own offset: `2026-11-24 06:44`. Any other text stays as it is. */
export function shownTime(text: string): string {
  const [, date, minute, second = '', zone] = INSTANT.exec(text) ?? [];
  if (date === undefined) return text;
  return `${date} ${minute}${second === ':00' ? '' : second}${zone === 'Z' ? ' UTC' : ''}`;
}
