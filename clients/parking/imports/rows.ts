import type { KnownCodes, Trouble } from './kinds.ts';

/** A line of a file, or a row of its table. */
export interface Row {
  /** Its line in the file, from 1. */
  readonly number: number;
  /** Bytes of the file up to its end. */
  readonly bytesRead: number;
  /** The text of a line, or the cells of a row. */
  readonly source: string | readonly string[];
  /** What is wrong with its cells, before anybody reads them. */
  readonly trouble?: Trouble;
}

/** What a row says to the service: a line of JSON, and what is wrong with it where that can be seen here. */
export interface Translated {
  readonly text: string;
  readonly trouble: Trouble | null;
}

/** A file, opened: its rows, and how they become lines. */
export interface RowSource {
  rows(): AsyncIterable<Row>;
  translate(row: Row): Translated;
  /**
   * Everything that is wrong with a rejected row, in the words of its file: columns by their titles, with their values.
   *
   * @param said why it was rejected: kept where nothing more is found
   */
  explain(row: Row, said: Trouble, known: KnownCodes): Trouble;
  /** Takes note of a row that is not sent: a later one may be judged by it. */
  passOver(row: Row): void;
  /** The titles of the columns; null for a file without. */
  readonly header: readonly string[] | null;
  /** Of the columns; null for a file without. */
  readonly delimiter: string | null;
  /** Whether a spreadsheet that reads the file's text reads its rejected rows too, without a mark that says how. */
  isPlainUtf8(): Promise<boolean>;
}

/**
 * What is sent for a row that cannot be read: a line that the service rejects too. So its counts are those of the file,
 * and a file in which nothing can be read is a failed import, as it should be.
 */
export const unreadable = (row: Row, trouble: Trouble): Translated => ({
  text: `{"unreadable_line":${row.number}}`,
  trouble,
});
