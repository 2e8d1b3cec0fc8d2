import type { SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Named, Travelling } from './travelling.ts';

/** How the rows of a table are read that are a municipality's. */
export type Reading =
  /** They are few: all of them together. */
  | { readonly by: 'owner'; readonly index?: string }
  /** In the order of an index, or where that has no name of the table itself. */
  | ({
      readonly by: 'order';
      readonly index?: string;
      /** What follows the municipality there: together these name one row. */
      readonly order: readonly SQLiteColumn[];
    } & (
      | {
          /** The first of these: when a row was recorded or replaced. */
          readonly at: SQLiteColumn;
        }
      | {
          readonly at: null;
          /** Until when a row lasts: all that ever changes of it is that it lasts longer than until now. */
          readonly until: SQLiteColumn;
        }
    ))
  /** They count for a day: those of the last one. */
  | { readonly by: 'age'; readonly index: string; readonly isSince: (instant: SQL) => SQL };

/** A table that holds what is a municipality's. */
export interface StoredTable {
  /** What a row is called in a backup. */
  readonly kind: string;
  readonly table: SQLiteTable;
  /** The municipality, or the source, that a row is of. */
  readonly owner: SQLiteColumn;
  readonly reading: Reading;
  /** What a row is known by in every database. */
  readonly key: readonly SQLiteColumn[];
  /** No index holds that there is one row of a key. */
  readonly hasNoUniqueKey?: true;
  readonly travels: Travelling;
  /** What is read otherwise than from a column. */
  readonly computed?: Readonly<Record<string, SQL>>;
  /** What else is written for rows that have arrived. */
  readonly also?: (value: Named) => SQL[];
  /** A row goes with that one's row: {@link StoredTable.table}s. */
  readonly goesWith?: SQLiteTable;
  /** The table of the present that it has the past of, and the column with the number of the present row. */
  readonly pastOf?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  /** The column that holds a plate, and the index that finds it, behind the municipality. */
  readonly plate?: { readonly column: SQLiteColumn; readonly index: string };
  /** What is not deleted where the municipality has left: it is small, and other tables refer to it; or the newest row of all. */
  readonly stays?: 'all' | 'newest';
  /** A row may have over 100 KB, or lists that go with it. */
  readonly hasLargeRows?: true;
  /** A backup has none of it. */
  readonly isLeftOutOfBackups?: true;
}
