import { type Column, getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { CasingCache } from 'drizzle-orm/casing';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * SQL text made of the schema's own columns: a column that is renamed there breaks the build, not a query at night.
 */

/** A numbered parameter of the older form of a statement: {@link statement}. */
export const parameter = (number: number): SQL => sql.raw(`?${number}`);

/** A number of ours, written into the text itself so that the planner sees it. */
export const literal = (number: number): SQL => sql.raw(String(number));

/** A column of a table that was joined by `left join`: null where the join found no row. */
export const orNull = <C extends SQLiteColumn>(column: C): SQL<RawValue<C> | null> => sql`${column}`;

/** Parts of a statement, with commas between them. */
export const list = (parts: readonly SQLWrapper[]): SQL => sql.join([...parts], sql`, `);

/** A column where SQL wants its name alone: in `insert into`, and left of `=` in `set`. */
export const bare = ({ name }: Pick<SQLiteColumn, 'name'>): SQL => sql`${sql.identifier(name)}`;

const hexOf = (id: SQLWrapper, from: number, length: number): SQL =>
  sql`substr(hex(${id}), ${literal(from)}, ${literal(length)})`;

/** The 16 bytes of an id as the text of a UUID. */
export const uuidOf = (id: SQLWrapper): SQL<string> =>
  sql`lower(${hexOf(id, 1, 8)} || '-' || ${hexOf(id, 9, 4)} || '-' || ${hexOf(id, 13, 4)} || '-' || ${hexOf(id, 17, 4)} || '-' || ${hexOf(id, 21, 12)})`;

/** The 16 bytes of the text of a UUID; null for any other text. */
export const bytesOfUuid = (text: SQLWrapper): SQL => sql`unhex(${text}, '-')`;

/**
 * A table under its alias, for `from` and `join`. In a template it would be the alias alone.
 *
 * @param index the only one that it may be read by: statistics that were taken of a small table change no plan then
 */
export const tableAs = (table: SQLiteTable, alias: SQLiteTable, index?: string): SQL =>
  index === undefined
    ? sql`${table} as ${alias}`
    : sql`${table} as ${alias} indexed by ${sql.identifier(index)}`;

/** The same for a table without an alias, also after `update` and `delete from`. */
export const tableByIndex = (table: SQLiteTable, index: string): SQL =>
  sql`${table} indexed by ${sql.identifier(index)}`;

/** The index of a primary key that is not the row's number. */
export const primaryKeyOf = (table: SQLiteTable): string => `sqlite_autoindex_${getTableName(table)}_1`;

/**
 * That no row of a select has these values. Where a null may be among them, `not in` looks through all rows for each value
 * that it does not find.
 */
export const isNotIn = (values: SQL, select: SQL): SQL => sql`iif((${values}) in (${select}), 0, 1)`;

/** What D1 gives back for a column: flags are 0 or 1, and JSON is text. */
type RawValue<C extends Column> =
  | (C['_']['dataType'] extends 'boolean' | 'json' ? C['_']['driverParam'] : C['_']['data'])
  | (C['_']['notNull'] extends true ? never : null);

type Selected = SQLiteColumn | SQL;
/** What a `select` reads, by the name that the row has it by. */
export type Selection = Readonly<Record<string, Selected>>;

type ValueOf<S> = S extends SQLiteColumn ? RawValue<S> : S extends SQL<infer Value> ? Value : never;

/** The columns of a `select`, each under the name that its row has it by. */
export const columns = (selection: Selection): SQL =>
  list(Object.entries(selection).map(([name, value]) => sql`${value} as ${bare({ name })}`));

/** The row of a `select` of {@link columns}. */
export type RowOf<Row extends Selection> = {
  readonly [Name in keyof Row]: ValueOf<Row[Name]>;
};

/** What the text of a column that holds JSON says: of the column's own type, since Drizzle wrote it by that. */
export const fromJson = <C extends SQLiteColumn>(column: C, text: string): C['_']['data'] =>
  column.mapFromDriverValue(text) as C['_']['data'];

/** A JSON array of values. Arrays rather than objects, whose names would be parsed again for every item. */
export const jsonArray = (values: readonly SQLWrapper[]): SQL => sql`json_array(${list(values)})`;

/** A JSON object, by property. Names are ours: none has a quote in it. */
export const jsonObject = (properties: Readonly<Record<string, SQLWrapper>>): SQL =>
  sql`json_object(${list(
    Object.entries(properties).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`),
  )})`;

/** A flag's column as JSON. */
export const jsonFlag = (flag: SQLWrapper): SQL => sql`json(iif(${flag}, 'true', 'false'))`;

/** What {@link jsonArray} is, parsed. */
export type TupleOf<Values extends readonly unknown[]> = {
  -readonly [Index in keyof Values]: ValueOf<Values[Index]>;
};

/** All rows of a sub-select as one JSON array. */
export const jsonRows = (item: SQLWrapper, from: SQLWrapper): SQL =>
  sql`(select json_group_array(${item}) ${from})`;

/** As Drizzle's own dialect writes it, which would bring the query builders into the module that an isolate starts with. */
const SQLITE = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: () => '?',
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

/**
 * The older form of a statement: the text alone. A new one has names and rows: see `statement.ts`.
 *
 * @throws Error when the statement carries a value: values are bound to numbered parameters
 */
export function statement(make: () => SQL): () => string {
  let text: string | undefined;
  return () => {
    text ??= textOf(make());
    return text;
  };
}

declare const ROW: unique symbol;

/** A statement with its values, and the type of its rows. */
export type Prepared<Row> = D1PreparedStatement & { readonly [ROW]: Row };

/** A query that carries its values. Drizzle's own batch loses the parameters of raw statements. */
export function prepareQuery<Row>(db: D1Database, query: SQL<Row> | SQLWrapper): Prepared<Row> {
  const { sql: text, params } = query.getSQL().toQuery(SQLITE);
  // D1 knows no type of rows: they have that of the query.
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
