import { stripVTControlCharacters } from 'node:util';
import { withSteeringShown } from '../../../src/text/steering.ts';

export type Align = 'left' | 'right';

export interface Column {
  readonly title: string;
  readonly align?: Align;
}

const GAP = '  ';

/** A text that cannot steer the terminal: such characters of names and messages are shown as their number. */
export const harmless = withSteeringShown;

/** Characters that a text takes on the screen: colours take none. */
export const widthOf = (text: string): number => [...stripVTControlCharacters(text).normalize('NFC')].length;

export function pad(text: string, width: number, align: Align = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** A text that ends with `…` where it is too wide. Not for text with colours in it. */
export function shorten(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

/**
 * The lines of a table: titles, then rows, each column as wide as its widest cell.
 *
 * @param titled the titles in their style
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  titled: (title: string) => string,
): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align))
      .join(GAP)
      .trimEnd();
  return [lineOf(columns.map(({ title }) => titled(title))), ...rows.map(lineOf)];
}

/** Names and values, the values below each other. */
export function fieldLines(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(0, ...fields.map(([name]) => widthOf(name)));
  return fields.map(([name, value]) => `${pad(name, width)}${GAP}${value}`.trimEnd());
}
