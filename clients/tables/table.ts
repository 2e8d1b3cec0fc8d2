import type { Text } from '../../src/base/text/text.ts';

/** A file, its bytes unread. */
export interface TableFile {
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
}

/** What a spreadsheet holds in a cell that is not a text. */
export type CellKind = 'number' | 'date';

/** A row with content. */
export interface TableRow {
  /** Its line in the file, or its number in the sheet, from 1. */
  readonly number: number;
  /** Bytes of the file that have been read. */
  readonly bytesRead: number;
  readonly source: readonly string[];
  /** The kinds of the cells that are not texts, by their columns. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  /** Why the row cannot be read. */
  readonly fault?: Text;
}

/** An open table: its header is read, its rows are not. */
export interface Table {
  readonly header: readonly string[];
  /** Separates the columns of the file of rejected rows. */
  readonly delimiter: string;
  rows(): AsyncIterable<TableRow>;
}

/** Reads a file that a person chose in a browser. */
export const fileOf = (file: File): TableFile => ({
  name: file.name,
  async *chunks() {
    const reader = file.stream().getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  },
});
