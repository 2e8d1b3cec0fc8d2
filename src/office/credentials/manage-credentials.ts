import { type Issue, refuseFields } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { changeInObject } from '../../serving/access/credential-objects.ts';
import { type CredentialRecord, rotateToken, withAddedPair } from '../../serving/access/credential-record.ts';
import type { StoredCredential } from '../../serving/access/stored-credential.ts';
import { type IssuedPair, issuePair, newCredentialId } from '../../serving/access/token.ts';
import { applyChange, writeRow } from './apply-change.ts';
import { areaIssues } from './area-issues.ts';
import type { ChangeRequest, IssueRequest } from './contract.ts';
import { readReferences } from './read-references.ts';
import { type References, referenceIssues, roomIssues } from './references.ts';
import { applyRequest, newCredential, revokeStored } from './requested-credential.ts';

/** A credential with its new token and key. This is the only time that they can be shown. */
export interface CredentialWithPair {
  readonly stored: StoredCredential;
  readonly pair: IssuedPair;
}

/**
 * Issues a credential: it is stored in its object first, then its row is written.
 *
 * @param tenant the code of its tenant
 * @throws Refusal `INVALID_REQUEST` if it refers to something that does not exist
 */
export async function issueCredential(
  env: Env,
  tenant: string,
  request: IssueRequest,
  now: Instant,
): Promise<CredentialWithPair> {
  const { municipalities, scopes, source_code: sourceCode = null, areas = null } = request;
  const id = await requireReferences(
    env,
    { tenant, municipalities, sourceCode, areas: areas ?? [] },
    areaIssues(null, { municipalities, scopes, areas }, request),
  );
  const credentialId = newCredentialId();
  const pair = await issuePair(credentialId, env.TOKEN_KEY);
  const stored = newCredential(request, { credentialId, tenant: { code: tenant, id }, pair, now });
  if (!(await changeInObject(env, null, stored))) {
    throw new Error('a credential with this id exists already');
  }
  return { stored: await writeRow(env, stored), pair };
}

/**
 * Changes the properties of a credential that a request has. The row is written even where nothing changes: after a restore
 * it may differ from the object.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` if it is revoked, or refers to something that does not exist
 */
export async function changeCredential(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  request: ChangeRequest,
): Promise<StoredCredential> {
  const after = await applyChange(env, bounds, credentialId, async (before) => {
    await requireNotRevoked(env, before);
    const changed = applyRequest(before, request);
    await requireChangedReferences(env, before, changed, request);
    return changed;
  });
  return writeRow(env, after);
}

/**
 * Revokes a credential for good. Repeating it changes nothing, but tries to write the row again.
 *
 * @throws Refusal `NOT_FOUND`
 */
export async function revokeCredential(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  now: Instant,
): Promise<StoredCredential> {
  const after = await applyChange(env, bounds, credentialId, (before) => revokeStored(before, now));
  return writeRow(env, after);
}

/**
 * Gives a credential a new token and key; the old ones are accepted for `overlapSeconds` more. The new pair is added
 * first, and the old one is ended only once the object has confirmed the new one: if this fails in between, the old one
 * still works.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` if it is revoked
 */
export async function rotateCredential(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  overlapSeconds: number,
  now: Instant,
): Promise<CredentialWithPair> {
  const pair = await issuePair(credentialId, env.TOKEN_KEY);
  const hashes = { accessTokenHash: pair.accessTokenHash, apiKeyHash: pair.apiKeyHash };
  const change = (step: (record: CredentialRecord) => CredentialRecord, lastHeld?: StoredCredential) =>
    applyChange(
      env,
      bounds,
      credentialId,
      async (before) => {
        await requireNotRevoked(env, before);
        return { ...before, record: step(before.record) };
      },
      lastHeld,
    );
  const added = await change((record) => withAddedPair(record, hashes));
  const after = await change((record) => rotateToken(record, hashes, overlapSeconds, now), added);
  return { stored: await writeRow(env, after), pair };
}

/**
 * @param others what else is wrong with the request
 * @returns the tenant's id in the database
 */
async function requireReferences(
  env: Env,
  references: References,
  others: readonly Issue[],
): Promise<number> {
  const facts = await readReferences(env, references);
  const issues = [...others, ...referenceIssues(references, facts), ...roomIssues(facts)];
  if (issues.length > 0 || facts.tenantId === null) {
    refuseFields(issues);
  }
  return facts.tenantId;
}

/** Municipalities that the request leaves as they are, and that no longer exist, are not the request's mistake. */
async function requireChangedReferences(
  env: Env,
  { record: { credential } }: StoredCredential,
  changed: StoredCredential,
  request: ChangeRequest,
): Promise<void> {
  const { municipalities, source_code, areas } = request;
  const others = areaIssues(credential, changed.record.credential, request);
  if (others.length === 0 && [municipalities, source_code, areas].every((given) => given === undefined)) {
    return;
  }
  const references = {
    tenant: credential.tenantCode,
    // In the order of the request, whose positions are in the paths of the issues.
    municipalities: municipalities ?? credential.municipalities,
    sourceCode: source_code === undefined ? credential.sourceCode : source_code,
    // As for municipalities: what it was bound to before is not the request's mistake.
    areas: areas ?? [],
  };
  const facts = await readReferences(env, references);
  const checked = { ...references, municipalities: municipalities ?? facts.municipalities };
  const issues = [...others, ...referenceIssues(checked, facts)];
  if (issues.length > 0) {
    refuseFields(issues);
  }
}

/**
 * A revoked credential stays as it was when it was revoked: no change and no rotation brings it back. Its row, which a
 * restored database may have as active, follows the object here too.
 */
async function requireNotRevoked(env: Env, held: StoredCredential): Promise<void> {
  if (held.record.revokedAt !== null) {
    await writeRow(env, held);
    refuseFields([{ path: 'credential_id', message: IS_REVOKED }]);
  }
}

const IS_REVOKED = {
  en: 'the credential has been revoked for good: issue a new one',
  it: 'la credenziale è revocata definitivamente: emetterne una nuova',
};
