import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { isIn } from '../../storage/db/is-in.ts';
import {
  areas,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, list } from '../../storage/db/sql.ts';
import { isWritable, undoWhere } from '../../storage/db/writable.ts';
import { type Changes, type Row, TABLE_NAMES, type TableName } from './changes.ts';

/**
 * Rows of one statement. They travel in one parameter, which may have 2 MB: what a document of 1 MiB says in them, and
 * a few hundred bytes more for each row.
 */
const ROWS_PER_STATEMENT = 1_000;

const TABLES: Record<TableName, SQLiteTable> = {
  tenants,
  municipalities,
  areas,
  sources,
  subscriptionTypes,
  plans,
};

/** A value of a row, which is a JSON object in `item.value`. The properties' names are ours. */
const valueIn = (property: string): SQL => sql.raw(`item.value ->> '$.${property}'`);

const municipalityId = sql`(select ${municipalities.id} from ${municipalities} where ${municipalities.code} = ${valueIn('municipality')})`;

/** The columns that refer to a row by its id: the property that names it by code, and the query that finds the id. */
const REFERENCES: Readonly<Record<string, { readonly property: string; readonly id: SQL }>> = {
  tenantId: {
    property: 'tenant',
    id: sql`(select ${tenants.id} from ${tenants} where ${tenants.code} = ${valueIn('tenant')})`,
  },
  municipalityId: { property: 'municipality', id: municipalityId },
  subscriptionTypeId: {
    property: 'subscriptionType',
    id: sql`(select ${subscriptionTypes.id} from ${subscriptionTypes}
      where ${subscriptionTypes.municipalityId} = ${municipalityId} and ${subscriptionTypes.code} = ${valueIn('subscriptionType')})`,
  },
};

/** What writes the changes, to be run as one transaction in this order. */
export function writeStatements(changes: Changes): SQL[] {
  return TABLE_NAMES.flatMap((name) => {
    const columns = columnsOf(TABLES[name]);
    return [
      ...chunks(changes[name].created).map((rows) => insertStatement(TABLES[name], columns, rows)),
      ...chunks(changes[name].updated).map((rows) => updateStatement(TABLES[name], columns, rows)),
    ];
  });
}

interface WrittenColumn {
  readonly column: SQL;
  /** In the row's JSON. */
  readonly property: string;
  readonly value: SQL;
  /** Whether it is part of the row's key. */
  readonly isKey: boolean;
}

/** Set by the database, or by a move. */
const NOT_WRITTEN = ['id', 'tenantActive', 'arriving', 'stay', 'livedIn', 'writesStoppedUntil', 'pastSince'];

/**
 * From 1 to 2^47 − 1: in each row and index that is six bytes, where one more bit would take eight. A sequence would give a
 * number a second time after the database was restored to an earlier state, and what others still hold of it (a credential's
 * object, a snapshot) would come to mean something else.
 */
const RANDOM_ID = sql.raw('max(1, random() & 140737488355327)');
/** A row outside the home has the id that the home has given. */
const NEW_ID = sql`coalesce(${valueIn('id')}, ${RANDOM_ID})`;

/** The tables whose ids are kept elsewhere too. */
const WITH_RANDOM_IDS: readonly SQLiteTable[] = [tenants, municipalities, areas, sources];

function columnsOf(table: SQLiteTable): WrittenColumn[] {
  return Object.entries(getTableColumns(table))
    .filter(([property]) => !NOT_WRITTEN.includes(property))
    .map(([property, { name }]) => {
      const reference = REFERENCES[property];
      return {
        column: bare({ name }),
        property: reference?.property ?? property,
        value: reference?.id ?? valueIn(property),
        isKey: property === 'code' || property === 'municipalityId',
      };
    });
}

/** New rows. One that another document has created a moment ago becomes what this document makes it. */
function insertStatement(table: SQLiteTable, columns: readonly WrittenColumn[], rows: readonly Row[]): SQL {
  const keys = columns.filter(({ isKey }) => isKey).map(({ column }) => column);
  const set = columns
    .filter(({ isKey, property }) => !isKey && property !== 'movedTo')
    .map(
      ({ column, property }) =>
        sql`${column} = ${property === 'tenant' ? sameTenantAndPlace : sql`excluded.${column}`}`,
    );
  const id = WITH_RANDOM_IDS.includes(table) ? [{ column: bare(tenants.id), value: NEW_ID }] : [];
  const inserted = [...id, ...columns];
  return sql`insert into ${table} (${list(inserted.map(({ column }) => column))})
    select ${list(inserted.map(({ value }) => value))} from json_each(${JSON.stringify(rows)}) as item where true
    on conflict (${list(keys)}) do update set ${list(set)}`;
}

/** No document moves a municipality: the column takes no null, so that the attempt undoes the whole transaction. */
const sameTenantAndPlace = sql`iif(tenant_id = excluded.tenant_id and moved_to is excluded.moved_to, tenant_id, null)`;

/** Undoes the transaction in which it is, unless these municipalities may be written in the database. */
export const requireWritable = (codes: readonly string[]): SQL =>
  undoWhere(sql`${isIn(municipalities.code, codes)} and not ${isWritable(municipalities)}`);

/** Sets what each row names, and nothing else, so that documents put at the same time do not undo each other. */
function updateStatement(table: SQLiteTable, columns: readonly WrittenColumn[], rows: readonly Row[]): SQL {
  const set = columns
    .filter(({ isKey }) => !isKey)
    .map(({ column, property, value }) => {
      const isNamed = sql`json_type(item.value, ${sql.raw(`'$.${property}'`)}) is not null`;
      return sql`${column} = iif(${isNamed}, ${value}, ${table}.${column})`;
    });
  const isRow = columns
    .filter(({ isKey }) => isKey)
    .map(({ column, value }) => sql`${table}.${column} = ${value}`);
  return sql`update ${table} set ${list(set)} from json_each(${JSON.stringify(rows)}) as item
    where ${sql.join(isRow, sql` and `)}`;
}

function chunks(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  );
}
