import * as z from 'zod';
import { SCOPES } from '../../access/credential-record.ts';
import type { Instant } from '../../domain/instant.ts';
import type { CredentialWithPair } from './administration.ts';
import type { StoredCredential } from './stored-credential.ts';

const STATUSES = ['active', 'expired', 'revoked'] as const;

/** A credential as the administrator sees it: no secret, no hash. Times are in UTC, since it has no municipality's zone. */
export const credentialFields = z.object({
  credential_id: z.string(),
  tenant: z.string(),
  name: z.string(),
  status: z.enum(STATUSES),
  scopes: z.array(z.enum(SCOPES)),
  municipalities: z.array(z.string()),
  ip_allowlist: z.array(z.string()).nullable(),
  expires_at: z.iso.datetime().nullable(),
  rate_limit: z.object({ limit: z.int(), window_seconds: z.int() }),
  historical_days_allowed: z.int().nullable(),
  source_code: z.string().nullable(),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().nullable(),
  overlap_ends_at: z.iso
    .datetime()
    .nullable()
    .describe('Until then a pair rotated away passes too; null when none does.'),
});
export type CredentialFields = z.infer<typeof credentialFields>;

/** Issued or rotated: the one time that the access token and the API key are shown. */
export const issuedFields = credentialFields.extend({ access_token: z.string(), api_key: z.string() });
export type IssuedFields = z.infer<typeof issuedFields>;

export const listFields = z.object({
  credentials: z.array(credentialFields),
  next_after: z.string().nullable().describe('`after` of the next page; null on the last.'),
});
export type ListFields = z.infer<typeof listFields>;

export function presentCredential(
  { record, name, createdAt }: StoredCredential,
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
