/**
 * The beginning of what a spreadsheet takes for a formula, with the apostrophes before it. It is one at the beginning of a
 * cell, and also behind what another program takes for the end of a cell.
 */
const LIVE = /(?<=^|[";,|\t\r\n])'*[=+\-@\t\r＝＋－＠]/g;
const NEUTRAL = /(?<=^|[";,|\t\r\n])'('*[=+\-@\t\r＝＋－＠])/g;

/** A row of the file for rejected rows: an apostrophe keeps a spreadsheet from calculating what is in it. */
export const rejectedRow = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => quotedFor(delimiter)(cell.replace(LIVE, "'$&"))).join(delimiter);

/** The cells of such a row as they were. */
export const rejectedCells = (cells: readonly string[]): string[] =>
  cells.map((cell) => cell.replace(NEUTRAL, '$1'));

const quotedFor =
  (delimiter: string) =>
  (cell: string): string =>
    cell.includes('"') || cell.includes(delimiter) || /[\r\n]/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;

/** The titles before a table's own, by which the file for rejected rows is known. */
export const REJECTED_TITLES = ['line', 'code', 'message'] as const;

export const isRejectedTable = (titles: readonly string[]): boolean =>
  REJECTED_TITLES.every((title, index) => titles[index] === title);

/** By which a spreadsheet knows UTF-8. */
export const MARK = '\ufeff';
