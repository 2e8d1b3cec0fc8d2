import { getTableColumns, sql } from 'drizzle-orm';
import { instant, nullableInstant } from '../../domain/instant.ts';
import {
  credentialMunicipalities,
  credentials,
  municipalities,
  tenants,
} from '../../storage/db/schema/index.ts';
import { fromJson } from '../../storage/db/sql.ts';
import { batch, select, statement, value } from '../../storage/db/statement.ts';
import { type CredentialRecord, SCOPES, type Scope } from './credential-record.ts';

const READ_CREDENTIAL = statement({ credentialId: value<string>() }, ({ credentialId }) =>
  select(
    { ...getTableColumns(credentials), tenantCode: tenants.code },
    sql`
    from ${credentials}
    join ${tenants} on ${tenants.id} = ${credentials.tenantId}
    where ${credentials.id} = ${credentialId}`,
  ),
);

const READ_MUNICIPALITIES = statement({ credentialId: value<string>() }, ({ credentialId }) =>
  select(
    { code: municipalities.code },
    sql`
    from ${credentialMunicipalities}
    join ${municipalities} on ${municipalities.id} = ${credentialMunicipalities.municipalityId}
    where ${credentialMunicipalities.credentialId} = ${credentialId}
    order by ${municipalities.code}`,
  ),
);

/**
 * A credential as the database has it.
 *
 * @returns null if there is none with this id
 */
export async function readCredentialRecord(
  db: D1Database,
  credentialId: string,
): Promise<CredentialRecord | null> {
  const [found, municipalityRows] = await batch(db, [
    READ_CREDENTIAL.prepare(db, { credentialId }),
    READ_MUNICIPALITIES.prepare(db, { credentialId }),
  ]);
  const [row] = found.results;
  if (row === undefined) return null;
  const { scopes, ipAllowlist, areas, previousPairs } = credentials;
  return recordOf(
    {
      ...row,
      scopes: fromJson(scopes, row.scopes),
      ipAllowlist: row.ipAllowlist === null ? null : fromJson(ipAllowlist, row.ipAllowlist),
      areas: row.areas === null ? null : fromJson(areas, row.areas),
      previousPairs: fromJson(previousPairs, row.previousPairs),
    },
    row.tenantCode,
    municipalityRows.results.map(({ code }) => code),
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
      areas: row.areas,
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
