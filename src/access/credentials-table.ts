import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { credentialMunicipalities, credentials, municipalities, tenants } from '../db/schema/index.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import { type CredentialRecord, SCOPES, type Scope } from './credential-record.ts';

/**
 * A credential as the primary database has it.
 *
 * @returns null if there is none with this id
 */
export async function readCredentialRecord(
  db: D1Database,
  credentialId: string,
): Promise<CredentialRecord | null> {
  const orm = drizzle(db);
  const [rows, municipalityRows] = await orm.batch([
    orm
      .select({ credential: credentials, tenantCode: tenants.code })
      .from(credentials)
      .innerJoin(tenants, eq(tenants.id, credentials.tenantId))
      .where(eq(credentials.id, credentialId)),
    orm
      .select({ code: municipalities.code })
      .from(credentialMunicipalities)
      .innerJoin(municipalities, eq(municipalities.id, credentialMunicipalities.municipalityId))
      .where(eq(credentialMunicipalities.credentialId, credentialId))
      .orderBy(municipalities.code),
  ]);
  const row = rows[0];
  return row === undefined
    ? null
    : recordOf(
        row.credential,
        row.tenantCode,
        municipalityRows.map(({ code }) => code),
      );
}

/** The record of a row of `credentials` and the codes of its tenant and municipalities. */
export function recordOf(
  row: typeof credentials.$inferSelect,
  tenantCode: string,
  municipalityCodes: readonly string[],
): CredentialRecord {
  return {
    credential: {
      credentialId: row.id,
      version: row.version,
      tenantId: row.tenantId,
      tenantCode,
      municipalities: municipalityCodes,
      scopes: row.scopes.filter(isScope),
      historicalDaysAllowed: row.historicalDaysAllowed,
      sourceCode: row.sourceCode,
    },
    ipAllowlist: row.ipAllowlist,
    expiresAt: nullableInstant(row.expiresAt),
    revokedAt: nullableInstant(row.revokedAt),
    rate: { limit: row.rateLimit, windowSeconds: row.rateWindowSeconds },
    current: { accessTokenHash: row.accessTokenHash, apiKeyHash: row.apiKeyHash },
    previous: row.previousPairs.map((pair) => ({ ...pair, passesUntil: instant(pair.passesUntil) })),
  };
}

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);
