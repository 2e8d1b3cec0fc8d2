import { is, SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { alias, getTableConfig } from 'drizzle-orm/sqlite-core';
import { journal, subscriptionTypes } from '../db/schema/index.ts';
import { bare, jsonArray, list, parameter } from '../db/sql.ts';

/**
 * How the rows of a municipality are read in one database and written in another. A row travels as a JSON list. Parameter
 * 1 of every statement is the municipality's id, which is the same everywhere; parameter 2 of a write is a JSON list of
 * rows.
 */
export const MUNICIPALITY = parameter(1);
export const ROWS = parameter(2);

export const at = (index: number): SQL => sql.raw(`item.value ->> ${index}`);

/** A column as it is read, and as it is written from the value that was read. */
export interface Copied {
  readonly column: SQLiteColumn;
  readonly read: SQL;
  readonly write: (value: SQL) => SQL;
}

/** A column that is read in another way than by its name, and perhaps written in another way too. */
export const readAs = (column: SQLiteColumn, read: SQL, write = (value: SQL): SQL => value): Copied => ({
  column,
  read,
  write,
});

/** Numbers of rows that are not the same in every database: they travel as codes. */
export const typeByCode = (column: SQLiteColumn): Copied =>
  readAs(
    column,
    sql`(select ${subscriptionTypes.code} from ${subscriptionTypes} where ${subscriptionTypes.id} = ${column})`,
    (value) => sql`(select ${subscriptionTypes.id} from ${subscriptionTypes}
    where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY} and ${subscriptionTypes.code} = ${value})`,
  );

/** Which columns of a table do not travel as they are. */
export interface Exceptions {
  /** Each database has values of its own. */
  readonly without?: readonly SQLiteColumn[];
  readonly otherwise?: readonly Copied[];
}

/** All columns of a table, those that travel otherwise at the end. Generated ones are never written. */
export function columnsOf(table: SQLiteTable, { without = [], otherwise = [] }: Exceptions = {}): Copied[] {
  const left = new Set([...without, ...otherwise.map(({ column }) => column)].map(({ name }) => name));
  const asTheyAre = getTableConfig(table).columns.filter(
    ({ name, generated }) => !left.has(name) && generated === undefined,
  );
  return [...asTheyAre.map((column) => readAs(column, sql`${column}`)), ...otherwise];
}

/** A row as it travels. */
export const itemOf = (columns: readonly Copied[]): SQL => jsonArray(columns.map(({ read }) => read));

/** Inserts the rows of a JSON list. */
export const insertItems = (table: SQLiteTable, columns: readonly Copied[]): SQL =>
  sql`insert into ${table} (${list(columns.map(({ column }) => bare(column)))})
select ${list(columns.map(({ write }, index) => write(at(index))))} from json_each(${ROWS}) as item`;

export const ofMunicipality = (column: SQLiteColumn): SQL => sql`${column} = ${MUNICIPALITY}`;

export const change = alias(journal, 'change');

/** For what is read by the journal: its rows after one number, up to another. */
const AFTER = parameter(2);
const UP_TO = parameter(3);
/** The sign keeps the planner from reading all that the municipality has, to leave out what is out of the range. */
export const inRangeOf = ({
  sequence,
  municipalityId,
}: Record<'sequence' | 'municipalityId', SQLWrapper>): SQL =>
  sql`${sequence} > ${AFTER} and ${sequence} <= ${UP_TO} and +${municipalityId} = ${MUNICIPALITY}`;
export const inRange = inRangeOf(change);

/** The names of what a row's list has, in its order, and the defaults of columns that an older backup may not have. */
export const layoutOf = (columns: readonly Copied[], ...lists: readonly string[]) => ({
  columns: [...columns.map(({ column }) => column.name), ...lists] as readonly string[],
  defaults: Object.fromEntries(
    columns.flatMap(({ column }) => (is(column.default, SQL) ? [] : [[column.name, column.default ?? null]])),
  ) as Readonly<Record<string, unknown>>,
});
