import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { subscriptions } from './schema/subscriptions.ts';
import type { TupleOf } from './sql.ts';
import {
  type ByName,
  type Field,
  type Fields,
  SHARED_FIELDS,
  type SharedColumns,
} from './subscription-fields.ts';

type ColumnsIn<Table extends SharedColumns, Of extends readonly Field[]> = {
  readonly [At in keyof Of]: Table[Of[At]['column']];
};
/** The stored values, in the order of the fields. */
type SharedValues = TupleOf<ColumnsIn<typeof subscriptions, Fields>>;
type SqlOf<Values extends readonly unknown[]> = { readonly [At in keyof Values]: SQL<Values[At]> };

/** The columns of a table in the order of the fields. */
export const sharedColumns = <Table extends SharedColumns>(of: Table) =>
  // One for each field.
  SHARED_FIELDS.map(({ column }) => of[column]) as unknown as ColumnsIn<Table, Fields>;

/** What a stored record says of one of its properties. */
export const recorded = (record: SQLWrapper, property: string): SQL =>
  sql`${record} ->> ${sql.raw(`'$.${property}'`)}`;

/** What a stored record says of the fields, in their order. */
export const sharedOfRecord = (record: SQLWrapper) =>
  // One for each field.
  SHARED_FIELDS.map(({ name }) => recorded(record, name)) as unknown as SqlOf<SharedValues>;

/** Takes the stored values off the front of a row's values. */
export function takeShared<Rest extends readonly unknown[]>(
  values: readonly [...SharedValues, ...Rest],
): readonly [stored: ByName<number | null>, ...Rest] {
  const entries = SHARED_FIELDS.map(({ name }, index) => [name, values[index]]);
  // They are in the order of the fields, and the rest is behind them.
  return [Object.fromEntries(entries), ...values.slice(entries.length)] as unknown as readonly [
    ByName<number | null>,
    ...Rest,
  ];
}
