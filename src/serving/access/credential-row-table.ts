import { getTableColumns, sql } from 'drizzle-orm';
import { instant, nullableInstant } from '../../domain/instant.ts';
import {
  credentialMunicipalities,
  credentials,
  municipalities,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, columns, isIn, list, prepareQuery, type RowOf } from '../../storage/db/sql.ts';
import type { Credential, RowFacts, StoredCredential } from './credential-record.ts';

const TENANT = { id: tenants.id };
const MUNICIPALITY = { code: municipalities.code };
const DETAILS = {
  version: credentials.version,
  revokedAt: credentials.revokedAt,
  name: credentials.name,
  createdAt: credentials.createdAt,
  location: credentials.location,
};

/** Reads what the database has about a credential that its object holds, in one round trip. */
export async function readRowFacts(db: D1Database, credential: Credential): Promise<RowFacts> {
  const { credentialId, tenantCode, municipalities: codes } = credential;
  const queries = [
    sql`select ${columns(TENANT)} from ${tenants} where ${tenants.code} = ${tenantCode}`,
    sql`select ${columns(MUNICIPALITY)} from ${municipalities}
      join ${tenants} on ${tenants.id} = ${municipalities.tenantId}
      where ${tenants.code} = ${tenantCode} and ${isIn(municipalities.code, codes)}`,
    sql`select ${columns(DETAILS)} from ${credentials} where ${credentials.id} = ${credentialId}`,
  ];
  const [tenantRows, municipalityRows, rows] = (await db.batch(
    queries.map((query) => prepareQuery(db, query)),
  )) as [
    D1Result<RowOf<typeof TENANT>>,
    D1Result<RowOf<typeof MUNICIPALITY>>,
    D1Result<RowOf<typeof DETAILS>>,
  ];
  const [row] = rows.results;
  return {
    tenantId: tenantRows.results[0]?.id ?? null,
    municipalities: municipalityRows.results.map(({ code }) => code),
    row: row
      ? { ...row, revokedAt: nullableInstant(row.revokedAt), createdAt: instant(row.createdAt) }
      : null,
  };
}

/**
 * Writes what the credential's object holds to the row and its municipalities, in one transaction. A row of a newer version
 * is left alone, so that a delayed write changes nothing.
 */
export async function writeCredentialRow(db: D1Database, stored: StoredCredential): Promise<void> {
  const { credentialId, tenantId, version, municipalities: codes } = stored.record.credential;
  const values: Readonly<Record<string, unknown>> = rowOf(stored);
  const properties = Object.entries(getTableColumns(credentials));
  const names = properties.map(([, column]) => bare(column));
  const changed = properties
    .filter(([name]) => name !== 'id')
    .map(([, column]) => sql`${bare(column)} = excluded.${bare(column)}`);
  const isWritten = sql`exists (select 1 from ${credentials}
    where ${credentials.id} = ${credentialId} and ${credentials.version} = ${version})`;
  const link = credentialMunicipalities;
  const queries = [
    sql`insert into ${credentials} (${list(names)})
      values (${list(properties.map(([name, column]) => sql`${sql.param(values[name], column)}`))})
      on conflict (${bare(credentials.id)}) do update set ${list(changed)}
      where ${credentials.version} <= excluded.${bare(credentials.version)}`,
    sql`delete from ${link} where ${link.credentialId} = ${credentialId} and ${isWritten}`,
    sql`insert into ${link} (${list([link.credentialId, link.municipalityId].map(bare))})
      select ${credentialId}, ${municipalities.id} from ${municipalities}
      where ${isIn(municipalities.code, codes)} and ${municipalities.tenantId} = ${tenantId} and ${isWritten}`,
  ];
  await db.batch(queries.map((query) => prepareQuery(db, query)));
}

function rowOf({ record, name, createdAt, location }: StoredCredential): typeof credentials.$inferSelect {
  const { credential, rate, current } = record;
  return {
    id: credential.credentialId,
    tenantId: credential.tenantId,
    name,
    scopes: credential.scopes,
    ipAllowlist: record.ipAllowlist,
    expiresAt: record.expiresAt,
    rateLimit: rate.limit,
    rateWindowSeconds: rate.windowSeconds,
    historicalDaysAllowed: credential.historicalDaysAllowed,
    sourceCode: credential.sourceCode,
    areas: credential.areas,
    accessTokenHash: current.accessTokenHash,
    apiKeyHash: current.apiKeyHash,
    previousPairs: record.previous.map(({ accessTokenHash, apiKeyHash, passesUntil }) => ({
      accessTokenHash,
      apiKeyHash,
      passesUntil,
    })),
    version: credential.version,
    createdAt,
    revokedAt: record.revokedAt,
    location,
  };
}
