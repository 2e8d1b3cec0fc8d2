import { expect } from 'vitest';
import { DAY_MS, type Instant, instant, parseInstant } from '../../src/domain/instant.ts';

const TEXTS: Readonly<Record<string, string>> = import.meta.glob('../../docs/{interface/*,versioning}.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The documents that this service's callers read, by their path from `docs`. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(TEXTS).map(([path, text]) => [path.replace('../../docs/', ''), text]),
);

/** A row of a table, by the names of its columns. Neither has the marks of code, emphasis and links. */
export type Row<Column extends string> = Readonly<Record<Column, string>>;

/** A document with the tables that a reader finds in it. */
export class Page {
  readonly text: string;
  readonly #tables: readonly (readonly (readonly string[])[])[];

  constructor(name: string) {
    this.text = DOCUMENTS.get(`${name}.md`) ?? '';
    this.#tables = [...this.text.matchAll(/(?:^\|.*\|\n?)+/gm)].map(([table]) =>
      table.trim().split('\n').map(cellsOf),
    );
  }

  /**
   * The rows of the one table that has these columns.
   *
   * @throws Error if there is no such table, or several
   */
  rows<const Columns extends readonly string[]>(...columns: Columns): Row<Columns[number]>[] {
    const found = this.#tables.filter(([head = []]) => head.join('|') === columns.join('|'));
    const [[, , ...rows] = []] = found;
    if (found.length !== 1 || rows.length === 0) {
      throw new Error(`${found.length} tables with the columns ${columns.join(', ')}`);
    }
    // Made of these columns, one by one.
    return rows.map(
      (cells) =>
        Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) as Row<
          Columns[number]
        >,
    );
  }
}

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split(' |')
    .map((cell) =>
      cell
        .replace(/[`*]/g, '')
        .replace(/\[(.*?)\]\(.*?\)/g, '$1')
        .trim(),
    );

/** Each row once, in a table of which the first rule that applies decides: so its number is its place. */
export const isNumbered = (rows: readonly Row<'#'>[]): boolean =>
  rows.every((row, index) => row['#'] === String(index + 1));

/** What stands for nothing in a cell. */
const NONE = '–';

/** `10:00`, or `2 days later, 10:00`: on the day of the examples, in UTC. */
export function clock(cell: string): Instant {
  const [, days = '0', direction, time] = /^(?:(\d+) days? (earlier|later), )?([\d:.]+)$/.exec(cell) ?? [];
  const at = parseInstant(`2026-03-10T${time}Z`);
  if (at === null) {
    throw new Error(`not a time: ${cell}`);
  }
  return instant(at + Number(days) * (direction === 'earlier' ? -DAY_MS : DAY_MS));
}

export const orNone = <T>(read: (cell: string) => T, cell: string): T | null =>
  cell === NONE ? null : read(cell);

/** `–` or a list with commas between. */
export const listed = (cell: string): readonly string[] => (cell === NONE ? [] : cell.split(', '));

/** `10:00 to 12:00`, or with minutes: `−10 to 20`. */
export function span<T>(cell: string, read: (bound: string) => T): { readonly from: T; readonly until: T } {
  const [from = '', until = ''] = cell.split(' to ');
  return { from: read(from), until: read(until) };
}

/** A number as prose writes it; `null` for null. */
export const number = (cell: string): number => Number(cell.replace('−', '-'));
export const numberOrNull = (cell: string): number | null => (cell === 'null' ? null : number(cell));

/** Both causes at once; null where they contradict each other. */
export function together<Facts extends object>(a: Partial<Facts>, b: Partial<Facts>): Partial<Facts> | null {
  return Object.keys(a).some((key) => key in b) ? null : { ...a, ...b };
}

/** Two places of a list each, the one further up first. */
export function pairs(length: number): [first: number, second: number][] {
  const places = Array.from({ length }, (_, place) => place);
  return places.flatMap((first) =>
    places.slice(first + 1).map((second): [number, number] => [first, second]),
  );
}

/**
 * Holds what each cause comes to, and any two that can stand together: the one further up decides.
 *
 * @param said what the rows say, in their order
 * @param rowOf the row that two causes come to
 */
export function expectPrecedence<Facts extends object>(
  causes: Readonly<Record<string, Partial<Facts>>>,
  said: readonly unknown[],
  judge: (cause: Partial<Facts>) => unknown,
  rowOf: (both: Partial<Facts>, first: number) => number = (_, first) => first,
): void {
  const all = Object.values(causes);
  expect(all.map((cause) => judge(cause))).toEqual(said);
  for (const [first, second] of pairs(all.length)) {
    const both = together(all[first] ?? {}, all[second] ?? {});
    if (both !== null) {
      expect(judge(both)).toEqual(said[rowOf(both, first)]);
    }
  }
}

/** Each value once, in an order that does not depend on theirs. */
export const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** Rows with names for their tests: what is in these columns. */
export const named = <Column extends string>(
  rows: readonly Row<Column>[],
  ...columns: readonly NoInfer<Column>[]
): [name: string, row: Row<Column>][] =>
  rows.map((row) => [columns.map((column) => row[column]).join(' | '), row]);
