import { is, SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
  type areas,
  parkingSessions,
  type sources,
  subscriptions,
  type subscriptionTypes,
} from './schema/index.ts';
import { bytesOfUuid, uuidOf } from './sql.ts';

/** A column of the row that is read, or a value of one that has travelled, by name. */
export type Named = (name: string) => SQL;

/** Rows that have travelled, where a statement writes them. */
export interface Arrived {
  /** A value of a row. */
  readonly value: Named;
  /** The municipality's id, which is the same in every database. */
  readonly municipality: SQL;
  /** All rows: `json_each(…) as item`. */
  readonly items: SQL;
}

/** How a row travels from one database to another: as a list of values. */
export interface Travelling {
  /** The values, by the names that they have in a backup. */
  readonly reads: Readonly<Record<string, (column: Named) => SQL>>;
  /** The columns that are written from them. */
  readonly writes: readonly (readonly [column: SQLiteColumn, (arrived: Arrived) => SQL])[];
  /** Of values that an older backup may not have. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const travelling = (
  reads: Travelling['reads'],
  writes: Travelling['writes'],
  defaults: Travelling['defaults'] = {},
): Travelling => ({ reads, writes, defaults });

export const together = (parts: readonly Travelling[]): Travelling =>
  travelling(
    Object.assign({}, ...parts.map(({ reads }) => reads)),
    parts.flatMap(({ writes }) => writes),
    Object.assign({}, ...parts.map(({ defaults }) => defaults)),
  );

/** The columns of a table that travel as they are: all but these, its municipality's id, and those that SQLite generates. */
export function asTheyAre(table: SQLiteTable, others: readonly string[] = []): Travelling {
  const columns = getTableConfig(table).columns.filter(
    ({ name, generated }) => generated === undefined && name !== 'municipality_id' && !others.includes(name),
  );
  return travelling(
    Object.fromEntries(columns.map(({ name }) => [name, (column) => column(name)])),
    columns.map((column) => [column, ({ value }) => value(column.name)]),
    Object.fromEntries(
      columns.flatMap(({ name, default: value }) => (is(value, SQL) ? [] : [[name, value ?? null]])),
    ),
  );
}

/** The municipality's id is the reader's and the writer's, whatever a backup says. */
export const ofMunicipality = (column: SQLiteColumn): Travelling =>
  travelling({}, [[column, ({ municipality }) => municipality]]);

/** A number that is another one in each database: it travels as the code of what it is of. */
export const asCode = (
  column: SQLiteColumn,
  table: typeof areas | typeof sources | typeof subscriptionTypes,
): Travelling => {
  const name = column.name.replace(/_id$/, '_code');
  return travelling(
    {
      [name]: (of) => sql`(select ${table.code} from ${table} where ${table.id} = ${of(column.name)})`,
    },
    [
      [
        column,
        ({ value, municipality }) =>
          sql`(select ${table.id} from ${table} where ${table.municipalityId} = ${municipality} and ${table.code} = ${value(name)})`,
      ],
    ],
  );
};

const ofSession = (column: SQLiteColumn, id: SQL): SQL =>
  sql`(select ${column} from ${parkingSessions} where ${parkingSessions.id} = ${id})`;

/** The number of a session: it travels as the session's key. */
export const asSession = (column: SQLiteColumn): Travelling =>
  travelling(
    {
      source_code: (of) => ofSession(parkingSessions.sourceCode, of(column.name)),
      session_id: (of) => ofSession(parkingSessions.sessionId, of(column.name)),
    },
    [
      [
        column,
        ({ value, municipality }) =>
          sql`(select ${parkingSessions.id} from ${parkingSessions} where ${parkingSessions.municipalityId} = ${municipality}
    and ${parkingSessions.sourceCode} = ${value('source_code')} and ${parkingSessions.sessionId} = ${value('session_id')})`,
      ],
    ],
  );

/** The number of the subscription that a travelling row names. */
export const subscriptionOf = ({ value, municipality }: Arrived): SQL =>
  sql`(select ${subscriptions.id} from ${subscriptions} where ${subscriptions.municipalityId} = ${municipality}
    and ${subscriptions.subscriptionNumber} = ${value('subscription_number')})`;

/** The row number of a subscription: it travels as the subscription's number. */
export const asSubscription = (column: SQLiteColumn): Travelling =>
  travelling(
    {
      subscription_number: (of) =>
        sql`(select ${subscriptions.subscriptionNumber} from ${subscriptions} where ${subscriptions.id} = ${of(column.name)})`,
    },
    [[column, subscriptionOf]],
  );

/** The 16 bytes of a call's id travel as text: JSON holds no bytes. */
export const asUuid = (column: SQLiteColumn): Travelling =>
  travelling({ [column.name]: (of) => uuidOf(of(column.name)) }, [
    [column, ({ value }) => bytesOfUuid(value(column.name))],
  ]);
