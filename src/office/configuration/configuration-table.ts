import { and, asc, count, eq, getTableColumns, inArray, or, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { refuseFields } from '../../base/errors/refusal.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import {
  areas,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, DATABASE_CLOCK, isIn, list, literal, prepareQuery } from '../../storage/db/sql.ts';
import { versionStatements, versionsSince } from '../../storage/history/configuration-versions-table.ts';
import { type Changes, changedMunicipalities, type Row, TABLE_NAMES, type TableName } from './changes.ts';
import { MAX_AREAS_READ, MAX_DAILY_CONFIGURATIONS } from './limits.ts';
import type { Totals } from './room.ts';
import type { ConfigurationState } from './state.ts';

/**
 * Rows per statement. They are one parameter, which D1 limits to 2 MB. A document has at most 1 MiB, and a row adds a few
 * hundred bytes.
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

/** A property of the JSON object `item.value`. The names come from the schema and this file, so they need no escaping. */
const valueIn = (property: string): SQL => sql.raw(`item.value ->> '$.${property}'`);

const municipalityId = sql`(select ${municipalities.id} from ${municipalities} where ${municipalities.code} = ${valueIn('municipality')})`;

/** The columns that hold another row's id: the property with its code, and the query for the id. */
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

/** The statements that write the changes, to run in this order as one transaction. */
function writeStatements(changes: Changes): SQL[] {
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

/** Set by the database, or by a restore. */
const NOT_WRITTEN = ['id', 'tenantActive', 'restoring', 'restoredAt', 'pastSince'];

/**
 * From 1 to 2^47 − 1, which takes six bytes in each row and index; one more bit would take eight. A sequence would reuse ids
 * after the database was restored to an earlier state, and a credential's object or a snapshot that still holds the old id
 * would then refer to another row.
 */
const RANDOM_ID = sql.raw('max(1, random() & 140737488355327)');

/** The tables whose ids are also stored outside the database. */
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

/** Inserts new rows. If another document has just created one, this document's values replace its own. */
function insertStatement(table: SQLiteTable, columns: readonly WrittenColumn[], rows: readonly Row[]): SQL {
  const keys = columns.filter(({ isKey }) => isKey).map(({ column }) => column);
  const set = columns
    .filter(({ isKey }) => !isKey)
    .map(
      ({ column, property }) =>
        sql`${column} = ${property === 'tenant' ? sameTenant : sql`excluded.${column}`}`,
    );
  const id = WITH_RANDOM_IDS.includes(table) ? [{ column: bare(tenants.id), value: RANDOM_ID }] : [];
  const inserted = [...id, ...columns];
  return sql`insert into ${table} (${list(inserted.map(({ column }) => column))})
    select ${list(inserted.map(({ value }) => value))} from json_each(${JSON.stringify(rows)}) as item where true
    on conflict (${list(keys)}) do update set ${list(set)}`;
}

/**
 * A document changes no municipality's tenant, and none that is being restored. The column is not nullable, so an attempt rolls
 * back the transaction.
 */
const sameTenant = sql`iif(tenant_id = excluded.tenant_id and not restoring, tenant_id, null)`;

/** Sets only the columns that a row has, so that concurrent documents do not overwrite each other. */
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

/** The codes of the tenants and municipalities to read. */
export interface Asked {
  readonly tenants: readonly string[];
  /** Read with their areas, sources, subscription types and plans, and with their tenants. */
  readonly municipalities: readonly string[];
}

/** Reads the tenants and municipalities that exist, from the primary, in one round trip. */
export async function readConfiguration(db: D1Database, asked: Asked): Promise<ConfigurationState> {
  const orm = drizzle(db);
  const municipalityIsAsked = isIn(municipalities.code, asked.municipalities);
  const askedIds = orm.select({ id: municipalities.id }).from(municipalities).where(municipalityIsAsked);
  const theirTenants = orm
    .select({ id: municipalities.tenantId })
    .from(municipalities)
    .where(municipalityIsAsked);
  const [tenantRows, municipalityRows, areaRows, sourceRows, typeRows, planRows] = await orm.batch([
    orm
      .select()
      .from(tenants)
      .where(or(isIn(tenants.code, asked.tenants), inArray(tenants.id, theirTenants)))
      .orderBy(asc(tenants.code)),
    orm
      .select({ ...getTableColumns(municipalities), recordedToday })
      .from(municipalities)
      .where(municipalityIsAsked)
      .orderBy(asc(municipalities.code)),
    orm
      .select()
      .from(areas)
      .where(inArray(areas.municipalityId, askedIds))
      // The order of the key, so that the limit also bounds the rows read.
      .orderBy(asc(areas.municipalityId), asc(areas.code))
      .limit(MAX_AREAS_READ + 1),
    orm.select().from(sources).where(inArray(sources.municipalityId, askedIds)).orderBy(asc(sources.code)),
    orm
      .select()
      .from(subscriptionTypes)
      .where(inArray(subscriptionTypes.municipalityId, askedIds))
      .orderBy(asc(subscriptionTypes.code)),
    orm.select().from(plans).where(inArray(plans.municipalityId, askedIds)).orderBy(asc(plans.code)),
  ]);
  if (areaRows.length > MAX_AREAS_READ) {
    refuseFields([{ path: 'municipalities', message: TOO_MANY_AREAS }]);
  }
  const tenantCodes = codesById(tenantRows);
  const typeCodes = codesById(typeRows);
  const planItems = planRows.map((row) => ({
    ...row,
    subscriptionType: codeOf(typeCodes, row.subscriptionTypeId),
  }));
  const [areasOf, sourcesOf, typesOf, plansOf] = [
    byMunicipality(areaRows),
    byMunicipality(sourceRows),
    byMunicipality(typeRows),
    byMunicipality(planItems),
  ];
  return {
    tenants: groupByCode(tenantRows),
    municipalities: groupByCode(
      municipalityRows.map((row) => ({
        ...row,
        tenant: codeOf(tenantCodes, row.tenantId),
        areas: groupByCode(areasOf(row.id)),
        sources: groupByCode(sourcesOf(row.id)),
        subscriptionTypes: groupByCode(typesOf(row.id)),
        plans: groupByCode(plansOf(row.id)),
      })),
    ),
  };
}

/**
 * Writes the changes, and a version of each changed municipality, in one transaction and one round trip. If a concurrent
 * document sets the same property, the later one wins.
 *
 * @throws an error for which `isConflict` is true if another document has just created the same municipality for another
 *   tenant, or it is now being restored
 */
export async function writeConfiguration(
  db: D1Database,
  changes: Changes,
  by: { readonly requestId: string; readonly storedAt: Instant },
): Promise<void> {
  const writes = writeStatements(changes);
  if (writes.length > 0) {
    const statements = writes.map((statement) => prepareQuery(db, statement));
    const { municipalities: codes, tenants: tenantCodes } = changedMunicipalities(changes);
    const versions = versionStatements(
      db,
      { municipalities: codes, tenants: tenantCodes },
      { requestId: by.requestId, now: by.storedAt },
    );
    await db.batch([...statements, ...versions]);
  }
}

const TOO_MANY_AREAS = {
  en: `have more than ${MAX_AREAS_READ} areas together: split the document`,
  it: `hanno insieme più di ${MAX_AREAS_READ} aree: indicarne meno in un documento`,
};

const DAY_START = sql`(${DATABASE_CLOCK} / ${literal(DAY_MS)} * ${literal(DAY_MS)})`;

/** Qualified: Drizzle leaves the table's name out where a query has one table. */
const MUNICIPALITY = sql`${municipalities}.${sql.identifier(municipalities.id.name)}`;
const recordedToday = versionsSince(MUNICIPALITY, DAY_START).as('recorded_today');

/** The tenants with a municipality whose configuration was changed too often today. */
export async function readTenantsRecorded(db: D1Database, codes: readonly string[]): Promise<string[]> {
  const rows = await drizzle(db)
    .selectDistinct({ code: tenants.code })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(and(isIn(tenants.code, codes), sql`${recordedToday.sql} >= ${MAX_DAILY_CONFIGURATIONS}`));
  return rows.map(({ code }) => code);
}

/** Counts the tenants and municipalities of the service. */
export async function readTotals(db: D1Database): Promise<Totals> {
  const orm = drizzle(db);
  const [[tenantsCounted], [municipalitiesCounted]] = await orm.batch([
    orm.select({ count: count() }).from(tenants),
    orm.select({ count: count() }).from(municipalities),
  ]);
  return { tenants: tenantsCounted?.count ?? 0, municipalities: municipalitiesCounted?.count ?? 0 };
}

/** Whether the database refused a write because of a concurrent one. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.message.includes('SQLITE_CONSTRAINT');
}

function groupByCode<Row extends { readonly code: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.code, row]));
}

function byMunicipality<Row extends { readonly municipalityId: number }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ municipalityId }) => municipalityId);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}

function codesById(rows: readonly { readonly id: number; readonly code: string }[]): Map<number, string> {
  return new Map(rows.map(({ id, code }) => [id, code]));
}

function codeOf(codes: ReadonlyMap<number, string>, id: number): string {
  const code = codes.get(id);
  if (code === undefined) {
    throw new Error(`a row refers to the id ${id}, which no row has`);
  }
  return code;
}
