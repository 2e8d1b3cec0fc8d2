import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { instant } from '../../domain/instant.ts';
import type { StoredCredential } from '../../serving/access/credential-record.ts';
import { recordOf } from '../../serving/access/credentials-table.ts';
import {
  areas,
  credentialMunicipalities,
  credentials,
  municipalities,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { isIn, literal, tableAs } from '../../storage/db/sql.ts';
import type { ListQuery } from './contract.ts';
import { MAX_CREDENTIALS, type ReferenceFacts, type References } from './references.ts';

/** Reads the credential with this id from the database; null if there is none. */
export async function readCredential(db: D1Database, credentialId: string): Promise<StoredCredential | null> {
  const [row] = await selectCredentials(db).where(eq(credentials.id, credentialId));
  return row === undefined ? null : toStored(row);
}

/** Reads whether a tenant is active, and the details of a credential. Null: there is no such tenant. */
export async function readOwner(
  db: D1Database,
  { tenantId, credentialId }: { readonly tenantId: number; readonly credentialId: string },
): Promise<{ readonly isActive: boolean; readonly details: Omit<StoredCredential, 'record'> | null } | null> {
  const { name, createdAt, location } = credentials;
  const [row] = await drizzle(db)
    .select({ isActive: tenants.active, details: { name, createdAt, location } })
    .from(tenants)
    .leftJoin(credentials, eq(credentials.id, credentialId))
    .where(eq(tenants.id, tenantId));
  if (row === undefined) return null;
  const { isActive, details } = row;
  return { isActive, details: details && { ...details, createdAt: instant(details.createdAt) } };
}

/** Reads a page of the credentials that match a query, oldest first, and whether more follow. */
export async function listCredentials(
  db: D1Database,
  { tenant, municipality_code, after, limit }: ListQuery,
): Promise<{ page: StoredCredential[]; hasMore: boolean }> {
  const rows = await selectCredentials(db)
    .where(
      and(
        tenant === undefined ? undefined : eq(tenants.code, tenant),
        municipality_code === undefined ? undefined : isFor(municipality_code),
        after === undefined ? FROM_THE_FIRST : isAfter(after),
      ),
    )
    .orderBy(asc(credentials.createdAt), asc(credentials.id))
    .limit(limit + 1);
  return { page: rows.slice(0, limit).map(toStored), hasMore: rows.length > limit };
}

/** Reads which tenant, municipalities, source and areas of a credential exist. */
export async function readReferences(db: D1Database, references: References): Promise<ReferenceFacts> {
  const orm = drizzle(db);
  const [tenantRows, rows] = await orm.batch([
    orm
      .select({ id: tenants.id, credentials: credentialCount })
      .from(tenants)
      .where(eq(tenants.code, references.tenant)),
    orm
      .select({
        code: municipalities.code,
        hasSource: hasSource(references.sourceCode),
        foundAreas: foundAreas(references.areas),
      })
      .from(municipalities)
      .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
      .where(
        and(
          eq(tenants.code, references.tenant),
          isIn(municipalities.code, references.municipalities),
          eq(municipalities.restoring, false),
        ),
      ),
  ]);
  return {
    tenantId: tenantRows[0]?.id ?? null,
    credentials: tenantRows[0]?.credentials ?? 0,
    municipalities: rows.map(({ code }) => code),
    municipalitiesWithSource: rows.filter(({ hasSource: has }) => has === 1).map(({ code }) => code),
    areas: rows.flatMap(({ foundAreas: found }) => found),
  };
}

const credentialCount = sql<number>`(select count(*) from (
  select 1 from ${credentials} where ${credentials.tenantId} = ${tenants}.${sql.identifier(tenants.id.name)} limit ${literal(MAX_CREDENTIALS)}))`.as(
  'credential_count',
);

const municipalityCodes = sql`(select json_group_array(code) from (
  select ${municipalities.code} as code from ${credentialMunicipalities}
  join ${municipalities} on ${municipalities.id} = ${credentialMunicipalities.municipalityId}
  where ${credentialMunicipalities.credentialId} = ${credentials.id} order by code))`
  .mapWith((text: string): string[] => JSON.parse(text))
  .as('municipality_codes');

const selectCredentials = (db: D1Database) =>
  drizzle(db)
    .select({ row: credentials, tenantCode: tenants.code, municipalityCodes })
    .from(credentials)
    .innerJoin(tenants, eq(tenants.id, credentials.tenantId))
    .$dynamic();

interface SelectedRow {
  readonly row: typeof credentials.$inferSelect;
  readonly tenantCode: string;
  readonly municipalityCodes: string[];
}

function toStored({ row, tenantCode, municipalityCodes }: SelectedRow): StoredCredential {
  return {
    record: recordOf(row, tenantCode, municipalityCodes),
    name: row.name,
    createdAt: instant(row.createdAt),
    location: row.location,
  };
}

const hasSource = (sourceCode: string | null) =>
  sql<number>`exists (select 1 from ${sources}
    where ${sources.municipalityId} = ${municipalities.id} and ${sources.code} = ${sourceCode})`.as(
    'has_source',
  );

const foundAreas = (codes: readonly string[]) =>
  sql`(select json_group_array(${areas.code}) from ${areas}
    where ${areas.municipalityId} = ${municipalities.id} and ${isIn(areas.code, codes)})`
    .mapWith((text: string): string[] => JSON.parse(text))
    .as('found_areas');

/** Searches from the municipality: a city has few credentials, the service has many. */
const isFor = (municipalityCode: string): SQL =>
  sql`${credentials.id} in (select ${credentialMunicipalities.credentialId} from ${municipalities}
    cross join ${credentialMunicipalities} on ${credentialMunicipalities.municipalityId} = ${municipalities.id}
    where ${municipalities.code} = ${municipalityCode})`;

/** All credentials: with a bound like that of a later page, the first page seeks in the same index. */
const FROM_THE_FIRST = sql`(${credentials.createdAt}, ${credentials.id}) > (0, '')`;

const last = alias(credentials, 'last');

/** Credentials issued in the same millisecond are ordered by their ids. */
const isAfter = (credentialId: string): SQL =>
  sql`(${credentials.createdAt}, ${credentials.id}) >
    (select ${last.createdAt}, ${last.id} from ${tableAs(credentials, last)} where ${last.id} = ${credentialId})`;
