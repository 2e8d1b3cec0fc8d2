import { harmless } from './door.ts';
import { folded, foldedCell, minWidthOf, widthOf } from './fold.ts';
import type { Paint } from './terminal.ts';

export type Align = 'left' | 'right';

export interface Column {
  readonly title: string;
  readonly align?: Align;
}

const GAP = '  ';

export function pad(text: string, width: number, align: Align = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** A text that ends with `…` if it is too wide. Not for text with colours in it. */
export function shorten(given: string, width: number): string {
  const text = harmless(given);
  return widthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

/**
 * The lines of a table: titles, then rows, each column as wide as its widest cell. On a narrower screen, the
 * cells of the widest columns are folded.
 *
 * @param below a further line of the titles and of each row
 */
export function tableLines(
  columns: readonly Column[],
  given: readonly (readonly string[])[],
  paint: Paint,
  below: readonly string[] = [],
): string[] {
  const rows = given.map((cells) => cells.map(harmless));
  const widths = fittingWidths(columns, rows, paint.columns ?? Number.POSITIVE_INFINITY);
  const linesOf = (cells: readonly string[]): string[] => {
    const parts = columns.map((_, index) => foldedCell(cells[index] ?? '', widths[index] ?? 0));
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      parts
        .map((part, index) => pad(part[line] ?? '', widths[index] ?? 0, columns[index]?.align))
        .join(GAP)
        .trimEnd(),
    );
  };
  const titles = columns.map(({ title }) => (title.trim() === '' ? title : paint('dim', title)));
  return [titles, ...rows].flatMap((cells, index) => {
    const further = below[index];
    return [...linesOf(cells), ...(further === undefined ? [] : [GAP + harmless(further)])];
  });
}

/** The widths of a table's columns: the widest shrink to their longest word, until all fit. */
function fittingWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  most: number,
): readonly number[] {
  const cellsOf = (index: number) => rows.map((row) => row[index] ?? '');
  const widths = columns.map(({ title }, index) => Math.max(widthOf(title), ...cellsOf(index).map(widthOf)));
  const least = columns.map(({ title, align }, index) =>
    // A number is not folded.
    Math.max(minWidthOf(title), ...cellsOf(index).map(align === 'right' ? widthOf : minWidthOf)),
  );
  const gaps = GAP.length * (columns.length - 1);
  while (widths.reduce((sum, width) => sum + width, gaps) > most) {
    const spare = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) break;
    widths[spare.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Names and values, the values below each other, and folded where the screen is too narrow. */
export function fieldLines(
  fields: readonly (readonly [name: string, value: string])[],
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const width = Math.max(0, ...fields.map(([name]) => widthOf(name)));
  return fields.flatMap(([name, value]) =>
    folded(value, Math.max(1, columns - width - GAP.length)).map((line, index) =>
      `${pad(index === 0 ? name : '', width)}${GAP}${line}`.trimEnd(),
    ),
  );
}
