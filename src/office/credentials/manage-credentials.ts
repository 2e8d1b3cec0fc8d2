import { type Issue, refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import type { RatePolicy } from '../../domain/budget.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { changeInObject, writeRowOfObject } from '../../serving/access/credential-objects.ts';
import {
  AREA_SCOPES,
  type Credential,
  type CredentialRecord,
  type HashedPair,
  rotateToken,
  type StoredCredential,
  withAddedPair,
} from '../../serving/access/credential-record.ts';
import { type IssuedPair, issuePair, newCredentialId } from '../../serving/access/token.ts';
import { applyChange } from './apply-change.ts';
import type { ChangeRequest, IssueRequest } from './contract.ts';
import { readReferences } from './managed-credentials-table.ts';
import { type References, referenceIssues, roomIssues } from './references.ts';

/** Two calls a second: more than a busy gate needs. */
const DEFAULT_RATE: RatePolicy = { limit: 120, windowSeconds: 60 };
/** Enough to look into a disputed fine of yesterday, too little to track a person. */
const DEFAULT_HISTORICAL_DAYS = 1;

interface NewCredential {
  readonly credentialId: string;
  readonly tenant: { readonly id: number; readonly code: string };
  readonly pair: HashedPair;
  readonly now: Instant;
}

/** The credential that a request asks for, with its defaults. */
function newCredential(
  request: IssueRequest,
  { credentialId, tenant, pair, now }: NewCredential,
): StoredCredential {
  const withDefaults: StoredCredential = {
    name: request.name,
    createdAt: now,
    location: request.location ?? null,
    record: {
      credential: {
        credentialId,
        version: 1,
        tenantId: tenant.id,
        tenantCode: tenant.code,
        municipalities: request.municipalities,
        scopes: request.scopes,
        historicalDaysAllowed: DEFAULT_HISTORICAL_DAYS,
        sourceCode: null,
        areas: null,
      },
      ipAllowlist: null,
      expiresAt: null,
      revokedAt: null,
      rate: DEFAULT_RATE,
      current: { accessTokenHash: pair.accessTokenHash, apiKeyHash: pair.apiKeyHash },
      previous: [],
    },
  };
  return applyRequest(withDefaults, request);
}

/** The credential with the changes of a request: an absent property stays as it is, null resets it. */
function applyRequest(stored: StoredCredential, request: ChangeRequest): StoredCredential {
  const { record } = stored;
  const { credential } = record;
  return {
    ...stored,
    name: request.name ?? stored.name,
    record: {
      ...record,
      credential: {
        ...credential,
        municipalities: request.municipalities?.toSorted() ?? credential.municipalities,
        scopes: request.scopes ?? credential.scopes,
        historicalDaysAllowed: valueOr(request.historical_days_allowed, credential.historicalDaysAllowed),
        sourceCode: valueOr(request.source_code, credential.sourceCode),
        areas: request.areas === undefined ? credential.areas : (request.areas?.toSorted() ?? null),
      },
      ipAllowlist: valueOr(request.ip_allowlist, record.ipAllowlist),
      expiresAt: valueOr(request.expires_at, record.expiresAt),
      rate: request.rate_limit === undefined ? record.rate : rateOf(request.rate_limit),
    },
  };
}

/** The credential, revoked for good. If it was revoked before, it keeps that instant. */
function revokeStored(stored: StoredCredential, now: Instant): StoredCredential {
  const { record } = stored;
  return record.revokedAt === null ? { ...stored, record: { ...record, revokedAt: now } } : stored;
}

const valueOr = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value);

function rateOf(asked: { limit: number; window_seconds: number } | null): RatePolicy {
  return asked === null ? DEFAULT_RATE : { limit: asked.limit, windowSeconds: asked.window_seconds };
}

type Bound = Pick<Credential, 'municipalities' | 'scopes' | 'areas'>;

/**
 * Returns the issues of a credential that a request binds to areas, or whose areas it does not change. Each issue names the
 * property in the request.
 *
 * @param before the credential as it is; null for a new one
 * @param after the same with the request's changes
 */
