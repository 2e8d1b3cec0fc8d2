import { ENVELOPE_WORDS, inEnvelope } from '../../openapi/envelope.ts';
import { input, output } from '../../openapi/words.ts';
import { credentialPath } from './operations.ts';
import {
  changeRequest,
  emptyRequest,
  issueRequest,
  listQuery,
  rateLimitRequest,
  rotateRequest,
} from './request.ts';
import { credentialFields, issuedFields, listFields, rateLimit, reconcileFields } from './response.ts';

const SETTING_WORDS = {
  name: 'A name for people. It has no effect.',
  scopes: 'The operations that it may call.',
  municipalities: 'Codes of municipalities of its own tenant.',
} as const;

const RATE_WORDS = {
  limit: 'The most calls in any window.',
  window_seconds: 'The length of the window, in seconds.',
} as const;

export const RATE_LIMIT = input(
  'RateLimitRequest',
  rateLimitRequest,
  'At most `limit` calls in any `window_seconds` seconds, for each of its budgets.',
  RATE_WORDS,
);

export const CREDENTIAL_ID = input('CredentialPath', credentialPath, 'Which credential.', {
  credential_id: 'The credential’s id.',
});

export const ISSUE = input('IssueRequest', issueRequest, 'What the new credential may do.', {
  tenant: 'The code of its tenant. It never changes.',
  ...SETTING_WORDS,
  ip_allowlist:
    'The IPv4 and IPv6 addresses, and CIDR blocks without host bits set, from which it may call. Null or absent: any address.',
  expires_at: 'ISO 8601 with offset. Null or absent: never.',
  rate_limit: 'Null or absent: 120 calls in 60 seconds.',
  historical_days_allowed: 'How many days back a plate check may look. Absent: 1. Null: no limit.',
  source_code:
    'The source that its imports are bound to: it may import only sessions of this source, and no subscriptions. Null or absent: any source.',
  location:
    'Where its Durable Object should live: a location hint of the platform, chosen near the callers. It never changes. Null or absent: near the first caller.',
});

export const CHANGE = input(
  'ChangeRequest',
  changeRequest,
  'What to change: an absent property stays as it is.',
  {
    ...SETTING_WORDS,
    ip_allowlist: 'Addresses and CIDR blocks. Null: any address.',
    expires_at: 'ISO 8601 with offset; it may lie in the past. Null: never.',
    rate_limit: 'Null: 120 calls in 60 seconds.',
    historical_days_allowed: 'Days. Null: no limit.',
    source_code: 'The source that its imports are bound to. Null: any source.',
  },
);

export const ROTATE = input('RotateRequest', rotateRequest, 'How to rotate.', {
  overlap_seconds:
    'For how many seconds the old pair stays valid, so that a fleet can be updated. Null or absent: 0.',
});

export const REVOKE = input('RevokeRequest', emptyRequest, 'An empty object, or no body at all.', {});

export const LIST_QUERY = input('CredentialListQuery', listQuery, 'Which credentials to list.', {
  tenant: 'Only credentials of this tenant.',
  municipality_code: 'Only credentials for this municipality.',
  limit: 'The most credentials on a page.',
  after: 'The `next_after` of the previous page.',
});

const CREDENTIAL_WORDS = {
  credential_id: 'Its id, which its token and key contain in plain text.',
  tenant: 'The code of its tenant.',
  ...SETTING_WORDS,
  status: 'Whether it is accepted. `revoked` takes precedence over `expired`.',
  ip_allowlist: 'The addresses from which it may call. Null: any address.',
  expires_at: 'When it expires, in UTC. Null: never.',
  rate_limit: 'At most `limit` calls in any `window_seconds` seconds.',
  historical_days_allowed: 'How many days back a plate check may look. Null: no limit.',
  source_code: 'The source that its imports are bound to. Null: any source.',
  location: 'The location hint of its Durable Object. Null: near the first caller.',
  created_at: 'When it was issued, in UTC.',
  revoked_at: 'When it was revoked, in UTC. Null: not revoked.',
  overlap_ends_at:
    'Until when a pair that was replaced by a rotation is still accepted, in UTC. Null: none is.',
} as const;

export const STORED_RATE_LIMIT = output(
  'CredentialRateLimit',
  rateLimit,
  'At most `limit` calls in any `window_seconds` seconds, for each of its budgets.',
  RATE_WORDS,
);

export const LISTED = output(
  'Credential',
  credentialFields,
  'A credential. It contains no secret.',
  CREDENTIAL_WORDS,
);

export const CREDENTIAL = output(
  'CredentialResponse',
  inEnvelope(credentialFields),
  'A credential. It contains no secret.',
  { ...ENVELOPE_WORDS, ...CREDENTIAL_WORDS },
);

export const ISSUED = output(
  'IssuedCredentialResponse',
  inEnvelope(issuedFields),
  'A credential with its new token and key. They are shown only this once: the service stores only their hashes.',
  {
    ...ENVELOPE_WORDS,
    ...CREDENTIAL_WORDS,
    access_token: 'To be sent in `Authorization: Bearer`, or in `X-Service-Token`.',
    api_key: 'To be sent in `X-Api-Key`.',
  },
);

export const RECONCILE = input('ReconcileRequest', emptyRequest, 'An empty object, or no body at all.', {});

export const RECONCILED = output(
  'ReconcileResponse',
  inEnvelope(reconcileFields),
  'How far the comparison of all credentials has got.',
  {
    ...ENVELOPE_WORDS,
    checked: 'How many credentials this call compared.',
    mended:
      'How many of them differed in the database from the credential’s Durable Object, and were corrected.',
    done: 'Whether all credentials have been compared. If not, call again.',
  },
);

export const LIST = output('CredentialListResponse', inEnvelope(listFields), 'A page of credentials.', {
  ...ENVELOPE_WORDS,
  credentials:
    'In the order in which they were issued; those issued in the same millisecond in the order of their ids.',
  next_after: 'The `after` of the next page. Null on the last page.',
});
