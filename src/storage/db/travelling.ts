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

/** Returns a column of the row to read, or a value of a travelling row, by name. */
export type Named = (name: string) => SQL;

/** The rows that a statement writes when they have arrived. */
export interface Arrived {
  /** A value of a row. */
  readonly value: Named;
  /** The municipality's id. */
  readonly municipality: SQL;
  /** All rows: `json_each(…) as item`. */
  readonly items: SQL;
}

/** How a row travels in a backup, as a list of values. */
export interface Travelling {
  /** The values, by their names in a backup. */
  readonly reads: Readonly<Record<string, (column: Named) => SQL>>;
  /** The columns to write from the values. */
  readonly writes: readonly (readonly [column: SQLiteColumn, (arrived: Arrived) => SQL])[];
  /** For values that an older backup may lack. */
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

/** The columns of a table that travel unchanged: all except `others`, the municipality's id, and generated columns. */
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

/** The municipality's id does not travel: the writer sets its own. */
export const ofMunicipality = (column: SQLiteColumn): Travelling =>
  travelling({}, [[column, ({ municipality }) => municipality]]);

/** An id of another row of the municipality. It travels as that row's code. */
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

/** The id of a session. It travels as the session's key. */
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

/** The id of the subscription that a travelling row names. */
export const subscriptionOf = ({ value, municipality }: Arrived): SQL =>
  sql`(select ${subscriptions.id} from ${subscriptions} where ${subscriptions.municipalityId} = ${municipality}
    and ${subscriptions.subscriptionNumber} = ${value('subscription_number')})`;

/** The id of a subscription. It travels as the subscription's number. */
export const asSubscription = (column: SQLiteColumn): Travelling =>
  travelling(
    {
      subscription_number: (of) =>
        sql`(select ${subscriptions.subscriptionNumber} from ${subscriptions} where ${subscriptions.id} = ${of(column.name)})`,
    },
    [[column, subscriptionOf]],
  );

/** The 16 bytes of a call's id. They travel as text, since JSON has no bytes. */
export const asUuid = (column: SQLiteColumn): Travelling =>
  travelling({ [column.name]: (of) => uuidOf(of(column.name)) }, [
    [column, ({ value }) => bytesOfUuid(value(column.name))],
  ]);
