import { and, asc, count, eq, getTableColumns, inArray, isNull, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { refuseFields } from '../../base/errors/refusal.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import type { LocationRow } from '../../storage/databases/lives-at.ts';
import { isIn } from '../../storage/db/is-in.ts';
import {
  areas,
  configurationVersions,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import { primaryKeyOf, tableByIndex } from '../../storage/db/sql.ts';
import { DATABASE_CLOCK, isRefusedWrite, writeBatch } from '../../storage/db/writable.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import { changedMunicipalities } from './changed-municipalities.ts';
import type { Changes } from './changes.ts';
import { MAX_AREAS_READ } from './limits.ts';
import type { Totals } from './room.ts';
import type { ByCode, ConfigurationState, MunicipalityState } from './state.ts';
import { requireWritable, writeStatements } from './write-statements.ts';

const dialect = new SQLiteSyncDialect();

/** Whose configuration is read. */
export interface Asked {
  /** Codes. */
  readonly tenants: readonly string[];
  /** Codes. Each comes with all it has, and with its tenant. */
  readonly municipalities: readonly string[];
}

/** Where a municipality lives and whether it may be written, by its row. */
export interface WritablePlace extends LocationRow {
  /** Whether its writes are stopped, because its move is about to end. */
  readonly isStopped: boolean;
}

/** The configuration as one database holds it. Rows of a municipality that lives elsewhere do not count. */
export interface DatabaseState extends ConfigurationState {
  readonly municipalities: ByCode<MunicipalityState & WritablePlace>;
}

/** Reads what exists of what was asked for, from the primary of one database, in one round trip. */
export async function readConfiguration(db: D1Database, asked: Asked): Promise<DatabaseState> {
  const orm = drizzle(db);
  if (asked.municipalities.length === 0) {
    // Of each of a hundred databases, while an invocation may send a thousand statements.
    const rows = await orm
      .select()
      .from(tenants)
      .where(isIn(tenants.code, asked.tenants))
      .orderBy(asc(tenants.code));
    return { tenants: groupByCode(rows), municipalities: new Map() };
  }
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
      .select({ ...getTableColumns(municipalities), isStopped, recordedToday })
      .from(municipalities)
      .where(municipalityIsAsked)
      .orderBy(asc(municipalities.code)),
    orm
      .select()
      .from(areas)
      .where(inArray(areas.municipalityId, askedIds))
      // The order of their key, so that no more are read than are taken.
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
 * Writes the changes, and a version of each municipality that they change: all or none, in one round trip. Another
 * document that is put at the same time never leaves it half done: where both set the same property, the later wins.
 *
 * @param living codes of the municipalities that must live in this database, with their writes not stopped
 * @throws an error for which `isConflict` is true when another document has just made a municipality of another tenant
 *   what this one creates, or when one of `living` has just gone elsewhere, or is about to
 */
export async function writeConfiguration(
  db: D1Database,
  changes: Changes,
  living: readonly string[],
  by: { readonly requestId: string; readonly storedAt: Instant },
): Promise<void> {
  const writes = writeStatements(changes);
  const guards = living.length > 0 ? [requireWritable(living)] : [];
  const statements = (writes.length > 0 ? [...guards, ...writes] : []).map((statement) => {
    // Drizzle's own batch loses the parameters of a raw statement.
    const { sql: text, params } = dialect.sqlToQuery(statement);
    return db.prepare(text).bind(...params);
  });
  if (statements.length > 0) {
    const { municipalities: codes, tenants: tenantCodes } = changedMunicipalities(changes);
    const versions = versionStatements(
      db,
      { municipalities: codes, tenants: tenantCodes },
      { requestId: by.requestId, now: by.storedAt },
    );
    await writeBatch(db, [...statements, ...versions]);
  }
}

const TOO_MANY_AREAS = {
  en: `have more than ${MAX_AREAS_READ} areas together: name fewer in one document`,
  it: `hanno insieme più di ${MAX_AREAS_READ} aree: indicarne meno in un documento`,
};

const DAY_START = sql`(${DATABASE_CLOCK} / ${sql.raw(String(DAY_MS))} * ${sql.raw(String(DAY_MS))})`;

const recordedToday =
  sql<number>`(select count(*) from ${tableByIndex(configurationVersions, primaryKeyOf(configurationVersions))}
  where ${configurationVersions.municipalityId} = ${municipalities}.${sql.identifier(municipalities.id.name)}
    and ${configurationVersions.part} = 0 and ${configurationVersions.recordedAt} >= ${DAY_START})`.as(
    'recorded_today',
  );

/** The tenants with a municipality in this database whose configuration was already recorded so often today. */
export async function readTenantsRecorded(
  db: D1Database,
  codes: readonly string[],
  timesToday: number,
): Promise<string[]> {
  const rows = await drizzle(db)
    .selectDistinct({ code: tenants.code })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(
      and(
        isIn(tenants.code, codes),
        isNull(municipalities.movedTo),
        sql`${recordedToday.sql} >= ${timesToday}`,
      ),
    );
  return rows.map(({ code }) => code);
}

/** How many tenants and municipalities the home knows. */
export async function readTotals(home: D1Database): Promise<Totals> {
  const orm = drizzle(home);
  const [[tenantsCounted], [municipalitiesCounted]] = await orm.batch([
    orm.select({ count: count() }).from(tenants),
    orm.select({ count: count() }).from(municipalities),
  ]);
  return { tenants: tenantsCounted?.count ?? 0, municipalities: municipalitiesCounted?.count ?? 0 };
}

const isStopped = sql<number>`coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK}`
  .mapWith(Boolean)
  .as('is_stopped');

/** Ids of tenants and municipalities, by code. */
export interface Ids {
  readonly tenants: ReadonlyMap<string, number>;
  readonly municipalities: ReadonlyMap<string, number>;
}

/** The ids that the home has given: they are the same in every database. */
export async function readIds(home: D1Database, asked: Asked): Promise<Ids> {
  const orm = drizzle(home);
  const [tenantRows, municipalityRows] = await orm.batch([
    orm.select({ id: tenants.id, code: tenants.code }).from(tenants).where(isIn(tenants.code, asked.tenants)),
    orm
      .select({ id: municipalities.id, code: municipalities.code })
      .from(municipalities)
      .where(isIn(municipalities.code, asked.municipalities)),
  ]);
  return { tenants: idsByCode(tenantRows), municipalities: idsByCode(municipalityRows) };
}

const idsByCode = (rows: readonly { readonly id: number; readonly code: string }[]) =>
  new Map(rows.map(({ id, code }) => [code, id]));

/** Whether the database refused a write that another one has just made impossible. */
export function isConflict(error: unknown): boolean {
  return isRefusedWrite(error) || (error instanceof Error && error.message.includes('SQLITE_CONSTRAINT'));
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

/** Foreign keys hold, and the batch is one transaction: the row is there. */
function codeOf(codes: ReadonlyMap<number, string>, id: number): string {
  const code = codes.get(id);
  if (code === undefined) {
    throw new Error(`no row has the id ${id} that another refers to`);
  }
  return code;
}
