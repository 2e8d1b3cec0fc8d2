import type { Instant } from '../../domain/instant.ts';
import type { RatePolicy } from '../../domain/rate-window.ts';
import type { HashedPair } from '../../serving/access/credential-record.ts';
import type { StoredCredential } from '../../serving/access/stored-credential.ts';
import type { ChangeRequest, IssueRequest } from './contract.ts';

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
export function newCredential(
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
export function applyRequest(stored: StoredCredential, request: ChangeRequest): StoredCredential {
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
export function revokeStored(stored: StoredCredential, now: Instant): StoredCredential {
  const { record } = stored;
  return record.revokedAt === null ? { ...stored, record: { ...record, revokedAt: now } } : stored;
}

const valueOr = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value);

function rateOf(asked: { limit: number; window_seconds: number } | null): RatePolicy {
  return asked === null ? DEFAULT_RATE : { limit: asked.limit, windowSeconds: asked.window_seconds };
}
