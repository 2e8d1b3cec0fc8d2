import { installInObject } from '../../access/credential-objects.ts';
import { rotated } from '../../access/credential-record.ts';
import { type IssuedPair, issuePair, newCredentialId } from '../../access/token.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { invalidRequest } from '../../errors/refusal.ts';
import { changeCredential } from './change-credential.ts';
import { insertCredential, readReferences } from './credentials-table.ts';
import { type Named, referenceIssues } from './references.ts';
import type { ChangeRequest, IssueRequest } from './request.ts';
import { changed, issued, revoked, type StoredCredential } from './stored-credential.ts';

/** A credential with the pair that it has just got: the one time that it is there to be shown. */
export interface CredentialWithPair {
  readonly stored: StoredCredential;
  readonly pair: IssuedPair;
}

/**
 * Issues a credential, in the database and in its object. Where this fails after the first, there is a credential
 * that nobody has the secrets of.
 *
 * @throws Refusal `INVALID_REQUEST` for a name that stands for nothing
 */
export async function issueCredential(
  env: Env,
  request: IssueRequest,
  now: Instant,
): Promise<CredentialWithPair> {
  const tenantId = await requireReferences(env, {
    tenant: request.tenant,
    municipalities: request.municipalities,
    sourceCode: request.source_code ?? null,
  });
  const credentialId = newCredentialId();
  const pair = await issuePair(credentialId, env.TOKEN_KEY);
  const stored = issued(request, { credentialId, tenantId, pair, now });
  await insertCredential(env.DB, stored);
  await installInObject(env, stored.record, stored.location);
  return { stored, pair };
}

/**
 * Changes what a request names of a credential.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a revoked one, and for a name that stands for nothing
 */
export function amendCredential(
  env: Env,
  credentialId: string,
  request: ChangeRequest,
): Promise<StoredCredential> {
  return changeCredential(env, credentialId, async (before) => {
    requireNotRevoked(before);
    const after = changed(before, request);
    if (request.municipalities !== undefined || request.source_code !== undefined) {
      const { credential } = after.record;
      await requireReferences(env, {
        tenant: credential.tenantCode,
        // In the order of the request, since the issues' paths count in it.
        municipalities: request.municipalities ?? credential.municipalities,
        sourceCode: credential.sourceCode,
      });
    }
    return after;
  });
}

/**
 * Revokes a credential for good. Once more changes nothing, and says so to the object once more.
 *
 * @throws Refusal `NOT_FOUND`
 */
export function revokeCredential(env: Env, credentialId: string, now: Instant): Promise<StoredCredential> {
  return changeCredential(env, credentialId, (before) => revoked(before, now));
}

/**
 * Gives a credential a new token and key; the old ones pass for `overlapSeconds` more.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a revoked one
 */
export async function rotateCredential(
  env: Env,
  credentialId: string,
  overlapSeconds: number,
  now: Instant,
): Promise<CredentialWithPair> {
  const pair = await issuePair(credentialId, env.TOKEN_KEY);
  const { accessTokenHash, apiKeyHash } = pair;
  const stored = await changeCredential(env, credentialId, (before) => {
    requireNotRevoked(before);
    return {
      ...before,
      record: rotated(before.record, { accessTokenHash, apiKeyHash }, overlapSeconds, now),
    };
  });
  return { stored, pair };
}

/** @returns the tenant's number */
async function requireReferences(env: Env, named: Named): Promise<number> {
  const facts = await readReferences(env.DB, named);
  const issues = referenceIssues(named, facts);
  if (issues.length > 0 || facts.tenantId === null) {
    throw invalidRequest(issues);
  }
  return facts.tenantId;
}

/** A revoked credential stays as it was when it was revoked: no change and no new pair revives it. */
function requireNotRevoked({ record }: StoredCredential): void {
  if (record.revokedAt !== null) {
    throw invalidRequest([{ path: 'credential_id', message: IS_REVOKED }]);
  }
}

const IS_REVOKED = {
  en: 'the credential is revoked for good: issue a new one',
  it: 'la credenziale è revocata definitivamente: emetterne una nuova',
};
