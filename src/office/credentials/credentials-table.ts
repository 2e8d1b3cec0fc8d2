import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { instant, nullableInstant } from '../../domain/instant.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import { SCOPES, type Scope } from '../../serving/access/scopes.ts';
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
import type { ListedCredential } from './present.ts';

/** The most credentials of a tenant: several fleets of meters and gates. */
export const MAX_CREDENTIALS = 10_000;

/** The codes by which a credential refers to the configuration. */
export interface References {
  readonly tenant: string;
  readonly municipalities: readonly string[];
  readonly sourceCode: string | null;
  /** Codes of areas of its one municipality. Empty: it is not bound to areas. */
  readonly areas: readonly string[];
}

/** The existing ones. */
export interface ReferenceFacts {
  readonly tenantId: number | null;
  /** The number of the tenant's credentials, with revoked ones; counted up to the limit. */
  readonly credentials: number;
  /** Codes of the municipalities that exist and belong to the tenant. */
  readonly municipalities: readonly string[];
  /** Whether one of those municipalities has the source, active or not. */
  readonly hasSource: boolean;
  /** Codes of the areas that the municipality has, active or not. */
  readonly areas: readonly string[];
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
    hasSource: rows.some((row) => row.hasSource === 1),
    areas: rows.flatMap((row) => row.foundAreas),
  };
}

/**
 * Writes what the credential's object holds to its row and its municipalities, in one transaction. A row of a newer version
 * is left alone, so that a delayed write changes nothing.
 */
export async function writeCredentialRow(db: D1Database, credential: Credential): Promise<void> {
  const { credentialId, tenantId, version } = credential;
  const orm = drizzle(db);
  const row = rowOf(credential);
  const link = credentialMunicipalities;
  const isWritten = sql`exists (select 1 from ${credentials}
    where ${credentials.id} = ${credentialId} and ${credentials.version} = ${version})`;
  await orm.batch([
    orm
      .insert(credentials)
      .values(row)
      .onConflictDoUpdate({
        target: credentials.id,
        set: row,
        setWhere: sql`${credentials.version} <= ${version}`,
      }),
    orm.delete(link).where(and(eq(link.credentialId, credentialId), isWritten)),
    orm.insert(link).select(
      orm
        .select({ credentialId: sql`${credentialId}`.as('credential_id'), municipalityId: municipalities.id })
        .from(municipalities)
        .where(
          and(
            isIn(municipalities.code, credential.municipalities),
            eq(municipalities.tenantId, tenantId),
            isWritten,
          ),
        ),
    ),
  ]);
}

const rowOf = (credential: Credential): typeof credentials.$inferInsert => ({
  id: credential.credentialId,
  tenantId: credential.tenantId,
  name: credential.name,
  scopes: credential.scopes,
  ipAllowlist: credential.ipAllowlist,
  expiresAt: credential.expiresAt,
  rateLimit: credential.rate.limit,
  rateWindowSeconds: credential.rate.windowSeconds,
  historicalDaysAllowed: credential.historicalDaysAllowed,
  sourceCode: credential.sourceCode,
  areas: credential.areas,
  overlapEndsAt: credential.previous[0]?.passesUntil ?? null,
  version: credential.version,
  createdAt: credential.createdAt,
  revokedAt: credential.revokedAt,
  location: credential.location,
});

/** Whether a credential has a row, for the position of a list. */
export async function readListed(db: D1Database, credentialId: string): Promise<ListedCredential | null> {
  const [row] = await selectCredentials(db).where(eq(credentials.id, credentialId));
  return row === undefined ? null : toListed(row);
}

/** Reads a page of the credentials that match a query, oldest first, and whether more follow. */
export async function listCredentials(
  db: D1Database,
  { tenant, municipality_code, after, limit }: ListQuery,
): Promise<{ page: ListedCredential[]; hasMore: boolean }> {
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
  return { page: rows.slice(0, limit).map(toListed), hasMore: rows.length > limit };
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

const toListed = ({ row, tenantCode, municipalityCodes: codes }: SelectedRow): ListedCredential => ({
  credentialId: row.id,
  tenantCode,
  name: row.name,
  createdAt: instant(row.createdAt),
  location: row.location,
  municipalities: codes,
  scopes: row.scopes.filter(isScope),
  historicalDaysAllowed: row.historicalDaysAllowed,
  sourceCode: row.sourceCode,
  areas: row.areas,
  ipAllowlist: row.ipAllowlist,
  expiresAt: nullableInstant(row.expiresAt),
  revokedAt: nullableInstant(row.revokedAt),
  rate: { limit: row.rateLimit, windowSeconds: row.rateWindowSeconds },
  overlapEndsAt: nullableInstant(row.overlapEndsAt),
});

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

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
