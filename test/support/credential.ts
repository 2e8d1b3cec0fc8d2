import { env } from 'cloudflare:workers';
import { eq, inArray } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { addCredential, changeCredential } from '../../src/office/credentials/change-credential.ts';
import { boundsOf } from '../../src/serving/access/bounds.ts';
import type { Credential } from '../../src/serving/access/credential-record.ts';
import { officeScopeIn, SCOPES } from '../../src/serving/access/scopes.ts';
import { issuePair, newCredentialId } from '../../src/serving/access/token.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import { bearer } from './service.ts';

/** All but an office's. */
export const CALLERS_SCOPES: readonly string[] = SCOPES.filter(
  (scope) => officeScopeIn([scope]) === undefined,
);

export interface TestCredential {
  readonly credentialId: string;
  readonly accessToken: string;
  readonly apiKey: string;
  /** The headers of a call with it. */
  readonly headers: Record<string, string>;
}

/** What a test says of a credential: the limit and its window flat, instants as numbers. */
interface Changed extends Partial<Omit<Credential, 'rate' | 'revokedAt' | 'expiresAt' | 'scopes'>> {
  readonly id?: string;
  /** The id of its row; the first one if absent. */
  readonly tenantId?: number;
  /** Any text, so that a test may name what it reads. */
  readonly scopes?: readonly string[];
  readonly rateLimit?: number;
  readonly rateWindowSeconds?: number;
  readonly revokedAt?: number | null;
  readonly expiresAt?: number | null;
}

/**
 * Issues a credential as the administration does, in its object and in the database: every scope but an office's, the first
 * municipality, and a budget that no test reaches by accident, unless said otherwise.
 */
export async function issueCredential(
  {
    id,
    tenantId = 1,
    rateLimit = 10_000,
    rateWindowSeconds = 60,
    revokedAt = null,
    expiresAt = null,
    scopes,
    ...changed
  }: Changed = {},
  municipalityIds: readonly number[] = [1],
): Promise<TestCredential> {
  const credentialId = id ?? newCredentialId();
  const { accessToken, apiKey, ...pair } = issuePair(credentialId, env.TOKEN_KEY);
  const orm = drizzle(env.DB);
  const [tenant] = await orm.select().from(schema.tenants).where(eq(schema.tenants.id, tenantId));
  const municipalities = await orm
    .select({ code: schema.municipalities.code })
    .from(schema.municipalities)
    .where(inArray(schema.municipalities.id, [...municipalityIds]));
  const issued: Credential = {
    credentialId,
    version: 1,
    tenantCode: tenant?.code ?? expect.fail('no such tenant'),
    name: 'test',
    createdAt: instant(0),
    location: null,
    municipalities: municipalities.map(({ code }) => code).sort(),
    historicalDaysAllowed: 1,
    sourceCode: null,
    areas: null,
    ipAllowlist: null,
    expiresAt: expiresAt === null ? null : instant(expiresAt),
    revokedAt: revokedAt === null ? null : instant(revokedAt),
    rate: { limit: rateLimit, windowSeconds: rateWindowSeconds },
    current: pair,
    previous: [],
    ...changed,
    scopes: SCOPES.filter((scope) => (scopes ?? CALLERS_SCOPES).includes(scope)),
  };
  await addCredential(env, issued);
  return { credentialId, accessToken, apiKey, headers: bearer(accessToken) };
}

/** Changes a credential as the administration does: its object first, then its row. */
export async function changeOf(
  { credentialId }: Pick<TestCredential, 'credentialId'>,
  change: (held: Credential) => Credential,
): Promise<void> {
  await changeCredential(env, boundsOf(env.DB, null), credentialId, change);
}
