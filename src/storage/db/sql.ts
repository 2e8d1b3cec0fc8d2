import { type Column, getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { CasingCache } from 'drizzle-orm/casing';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Makes SQL text of the schema's columns, so that a renamed column breaks the build and not a query. */

/** A constant, written into the text so that the planner sees it. */
export const literal = (number: number): SQL => sql.raw(String(number));

/** A column of a `left join`: null if the join found no row. */
export const orNull = <C extends SQLiteColumn>(column: C): SQL<RawValue<C> | null> => sql`${column}`;

/** Joins parts with commas. */
export const list = (parts: readonly SQLWrapper[]): SQL => sql.join([...parts], sql`, `);

/** A column's unqualified name, for `insert into` and the left side of `set`. */
export const bare = ({ name }: Pick<SQLiteColumn, 'name'>): SQL => sql`${sql.identifier(name)}`;

const hexOf = (id: SQLWrapper, from: number, length: number): SQL =>
  sql`substr(hex(${id}), ${literal(from)}, ${literal(length)})`;

/** The UUID text of an id's 16 bytes. */
export const uuidOf = (id: SQLWrapper): SQL<string> =>
  sql`lower(${hexOf(id, 1, 8)} || '-' || ${hexOf(id, 9, 4)} || '-' || ${hexOf(id, 13, 4)} || '-' || ${hexOf(id, 17, 4)} || '-' || ${hexOf(id, 21, 12)})`;

/** The 16 bytes of a UUID's text; null for any other text. */
export const bytesOfUuid = (text: SQLWrapper): SQL => sql`unhex(${text}, '-')`;

/**
 * A table and its alias, for `from` and `join`. A template alone would write only the alias.
 *
 * @param index the only index that may read it, so that stale statistics of a small table cannot change the plan
 */
export const tableAs = (table: SQLiteTable, alias: SQLiteTable, index?: string): SQL =>
  index === undefined
    ? sql`${table} as ${alias}`
    : sql`${table} as ${alias} indexed by ${sql.identifier(index)}`;

/** As {@link tableAs}, for a table without an alias, also after `update` and `delete from`. */
export const tableByIndex = (table: SQLiteTable, index: string): SQL =>
  sql`${table} indexed by ${sql.identifier(index)}`;

/** The name of the index of a primary key that is not the rowid. */
export const primaryKeyOf = (table: SQLiteTable): string => `sqlite_autoindex_${getTableName(table)}_1`;

/** The type in which D1 returns a column: flags are 0 or 1, and JSON is text. */
type RawValue<C extends Column> =
  | (C['_']['dataType'] extends 'boolean' | 'json' ? C['_']['driverParam'] : C['_']['data'])
  | (C['_']['notNull'] extends true ? never : null);

type Selected = SQLiteColumn | SQL;
/** The values that a `select` reads, by the names of its row. */
export type Selection = Readonly<Record<string, Selected>>;

type ValueOf<S> = S extends SQLiteColumn ? RawValue<S> : S extends SQL<infer Value> ? Value : never;

/** The columns of a `select`, each with its name in the row. */
export const columns = (selection: Selection): SQL =>
  list(Object.entries(selection).map(([name, value]) => sql`${value} as ${bare({ name })}`));

/** The row of a `select` of {@link columns}. */
export type RowOf<Row extends Selection> = {
  readonly [Name in keyof Row]: ValueOf<Row[Name]>;
};

/** Parses the text of a JSON column. It has the column's type, since Drizzle wrote it. */
export const fromJson = <C extends SQLiteColumn>(column: C, text: string): C['_']['data'] =>
  column.mapFromDriverValue(text) as C['_']['data'];

/** A JSON array of values: cheaper to parse than an object, whose names repeat in every item. */
export const jsonArray = (values: readonly SQLWrapper[]): SQL => sql`json_array(${list(values)})`;

/** A JSON object. The names are constants of ours, and so need no escaping. */
export const jsonObject = (properties: Readonly<Record<string, SQLWrapper>>): SQL =>
  sql`json_object(${list(
    Object.entries(properties).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`),
  )})`;

/** A value of `line`, a JSON list. */
export const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);

/** A flag's column as JSON. */
export const jsonFlag = (flag: SQLWrapper): SQL => sql`json(iif(${flag}, 'true', 'false'))`;

/** The parsed value of a {@link jsonArray}. */
export type TupleOf<Values extends readonly unknown[]> = {
  -readonly [Index in keyof Values]: ValueOf<Values[Index]>;
};

/** All rows of a sub-select as one JSON array. */
export const jsonRows = (item: SQLWrapper, from: SQLWrapper): SQL =>
  sql`(select json_group_array(${item}) ${from})`;

/** A copy of Drizzle's dialect. Its import would add the query builders to the module that every isolate loads at start. */
const SQLITE = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: () => '?',
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

declare const ROW: unique symbol;

/** A statement with bound values and the type of its rows. */
export type Prepared<Row> = D1PreparedStatement & { readonly [ROW]: Row };

/** A query that carries its values. Drizzle's own batch loses the parameters of raw statements. */
export function prepareQuery<Row>(db: D1Database, query: SQL<Row> | SQLWrapper): Prepared<Row> {
  const { sql: text, params } = query.getSQL().toQuery(SQLITE);
  // D1's types do not know the rows: they have the type of the query.
  return db.prepare(text).bind(...params) as Prepared<Row>;
}

/** The text of a statement that carries no value. */
export function textOf(query: SQL): string {
  const { sql: text, params } = query.toQuery(SQLITE);
  if (params.length > 0) {
    throw new Error('a statement made once must not carry a value');
  }
  return text;
}

/** Whether `ANALYZE` or `PRAGMA optimize` has run on the database. */
export const HAS_STATISTICS: SQL<number> = sql`exists (select 1 from pragma_table_info('sqlite_stat1'))`;

/** The condition that a column has one of these values. All are in one parameter, since D1 allows a hundred. */
export const isIn = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;

declare const HOLDS: unique symbol;

/** JSON text: a list that is bound as one parameter, or a value that a statement builds from several rows. */
export type Json<Value> = string & { readonly [HOLDS]: Value };

export const json = <Value>(value: Value): Json<Value> => JSON.stringify(value) as Json<Value>;

/** Parses JSON text of {@link json}, or of a statement's typed column. */
export const parsed = <Value>(text: Json<Value>): Value => JSON.parse(text) as Value;

/** The database's clock, in milliseconds. */
export const DATABASE_CLOCK = sql.raw(`cast(unixepoch('subsec') * 1000 as integer)`);
