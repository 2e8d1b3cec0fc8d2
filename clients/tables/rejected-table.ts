/**
 * The beginning of a formula in a spreadsheet, with the apostrophes before it. It counts at the beginning of
 * a cell, and also after a character that another program takes for the end of a cell.
 */
const LIVE = /(?<=^|[";,|\t\r\n])'*[=+\-@\t\r＝＋－＠]/g;
const NEUTRAL = /(?<=^|[";,|\t\r\n])'('*[=+\-@\t\r＝＋－＠])/g;

/** A row of the file for rejected rows: an apostrophe keeps a spreadsheet from calculating a cell. */
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

/** The mark by which a spreadsheet recognises UTF-8. */
export const MARK = '\ufeff';
