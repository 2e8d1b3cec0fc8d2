import type { TableRow } from '../../tables/index.ts';
import type { KnownCodes, Trouble } from './kinds.ts';

/** A row as sent to the service: a line of JSON, and its faults that are visible here. */
export interface Translated {
  readonly text: string;
  readonly trouble: Trouble | null;
}

/** An open file: its rows, and how they become lines. A line of JSON is a row of one cell. */
export interface RowSource {
  rows(): AsyncIterable<TableRow>;
  translate(row: TableRow): Translated;
  /**
   * All faults of a rejected row, in the words of its file: columns by their titles, with their values.
   *
   * @param said the reason of the rejection, used if no fault is found
   */
  explain(row: TableRow, said: Trouble, known: KnownCodes): Trouble;
  /** Notes a row that is not sent: a later row may depend on it. */
  passOver(row: TableRow): void;
  /** The text of a line, or the cells of a row, for the file of rejected rows. */
  written(row: TableRow): string | readonly string[];
  /** The titles of the columns; null for a file without. */
  readonly header: readonly string[] | null;
  /** Of the columns; null for a file without. */
  readonly delimiter: string | null;
  /** Whether a spreadsheet that reads the file also reads its rejected rows without a byte order mark. */
  isPlainUtf8(): Promise<boolean>;
}

/**
 * The substitute for an unreadable row: a line that the service rejects. So the service's counts are those of
 * the file, and a file without one readable row is a failed import.
 */
export const unreadable = (row: TableRow, trouble: Trouble): Translated => ({
  text: `{"unreadable_line":${row.number}}`,
  trouble,
});
