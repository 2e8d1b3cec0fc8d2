import type { KnownCodes, Trouble } from './kinds.ts';

/** A line of a file, or a row of its table. */
export interface Row {
  /** Its line in the file, from 1. */
  readonly number: number;
  /** Bytes of the file up to its end. */
  readonly bytesRead: number;
  /** The text of a line, or the cells of a row. */
  readonly source: string | readonly string[];
  /** The faults of its cells, before they are read. */
  readonly trouble?: Trouble;
}

/** A row as sent to the service: a line of JSON, and its faults that are visible here. */
export interface Translated {
  readonly text: string;
  readonly trouble: Trouble | null;
}

/** An open file: its rows, and how they become lines. */
export interface RowSource {
  rows(): AsyncIterable<Row>;
  translate(row: Row): Translated;
  /**
   * All faults of a rejected row, in the words of its file: columns by their titles, with their values.
   *
   * @param said the reason of the rejection, used if no fault is found
   */
  explain(row: Row, said: Trouble, known: KnownCodes): Trouble;
  /** Notes a row that is not sent: a later row may depend on it. */
  passOver(row: Row): void;
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
export const unreadable = (row: Row, trouble: Trouble): Translated => ({
  text: `{"unreadable_line":${row.number}}`,
  trouble,
});

/** The fault of a row with more or fewer cells than its header. */
export const wrongWidth = (cells: number, columns: number): Trouble => ({
  code: 'INVALID_REQUEST',
  message: {
    en: `the row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, the header ${columns}`,
    it: `la riga ha ${cells} ${cells === 1 ? 'cella' : 'celle'}, l’intestazione ${columns}`,
  },
});
