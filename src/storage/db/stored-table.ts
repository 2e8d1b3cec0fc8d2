import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { bare, list, primaryKeyOf, tableByIndex } from './sql.ts';
import type { Arrived, Travelling } from './travelling.ts';

/** How a municipality's rows in a table are read. */
export type Reading =
  /** All together: there are few. */
  | { readonly by: 'owner'; readonly index?: string }
  /** In the order of an index, or of the table itself if no index is named. */
  | {
      readonly by: 'order';
      readonly index?: string;
      /** The columns after the municipality there. Together they identify a row. */
      readonly order: readonly SQLiteColumn[];
      /** The first of these: when a row was recorded or replaced. Null for rows that have no such instant. */
      readonly at: SQLiteColumn | null;
    };

/** The plate that a row holds, for erasure. */
export interface StoredPlate {
  readonly column: SQLiteColumn;
  /** Finds a plate within a municipality. */
  readonly index: string;
  /** The row is deleted with its plate. Otherwise a pseudonym replaces the plate. */
  readonly goesWithRow?: true;
}

/** When a row is over, from which its retention counts. */
export interface Over {
  /** Which retention applies; `rejected`: a day. */
  readonly kept: 'parking_session' | 'subscription' | 'rejected';
  readonly at: SQLiteColumn;
  /** Finds it within a municipality; for tables whose rows are kept for a day, in all municipalities at once. */
  readonly index: string;
  /** The name in retention's report. Absent: the table's kind. */
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

/** A table that holds rows of municipalities. */
export interface StoredTable {
  /** The name of a row in a backup. */
  readonly kind: string;
  readonly table: SQLiteTable;
  /** The municipality or the source that a row belongs to. */
  readonly owner: SQLiteColumn;
  readonly reading: Reading;
  /** Identifies a row. */
  readonly key: readonly SQLiteColumn[];
  /** No index makes the key unique. */
  readonly hasNoUniqueKey?: true;
  readonly travels: Travelling;
  /** Values that are not read from a column. */
  readonly computed?: Readonly<Record<string, SQL>>;
  /** Further writes for rows that have arrived. */
  readonly also?: readonly ((arrived: Arrived) => SQL)[];
  /** The table of the row that a row belongs to, and the column with its number. An erasure erases the plates of both. */
  readonly goesWith?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  /** For a table of past versions: the table of the present, and the column with the number of the present row. */
  readonly pastOf?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  readonly plate?: StoredPlate;
  /**
   * The key that callers name a row by, and the index that finds it within a municipality. It may be made from the plate, and may
   * be sent again with the same plate. Absent: rows are identified by their number, the primary key.
   */
  readonly named?: { readonly index: string; readonly source?: SQLiteColumn; readonly key: SQLiteColumn };
  /** As {@link WithKey}. */
  readonly texts?: readonly SQLiteColumn[];
  /** A table whose rows belong to a row. */
  readonly takesAlong?: WithKey;
  /** The column with the keyed digest of a plate: an erasure deletes the row. The index finds it in all municipalities. */
  readonly digest?: { readonly column: SQLiteColumn; readonly index: string };
  /** Absent: retention deletes the row with the one that it belongs to, or by a statement of its own. */
  readonly over?: Over;
  /** Rows of other tables refer to its rows. */
  readonly isConfiguration?: true;
  /** A row may have over 100 KB, or lists of its own. */
  readonly hasLargeRows?: true;
  readonly isLeftOutOfBackups?: true;
}

/** The columns of a table's primary key. */
export function keyOf(table: SQLiteTable): readonly SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

/** A table, searched by its primary key. */
export const tableByKey = (table: SQLiteTable): SQL =>
  getTableConfig(table).primaryKeys.length === 0 ? sql`${table}` : tableByIndex(table, primaryKeyOf(table));

/** The columns with the key of the row that a plate is erased from: the session, the subscription, or the row itself. */
export const subjectKeyOf = ({ table, goesWith }: StoredTable): readonly SQLiteColumn[] =>
  goesWith === undefined ? keyOf(table) : [goesWith.id];

/**
 * The condition that columns hold the key of a row of `found`.
 *
 * @param of the table of the key. `found` is materialized and has the key's columns; here they get a sign, or the planner
 *   searches the whole table
 */
export const isFound = (columns: readonly SQLiteColumn[], of: SQLiteTable): SQL =>
  sql`(${list(columns)}) = (${list(keyOf(of).map((key) => sql`+found.${bare(key)}`))})`;

/**
 * Replaces plates by pseudonyms.
 *
 * @param found a `with` clause of a table `found`: the subject's key, for {@link isFound}, and `pseudonym`
 * @param which the condition on the plate
 */
export const replacePlates = (
  stored: StoredTable,
  { column }: StoredPlate,
  found: SQL,
  which: SQL,
): SQL => sql`${found}
update ${tableByKey(stored.table)} set ${bare(column)} = found.pseudonym
from found where ${isFound(subjectKeyOf(stored), stored.goesWith?.table ?? stored.table)} and ${which} returning 1 as erased`;
