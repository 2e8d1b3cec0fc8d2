import type { Instant } from '../../domain/instant.ts';
import type { StoredCredential } from '../../serving/access/credential-record.ts';
import type { CredentialFields, IssuedFields, OwnFields, STATUSES } from './contract.ts';
import type { CredentialWithPair } from './manage-credentials.ts';

export function presentCredential(
  { record, name, createdAt, location }: StoredCredential,
  now: Instant,
): CredentialFields {
  const { credential, rate } = record;
  return {
    credential_id: credential.credentialId,
    tenant: credential.tenantCode,
    name,
    status: statusOf(record, now),
    scopes: [...credential.scopes],
    municipalities: [...credential.municipalities],
    ip_allowlist: record.ipAllowlist && [...record.ipAllowlist],
    expires_at: utc(record.expiresAt),
    rate_limit: { limit: rate.limit, window_seconds: rate.windowSeconds },
    historical_days_allowed: credential.historicalDaysAllowed,
    source_code: credential.sourceCode,
    areas: credential.areas && [...credential.areas],
    location,
    created_at: new Date(createdAt).toISOString(),
    revoked_at: utc(record.revokedAt),
    overlap_ends_at: utc(overlapEnd(record, now)),
  };
}

export function presentIssued({ stored, pair }: CredentialWithPair, now: Instant): IssuedFields {
  const { credential_id, ...fields } = presentCredential(stored, now);
  return { credential_id, access_token: pair.accessToken, api_key: pair.apiKey, ...fields };
}

/** A credential as its holder sees it: without addresses, other pairs, or its past. */
export function presentOwn(stored: StoredCredential, now: Instant): OwnFields {
  const { credential_id, name, tenant, municipalities, scopes, source_code, ...others } = presentCredential(
    stored,
    now,
  );
  const { areas, rate_limit, historical_days_allowed, expires_at, location } = others;
  return {
    credential: {
      ...{ credential_id, name, tenant, municipalities, scopes, source_code, areas },
      ...{ rate_limit, historical_days_allowed, expires_at, location },
    },
  };
}

/** The order is that of a call's refusals: a revoked credential is never merely expired. */
function statusOf(
  { revokedAt, expiresAt }: StoredCredential['record'],
  now: Instant,
): (typeof STATUSES)[number] {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** No older pair is accepted longer than the newest of them. */
function overlapEnd(
  { previous: [newest], revokedAt }: StoredCredential['record'],
  now: Instant,
): Instant | null {
  return newest && revokedAt === null && now < newest.passesUntil ? newest.passesUntil : null;
}

const utc = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());
