import { changeInObject } from '../../access/credential-objects.ts';
import { type CredentialRecord, rotated, withAddedPair } from '../../access/credential-record.ts';
import type { StoredCredential } from '../../access/stored-credential.ts';
import { type IssuedPair, issuePair, newCredentialId } from '../../access/token.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { invalidRequest } from '../../errors/refusal.ts';
import { changeCredential, withRowTried } from './change-credential.ts';
import { readReferences } from './credentials-table.ts';
import { type Named, referenceIssues } from './references.ts';
import type { ChangeRequest, IssueRequest } from './request.ts';
import { changed, issued, revoked } from './stored-credential.ts';

/** A credential with the pair that it has just got: the one time that it is there to be shown. */
export interface CredentialWithPair {
  readonly stored: StoredCredential;
  readonly pair: IssuedPair;
}

/**
 * Issues a credential: its object holds it first, then its row is written.
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
  if (!(await changeInObject(env, null, stored))) {
    throw new Error('there is a credential of this id already');
  }
  return { stored: await withRowTried(env, stored), pair };
}

/**
 * Changes what a request names of a credential.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` for a revoked one, and for a name that stands for nothing
 */
export async function amendCredential(
  env: Env,
  credentialId: string,
  request: ChangeRequest,
): Promise<StoredCredential> {
  const amended = await changeCredential(env, credentialId, async (before) => {
    requireNotRevoked(before);
    if (request.municipalities !== undefined || request.source_code !== undefined) {
      await requireChangedReferences(env, before, request);
    }
    return changed(before, request);
  });
  return withRowTried(env, amended);
}

/**
 * Revokes a credential for good. Once more changes nothing, but has the row tried once more.
 *
 * @throws Refusal `NOT_FOUND`
 */
export async function revokeCredential(
  env: Env,
  credentialId: string,
  now: Instant,
): Promise<StoredCredential> {
  const after = await changeCredential(env, credentialId, (before) => revoked(before, now));
  return withRowTried(env, after);
}

/**
 * Gives a credential a new token and key; the old ones pass for `overlapSeconds` more. The new pair is added first, and
 * the old one is ended only when the object has said that the new one passes: broken off in between, the old one passes.
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
  const hashes = { accessTokenHash: pair.accessTokenHash, apiKeyHash: pair.apiKeyHash };
  const change = (step: (record: CredentialRecord) => CredentialRecord, known?: StoredCredential) =>
    changeCredential(
      env,
      credentialId,
      (before) => {
        requireNotRevoked(before);
        return { ...before, record: step(before.record) };
      },
      known,
    );
  const added = await change((record) => withAddedPair(record, hashes));
  const after = await change((record) => rotated(record, hashes, overlapSeconds, now), added);
  return { stored: await withRowTried(env, after), pair };
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

/** Municipalities that the request does not name, and that the database no longer knows, are not the request's mistake. */
async function requireChangedReferences(
  env: Env,
  { record: { credential } }: StoredCredential,
  { municipalities, source_code }: ChangeRequest,
): Promise<void> {
  const named = {
    tenant: credential.tenantCode,
    // In the order of the request, since the issues' paths count in it.
    municipalities: municipalities ?? credential.municipalities,
    sourceCode: source_code === undefined ? credential.sourceCode : source_code,
  };
  const facts = await readReferences(env.DB, named);
  const judged = { ...named, municipalities: municipalities ?? facts.municipalities };
  const issues = referenceIssues(judged, facts);
  if (issues.length > 0) {
    throw invalidRequest(issues);
  }
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
