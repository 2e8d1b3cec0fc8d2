import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { installInObject } from '../../src/serving/access/credential-objects.ts';
import { officeScopeIn, SCOPES } from '../../src/serving/access/credential-record.ts';
import { readCredentialRecord } from '../../src/serving/access/credentials-table.ts';
import { issuePair, newCredentialId } from '../../src/serving/access/token.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import { bearer } from './service.ts';

/** All but an office's. */
export const CALLERS_SCOPES = SCOPES.filter((scope) => officeScopeIn([scope]) === undefined);

export interface TestCredential {
  readonly credentialId: string;
  readonly accessToken: string;
  readonly apiKey: string;
  /** The headers of a call with it. */
  readonly headers: Record<string, string>;
}

/**
 * Issues a credential as the administration does, in the database and in its object: every scope but an office's,
 * the first municipality, and a budget that no test reaches by accident, unless said otherwise.
 */
export async function issueCredential(
  changed: Partial<typeof schema.credentials.$inferInsert> = {},
  municipalityIds: readonly number[] = [1],
): Promise<TestCredential> {
  const credentialId = changed.id ?? newCredentialId();
  const pair = await issuePair(credentialId, env.TOKEN_KEY);
  const orm = drizzle(env.DB);
  await orm.insert(schema.credentials).values({
    id: credentialId,
    tenantId: 1,
    name: 'test',
    scopes: CALLERS_SCOPES,
    ipAllowlist: null,
    expiresAt: null,
    rateLimit: 10_000,
    rateWindowSeconds: 60,
    historicalDaysAllowed: 1,
    sourceCode: null,
    accessTokenHash: pair.accessTokenHash,
    apiKeyHash: pair.apiKeyHash,
    previousPairs: [],
    version: 1,
    createdAt: 0,
    revokedAt: null,
    ...changed,
  });
  for (const municipalityId of municipalityIds) {
    await orm.insert(schema.credentialMunicipalities).values({ credentialId, municipalityId });
  }
  const record = await readCredentialRecord(env.DB, credentialId);
  if (record === null) {
    throw new Error('the credential was not stored');
  }
  await installInObject(env, record);
  return {
    credentialId,
    accessToken: pair.accessToken,
    apiKey: pair.apiKey,
    headers: bearer(pair.accessToken),
  };
}
