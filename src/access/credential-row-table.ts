import { and, eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { isIn } from '../db/is-in.ts';
import { credentialMunicipalities, credentials, municipalities, tenants } from '../db/schema/index.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import type { Credential } from './credential-record.ts';
import type { RowFacts, StoredCredential } from './stored-credential.ts';

/** Reads what the primary database has about a credential that its object holds, in one round trip. */
export async function readRowFacts(db: D1Database, credential: Credential): Promise<RowFacts> {
  const orm = drizzle(db);
  const [tenantRows, municipalityRows, rows] = await orm.batch([
    orm.select({ id: tenants.id }).from(tenants).where(eq(tenants.code, credential.tenantCode)),
    orm
      .select({ code: municipalities.code })
      .from(municipalities)
      .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
      .where(
        and(eq(tenants.code, credential.tenantCode), isIn(municipalities.code, credential.municipalities)),
      ),
    orm
      .select({
        version: credentials.version,
        revokedAt: credentials.revokedAt,
        name: credentials.name,
        createdAt: credentials.createdAt,
        location: credentials.location,
      })
      .from(credentials)
      .where(eq(credentials.id, credential.credentialId)),
  ]);
  const [row] = rows;
  return {
    tenantId: tenantRows[0]?.id ?? null,
    municipalities: municipalityRows.map(({ code }) => code),
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
  const orm = drizzle(db);
  const { id, ...changeable } = rowOf(stored);
  const isWritten = sql`exists (select 1 from ${credentials}
    where ${credentials.id} = ${id} and ${credentials.version} = ${changeable.version})`;
  await orm.batch([
    orm
      .insert(credentials)
      .values({ id, ...changeable })
      .onConflictDoUpdate({
        target: credentials.id,
        set: changeable,
        setWhere: sql`${credentials.version} <= ${changeable.version}`,
      }),
    orm.delete(credentialMunicipalities).where(and(eq(credentialMunicipalities.credentialId, id), isWritten)),
    orm.insert(credentialMunicipalities).select(municipalityRows(stored, isWritten)),
  ]);
}

/** Whether a row is the same as what the object holds. A pair that a rotation has only added does not count. */
export function isSameCredential(row: StoredCredential, held: StoredCredential): boolean {
  return comparable(row) === comparable(held);
}

const comparable = (stored: StoredCredential): string =>
  JSON.stringify([
    rowOf(stored),
    stored.record.credential.tenantCode,
    stored.record.credential.municipalities.toSorted(),
  ]);

function rowOf({ record, name, createdAt, location }: StoredCredential): typeof credentials.$inferInsert {
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

function municipalityRows({ record: { credential } }: StoredCredential, condition: SQL): SQL {
  return sql`select ${credential.credentialId}, ${municipalities.id} from ${municipalities}
    where ${isIn(municipalities.code, credential.municipalities)}
      and ${municipalities.tenantId} = ${credential.tenantId} and ${condition}`;
}