function areaIssues(before: Bound | null, after: Bound, request: ChangeRequest): Issue[] {
  if (after.areas === null) {
    return [];
  }
  const givesAreas = request.areas !== undefined;
  const isOfOneCity = after.municipalities.length === 1;
  // The new city may use the same codes, for other areas.
  const losesCity = !givesAreas && before !== null && !isSameCity(before, after);
  return [
    ...(isOfOneCity && !losesCity
      ? []
      : [
          givesAreas
            ? { path: 'areas', message: SEVERAL_CITIES }
            : { path: 'municipalities', message: OTHER_CITY },
        ]),
    ...(after.scopes.every((scope) => AREA_SCOPES.includes(scope))
      ? []
      : [{ path: request.scopes === undefined ? 'areas' : 'scopes', message: OTHER_SCOPES }]),
  ];
}

const isSameCity = (before: Bound, after: Bound): boolean =>
  before.municipalities.length === after.municipalities.length &&
  before.municipalities.every((code) => after.municipalities.includes(code));

const NAMES = AREA_SCOPES.join(', ');

const SEVERAL_CITIES: Text = {
  en: 'a credential that is bound to areas has exactly one municipality',
  it: 'una credenziale limitata ad alcune aree ha esattamente un comune',
};
const OTHER_CITY: Text = {
  en: 'the credential is bound to areas of another municipality: give areas too, or null',
  it: 'la credenziale è limitata ad aree di un altro comune: indicare anche areas, o null',
};
const OTHER_SCOPES: Text = {
  en: `a credential that is bound to areas has only these scopes: ${NAMES}`,
  it: `una credenziale limitata ad alcune aree ha soltanto questi scope: ${NAMES}`,
};

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
  return { stored: await writeRowOfObject(env, stored), pair };
}

/**
 * Changes the properties of a credential that a request has. An empty request writes the row again, of a revoked credential
 * too: after a restore it may differ from the object.
 *
 * @throws Refusal `NOT_FOUND`; `INVALID_REQUEST` if it is revoked, or refers to something that does not exist
 */
export async function changeCredential(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  request: ChangeRequest,
): Promise<StoredCredential> {
  const isEmpty = Object.keys(request).length === 0;
  const after = await applyChange(env, bounds, credentialId, async (before) => {
    if (isEmpty) {
      return before;
    }
    requireNotRevoked(before);
    const changed = applyRequest(before, request);
    await requireChangedReferences(env, before, changed, request);
    return changed;
  });
  return writeRowOfObject(env, after);
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
  return writeRowOfObject(env, after);
}

/**
 * Gives a credential a new token and key; the old ones are accepted for `overlapSeconds` more. The new pair is added first,
 * and the old one is ended only once the object has confirmed the new one: if a failure comes in between, the old one still
 * works.
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
      (before) => {
        requireNotRevoked(before);
        return { ...before, record: step(before.record) };
      },
      lastHeld,
    );
  const added = await change((record) => withAddedPair(record, hashes));
  const after = await change((record) => rotateToken(record, hashes, overlapSeconds, now), added);
  return { stored: await writeRowOfObject(env, after), pair };
}

/**
 * @param others the other issues of the request
 * @returns the tenant's id in the database
 */
async function requireReferences(
  env: Env,
  references: References,
  others: readonly Issue[],
): Promise<number> {
  const facts = await readReferences(env.DB, references);
  const issues = [...others, ...referenceIssues(references, facts), ...roomIssues(facts)];
  if (issues.length > 0 || facts.tenantId === null) {
    refuseFields(issues);
  }
  return facts.tenantId;
}

/** Ignores municipalities that no longer exist if the request does not change them: they are not its mistake. */
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
    // As for municipalities: earlier bindings are not the request's mistake.
    areas: areas ?? [],
  };
  const facts = await readReferences(env.DB, references);
  const checked = { ...references, municipalities: municipalities ?? facts.municipalities };
  const issues = [...others, ...referenceIssues(checked, facts)];
  if (issues.length > 0) {
    refuseFields(issues);
  }
}

/** A revoked credential stays as it was when it was revoked: no change and no rotation brings it back. */
function requireNotRevoked(held: StoredCredential): void {
  if (held.record.revokedAt !== null) {
    refuseFields([{ path: 'credential_id', message: IS_REVOKED }]);
  }
}

const IS_REVOKED = {
  en: 'the credential has been revoked for good: issue a new one',
  it: 'la credenziale è revocata definitivamente: emetterne una nuova',
};
