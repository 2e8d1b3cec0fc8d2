import type { Instant } from '../../domain/instant.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import type { IssuedPair } from '../../serving/access/token.ts';
import type { CredentialFields, IssuedFields, OwnFields } from './contract.ts';

/** What is listed of a credential. */
export interface ListedCredential extends Omit<Credential, 'current' | 'previous'> {
  /** Until when the pair before the last rotation is accepted: no older one is accepted longer. Null: there is none. */
  readonly overlapEndsAt: Instant | null;
}

export const listed = ({ current: _, previous, ...credential }: Credential): ListedCredential => ({
  ...credential,
  overlapEndsAt: previous[0]?.passesUntil ?? null,
});

/** A credential as the administrator sees it. Instants are in UTC. */
export function presentCredential(credential: ListedCredential, now: Instant): CredentialFields {
  const { rate } = credential;
  return {
    credential_id: credential.credentialId,
    tenant: credential.tenantCode,
    name: credential.name,
    status: statusOf(credential, now),
    scopes: [...credential.scopes],
    municipalities: [...credential.municipalities],
    ip_allowlist: credential.ipAllowlist && [...credential.ipAllowlist],
    expires_at: utc(credential.expiresAt),
    rate_limit: { limit: rate.limit, window_seconds: rate.windowSeconds },
    historical_days_allowed: credential.historicalDaysAllowed,
    source_code: credential.sourceCode,
    areas: credential.areas && [...credential.areas],
    location: credential.location,
    created_at: new Date(credential.createdAt).toISOString(),
    revoked_at: utc(credential.revokedAt),
    overlap_ends_at: utc(overlapEnd(credential, now)),
  };
}

/** A credential with its new token and key. This is the only time that they can be shown. */
export const presentIssued = (
  credential: Credential,
  { accessToken, apiKey }: Pick<IssuedPair, 'accessToken' | 'apiKey'>,
  now: Instant,
): IssuedFields => ({
  ...presentCredential(listed(credential), now),
  access_token: accessToken,
  api_key: apiKey,
});

/** A credential as its holder sees it: without addresses, other pairs, or its past. */
export function presentOwn(credential: Credential, now: Instant): OwnFields {
  const { status, ip_allowlist, created_at, revoked_at, overlap_ends_at, ...own } = presentCredential(
    listed(credential),
    now,
  );
  return { credential: own };
}

/** The order is that of a call's refusals: a revoked credential is never merely expired. */
function statusOf({ revokedAt, expiresAt }: ListedCredential, now: Instant): CredentialFields['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** Null once it is over. */
const overlapEnd = ({ overlapEndsAt, revokedAt }: ListedCredential, now: Instant): Instant | null =>
  overlapEndsAt !== null && revokedAt === null && now < overlapEndsAt ? overlapEndsAt : null;

const utc = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());
