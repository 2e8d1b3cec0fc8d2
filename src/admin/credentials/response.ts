import * as z from 'zod';
import { SCOPES } from '../../access/credential-record.ts';
import type { StoredCredential } from '../../access/stored-credential.ts';
import { OBJECT_LOCATIONS } from '../../db/schema/index.ts';
import type { Instant } from '../../domain/instant.ts';
import { code, count, name, utcDateTime } from '../../http/response-fields.ts';
import type { CredentialWithPair } from './manage-credentials.ts';
import { MAX_ALLOWLIST_ENTRIES, MAX_LISTED } from './request.ts';

/** An IPv6 address with its prefix. */
const MAX_ADDRESS_LENGTH = 100;
/** The form of a credential's id. */
export const CREDENTIAL_ID = /^[0-9a-f]{24}$/;
const credentialId = z.string().length(24).regex(CREDENTIAL_ID);
const STATUSES = ['active', 'expired', 'revoked'] as const;

/** At most `limit` calls in any `window_seconds`. */
export const rateLimit = z.object({ limit: count, window_seconds: count });

/**
 * A credential as the administrator sees it: no secret, no hash. Instants are in UTC, since it belongs to no time zone.
 */
export const credentialFields = z.object({
  credential_id: credentialId,
  tenant: code,
  name,
  status: z.enum(STATUSES),
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length),
  municipalities: z.array(code),
  ip_allowlist: z.array(z.string().max(MAX_ADDRESS_LENGTH)).max(MAX_ALLOWLIST_ENTRIES).nullable(),
  expires_at: utcDateTime.nullable(),
  rate_limit: rateLimit,
  historical_days_allowed: count.nullable(),
  source_code: code.nullable(),
  location: z.enum(OBJECT_LOCATIONS).nullable(),
  created_at: utcDateTime,
  revoked_at: utcDateTime.nullable(),
  overlap_ends_at: utcDateTime.nullable(),
});
export type CredentialFields = z.infer<typeof credentialFields>;

/** Issued or rotated: the only time that the access token and the API key are shown. */
export const issuedFields = credentialFields.extend({
  access_token: z
    .string()
    .length(129)
    .regex(/^pev_at_[0-9a-f]{24}_[0-9a-f]{64}_[0-9a-f]{32}$/),
  api_key: z
    .string()
    .length(129)
    .regex(/^pev_ak_[0-9a-f]{24}_[0-9a-f]{64}_[0-9a-f]{32}$/),
});
export type IssuedFields = z.infer<typeof issuedFields>;

export const listFields = z.object({
  credentials: z.array(credentialFields).max(MAX_LISTED),
  next_after: credentialId.nullable(),
});
export type ListFields = z.infer<typeof listFields>;

/** One call of the comparison of all credentials with their objects. */
export const reconcileFields = z.object({ checked: count, mended: count, done: z.boolean() });
export type ReconcileFields = z.infer<typeof reconcileFields>;

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

/** No older pair passes longer than the newest of them. */
function overlapEnd(
  { previous: [newest], revokedAt }: StoredCredential['record'],
  now: Instant,
): Instant | null {
  return newest && revokedAt === null && now < newest.passesUntil ? newest.passesUntil : null;
}

const utc = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());
