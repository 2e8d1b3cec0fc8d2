import { type Column, fillPlaceholders, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { PreparedQuery } from 'drizzle-orm/session';
import { retry } from './retry.ts';

/** Builds queries. It has no database, and runs none of them: {@link batch} does. */
export const db = drizzle({ prepare: () => undefined } as unknown as D1Database);

/** A query of Drizzle's builder. */
type Built<Result> = { readonly _: { readonly result: Result } } & (
  | { prepare(): PreparedQuery }
  | { _prepare(): PreparedQuery }
);

/** A query whose text is made once an isolate; its values are given by the names of its placeholders. */
export type Query<Result> = () => Made & {
  readonly result?: Result;
  readonly values?: Values;
};

interface Made {
  readonly prepared: PreparedQuery;
  /** Kept here: a prepared query of raw SQL makes its text anew each time. */
  readonly text: ReturnType<PreparedQuery['getQuery']>;
}

type Values = Readonly<Record<string, unknown>>;

/** @param build is called on first use: an isolate starts without the texts */
export function query<Result>(build: () => Built<Result>): Query<Result> {
  let made: Made | undefined;
  return () => {
    if (made === undefined) {
      const built = build();
      const prepared = 'prepare' in built ? built.prepare() : built._prepare();
      made = { prepared, text: prepared.getQuery() };
    }
    return made;
  };
}

/** A query with values of its own, so that one batch can run it several times. */
export const withValues =
  <Result>(made: Query<Result>, values: Values): Query<Result> =>
  () => ({ ...made(), values });

/** The rows of each of these queries. */
export type ResultsOf<Queries extends readonly Query<unknown>[]> = {
  -readonly [Index in keyof Queries]: Queries[Index] extends Query<infer Result> ? Result : never;
};

/**
 * Runs queries in one transaction and one round trip. Drizzle's own `batch` does not fill placeholders.
 *
 * @param values of all placeholders, by name
 * @returns the rows of each query, typed by its select
 */
export const batch = async <const Queries extends readonly Query<unknown>[]>(
  d1: D1Database,
  queries: Queries,
  values: Values,
): Promise<ResultsOf<Queries>> => (await measured(d1, queries, values)).rows;

/** {@link batch}, with the size of the database behind it. */
export async function measured<const Queries extends readonly Query<unknown>[]>(
  d1: D1Database,
  queries: Queries,
  values: Values,
): Promise<{ readonly rows: ResultsOf<Queries>; readonly bytes: number }> {
  const all = queries.map((made) => made());
  const results = await d1.batch(
    all.map(({ text, values: own }) =>
      d1.prepare(text.sql).bind(...fillPlaceholders(text.params, { ...values, ...own })),
    ),
  );
  return {
    // Each query maps the rows of its own text.
    rows: results.map((result, index) => all[index]?.prepared.mapResult(result, true)) as ResultsOf<Queries>,
    bytes: results.at(-1)?.meta.size_after ?? 0,
  };
}

/** {@link batch}, of queries that only read, for a call whose answer somebody waits for: tried again where it was lost. */
export const read = <const Queries extends readonly Query<unknown>[]>(
  d1: D1Database,
  queries: Queries,
  values: Values,
): Promise<ResultsOf<Queries>> => retry(() => batch(d1, queries, values), 2);

/** D1 takes 2 MB a parameter, in UTF-8; one item alone may be longer than this. */
const LIST_LENGTH = 500_000;

/** Items as JSON lists in their order, each short enough for a parameter. */
export function jsonLists(items: readonly unknown[], mostItems = Number.POSITIVE_INFINITY): string[] {
  const lists: string[][] = [];
  let length = LIST_LENGTH;
  for (const item of items) {
    const text = JSON.stringify(item);
    if (length + text.length > LIST_LENGTH || lists.at(-1)?.length === mostItems) {
      lists.push([]);
      length = 0;
    }
    lists.at(-1)?.push(text);
    length += text.length;
  }
  return lists.map((texts) => `[${texts.join()}]`);
}

/** A column under a name of its own: D1's rows are objects, so that two columns of one select must not share a name. */
export const named = <C extends Column>(column: C, name: string): SQL.Aliased<ValueOf<C>> =>
  sql<ValueOf<C>>`${column}`.mapWith(column).as(name) as SQL.Aliased<ValueOf<C>>;

type ValueOf<C extends Column> = C['_']['data'] | (C['_']['notNull'] extends true ? never : null);
