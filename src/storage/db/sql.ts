import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** A constant, written into the text so that the planner sees it. */
export const literal = (number: number): SQL => sql.raw(String(number));

/**
 * For `limit`: SQLite compiles a statement again for each value that is bound to its limit, which takes ten times as long as most
 * of them run.
 */
// Drizzle writes whatever it is given behind the word; its type knows numbers, which it binds, and placeholders.
export const atMost = (rows: number): Placeholder => literal(rows) as unknown as Placeholder;

/** Joins parts with commas. */
export const list = (parts: readonly SQLWrapper[]): SQL => sql.join([...parts], sql`, `);

/** A column's unqualified name, for `insert into` and the left side of `set`. */
export const bare = ({ name }: Pick<SQLiteColumn, 'name'>): SQL => sql`${sql.identifier(name)}`;

const hexOf = (id: SQLWrapper, from: number, length: number): SQL =>
  sql`substr(hex(${id}), ${literal(from)}, ${literal(length)})`;

/** The UUID text of an id's 16 bytes. */
export const uuidOf = (id: SQLWrapper): SQL<string> =>
  sql`lower(${hexOf(id, 1, 8)} || '-' || ${hexOf(id, 9, 4)} || '-' || ${hexOf(id, 13, 4)} || '-' || ${hexOf(id, 17, 4)} || '-' || ${hexOf(id, 21, 12)})`;

/** The condition that a column has one of the values in the placeholder of this name: a JSON list. */
export const namedIn = (column: SQLWrapper, name: string): SQL =>
  sql`${column} in (select value from json_each(${sql.placeholder(name)}))`;

/** The columns of a table's primary key. */
export function keyOf(table: SQLiteTable): readonly SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}
