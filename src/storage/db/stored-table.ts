import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { bare, list, primaryKeyOf, tableByIndex } from './sql.ts';
import type { Arrived, Travelling } from './travelling.ts';

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

/** The plate that a row holds. An erasure finds it, and anonymization where it may go by its age. */
export interface StoredPlate {
  readonly column: SQLiteColumn;
  /** Finds a plate behind the municipality. */
  readonly index: string;
  /** The row is deleted with its plate. Otherwise a pseudonym takes the plate's place. */
  readonly goesWithRow?: true;
  /**
   * Of rows that are of no session and no subscription: finds those that still have their plate (`plate >= '0'`) by the instant at
   * which they are over, for anonymization.
   */
  readonly overIndex?: string;
}

/** When a row is over. Its retention counts from there. */
export interface Over {
  /** Whose retention it has; `rejected`: a day. */
  readonly kept: 'parking_session' | 'subscription' | 'rejected';
  readonly at: SQLiteColumn;
  /** Finds it behind the municipality; for tables that are read by age, of all municipalities at once. */
  readonly index: string;
  /** What retention reports it as. Absent: as the kind of the table. */
  readonly reportedAs?: 'versions' | 'configurations' | 'changes_by_day' | 'payments';
}

/** A table whose rows have the key of another table's row. */
export interface WithKey {
  readonly table: SQLiteTable;
  /** The columns of the key, with the same names as there. */
  readonly by: readonly SQLiteColumn[];
  /** Texts that may spell a plate: an erasure hides those that spell it. */
  readonly texts: readonly SQLiteColumn[];
}

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
  readonly also?: readonly ((arrived: Arrived) => SQL)[];
  /** A row goes with that one's row, whose number is in a column. An erasure erases the plates of both. */
  readonly goesWith?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  /** The table of the present that it has the past of, and the column with the number of the present row. */
  readonly pastOf?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  readonly plate?: StoredPlate;
  /**
   * The key that a caller names a row by, and the index that finds it behind the municipality. It may be made from the plate, and the
   * same plate may come with it again. Absent: rows are known by their number, the primary key.
   */
  readonly named?: { readonly index: string; readonly source?: SQLiteColumn; readonly key: SQLiteColumn };
  /** As {@link WithKey}. */
  readonly texts?: readonly SQLiteColumn[];
  /** A table whose rows go with a row. */
  readonly takesAlong?: WithKey;
  /** The column with the keyed digest of a plate: an erasure deletes the row. The index finds it in all municipalities. */
  readonly digest?: { readonly column: SQLiteColumn; readonly index: string };
  /** Absent: retention deletes the row with the one that it goes with, or by a statement of its own. */
  readonly over?: Over;
  /** What is not deleted where the municipality has left: it is small, and other tables refer to it; or the newest row of all. */
  readonly stays?: 'all' | 'newest';
  /** A row may have over 100 KB, or lists that go with it. */
  readonly hasLargeRows?: true;
  /** A backup has none of it. */
  readonly isLeftOutOfBackups?: true;
}

/** The columns of a table's primary key. */
export function keyOf(table: SQLiteTable): readonly SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

/** A table as its primary key finds its rows. */
export const tableByKey = (table: SQLiteTable): SQL =>
  getTableConfig(table).primaryKeys.length === 0 ? sql`${table}` : tableByIndex(table, primaryKeyOf(table));

/** The columns with the key of the row that a plate is erased from: the session, the subscription, or the row itself. */
export const subjectKeyOf = ({ table, goesWith }: StoredTable): readonly SQLiteColumn[] =>
  goesWith === undefined ? keyOf(table) : [goesWith.id];

/**
 * The condition that columns hold the key of a row of `found`.
 *
 * @param of the table whose key it is. `found` is materialized and has the key's columns; here they get a sign, or the planner looks
 *   through the whole table for them
 */
export const isFound = (columns: readonly SQLiteColumn[], of: SQLiteTable): SQL =>
  sql`(${list(columns)}) = (${list(keyOf(of).map((key) => sql`+found.${bare(key)}`))})`;

/**
 * Puts pseudonyms in the place of plates.
 *
 * @param found a `with` clause of a table `found`: the subject's key, for {@link isFound}, and `pseudonym`
 * @param which the condition on the plate
 */
export const replacePlates = (
  stored: StoredTable,
  { column }: StoredPlate,
  found: SQL,
  which = sql`true`,
): SQL => sql`${found}
update ${tableByKey(stored.table)} set ${bare(column)} = found.pseudonym
from found where ${isFound(subjectKeyOf(stored), stored.goesWith?.table ?? stored.table)} and ${which} returning 1 as erased`;
