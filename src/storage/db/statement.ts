import { type SQL, sql } from 'drizzle-orm';
import { columns, type Prepared, type RowOf, type Selection, textOf } from './sql.ts';

/** The type of a parameter's value. */
interface ValueType<Value> {
  readonly type?: Value;
}

/** Declares a parameter: `{ plate: value<Plate>() }`. */
export const value = <Value extends string | number | null>(): ValueType<Value> => ({});

/** A statement's parameters: their types by name. */
export type Declared<Values> = { readonly [Name in keyof Values]: ValueType<Values[Name]> };

/** The values of declared parameters. */
export type ValuesOf<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends ValueType<infer Value> ? Value : never;
};

/** The parameters in the text, by name. */
export type Parameters<Values> = { readonly [Name in keyof Values]: SQL<Values[Name]> };

/** A statement: named parameters, typed rows, and its text. */
export interface Statement<Values, Row> {
  readonly prepare: (db: Pick<D1Database, 'prepare'>, values: Values) => Prepared<Row>;
  /** Built on first use. */
  readonly text: () => string;
}

/** The row of a statement. */
export type RowIn<Of extends Statement<never, unknown>> =
  Of extends Statement<never, infer Row> ? Row : never;

/**
 * Makes a statement.
 *
 * @param declared its parameters, in the order of their numbers
 * @param make its text, whose type parameter is the type of the rows: {@link select} derives it from the columns
 */
export function statement<Values, Row>(
  declared: Declared<Values>,
  make: (parameters: Parameters<Values>) => SQL<Row>,
): Statement<Values, Row> {
  const names = Object.keys(declared) as (keyof Values)[];
  let text: string | undefined;
  const textOnce = (): string => {
    text ??= textOf(make(numbered(names))).trim();
    return text;
  };
  return {
    text: textOnce,
    // D1's types do not know the rows: they have the type of the text.
    prepare: (db, values) =>
      db.prepare(textOnce()).bind(...names.map((name) => values[name])) as Prepared<Row>,
  };
}

const numbered = <Values>(names: readonly (keyof Values)[]) =>
  Object.fromEntries(names.map((name, index) => [name, sql.raw(`?${index + 1}`)])) as Parameters<Values>;

/** A `select` of columns, with typed rows. `rest` begins with `from`. */
export const select = <const Selected extends Selection>(
  selection: Selected,
  rest: SQL,
): SQL<RowOf<Selected>> => sql`select ${columns(selection)} ${rest}`;

/** Runs a statement. */
export const all = <Row>(prepared: Prepared<Row>): Promise<D1Result<Row>> => prepared.all<Row>();

/** Runs a statement and returns its first row, or null. */
export const first = async <Row>(prepared: Prepared<Row>): Promise<Row | null> =>
  (await all(prepared)).results[0] ?? null;

type ResultsOf<Statements extends readonly D1PreparedStatement[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Prepared<infer Row>
    ? D1Result<Row>
    : D1Result;
};

/** Runs statements in one transaction. Returns their results in the same order. */
export const batch = async <const Statements extends readonly D1PreparedStatement[]>(
  db: Pick<D1Database, 'batch'>,
  statements: Statements,
): Promise<ResultsOf<Statements>> => (await db.batch([...statements])) as unknown as ResultsOf<Statements>;
