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
  name: 'For people alone.',
  scopes: 'The operations that it may call.',
  municipalities: 'Codes of municipalities of its own tenant.',
} as const;

const RATE_WORDS = { limit: 'Calls …', window_seconds: '… in any window of so many seconds.' } as const;

export const RATE_LIMIT = input(
  'RateLimitRequest',
  rateLimitRequest,
  'At most `limit` calls in any `window_seconds`, of each of its budgets.',
  RATE_WORDS,
);

export const CREDENTIAL_ID = input('CredentialPath', credentialPath, 'Which credential.', {
  credential_id: 'The credential’s id.',
});

export const ISSUE = input('IssueRequest', issueRequest, 'What the new credential may do.', {
  tenant: 'The code of its tenant. It never changes.',
  ...SETTING_WORDS,
  ip_allowlist:
    'IPv4 and IPv6 addresses, and CIDR blocks without host bits set, from which it may call. Null or absent: any.',
  expires_at: 'ISO 8601 with offset. Null or absent: never.',
  rate_limit: 'Null or absent: 120 calls in 60 seconds.',
  historical_days_allowed: 'How many days back a plate check may ask. Absent: 1. Null: no bound.',
  source_code:
    'The source that its session imports are bound to: it imports nothing else, subscriptions neither. Null or absent: any.',
  location:
    'Where its object is to live, near its callers: a location hint of the platform. It never changes. Null or absent: near its first caller.',
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
    historical_days_allowed: 'Days. Null: no bound.',
    source_code: 'The source that its session imports are bound to. Null: any.',
  },
);

export const ROTATE = input('RotateRequest', rotateRequest, 'How to rotate.', {
  overlap_seconds: 'So long the old pair passes too, that a fleet can be moved. Null or absent: 0.',
});

export const REVOKE = input(
  'RevokeRequest',
  emptyRequest,
  'Nothing: an empty object, or no body at all.',
  {},
);

export const LIST_QUERY = input('CredentialListQuery', listQuery, 'Which credentials to list.', {
  tenant: 'Only credentials of this tenant.',
  municipality_code: 'Only credentials for this municipality.',
  limit: 'How many a page has at most.',
  after: 'The `next_after` of the page before.',
});

const CREDENTIAL_WORDS = {
  credential_id: 'Named in clear by its token and its key.',
  tenant: 'The code of its tenant.',
  ...SETTING_WORDS,
  status: 'Whether it passes. A revoked one is never merely expired.',
  ip_allowlist: 'The addresses from which it may call. Null: any.',
  expires_at: 'In UTC. Null: never.',
  rate_limit: 'At most `limit` calls in any `window_seconds`.',
  historical_days_allowed: 'How many days back a plate check may ask. Null: no bound.',
  source_code: 'The source that its session imports are bound to. Null: any.',
  location: 'Where its object was asked to live. Null: near its first caller.',
  created_at: 'In UTC.',
  revoked_at: 'In UTC. Null: not revoked.',
  overlap_ends_at: 'Until then a pair that was rotated away passes too; null when none does. In UTC.',
} as const;

export const STORED_RATE_LIMIT = output(
  'CredentialRateLimit',
  rateLimit,
  'At most `limit` calls in any `window_seconds`, of each of its budgets.',
  RATE_WORDS,
);

export const LISTED = output(
  'Credential',
  credentialFields,
  'A credential. No secret is in it.',
  CREDENTIAL_WORDS,
);

export const CREDENTIAL = output(
  'CredentialResponse',
  inEnvelope(credentialFields),
  'A credential. No secret is in it.',
  { ...ENVELOPE_WORDS, ...CREDENTIAL_WORDS },
);

export const ISSUED = output(
  'IssuedCredentialResponse',
  inEnvelope(issuedFields),
  'A credential with its new token and key: the one time that they are shown. Only hashes are stored.',
  {
    ...ENVELOPE_WORDS,
    ...CREDENTIAL_WORDS,
    access_token: 'Goes into `Authorization: Bearer`, or `X-Service-Token`.',
    api_key: 'Goes into `X-Api-Key`.',
  },
);

export const RECONCILE = input(
  'ReconcileRequest',
  emptyRequest,
  'Nothing: an empty object, or no body at all.',
  {},
);

export const RECONCILED = output(
  'ReconcileResponse',
  inEnvelope(reconcileFields),
  'How far the comparison of all credentials has come.',
  {
    ...ENVELOPE_WORDS,
    checked: 'Credentials that this call has compared.',
    mended: 'Those of them of which the database said something else than the credential’s object.',
    done: 'Whether all have been compared. If not, call again.',
  },
);

export const LIST = output('CredentialListResponse', inEnvelope(listFields), 'A page of credentials.', {
  ...ENVELOPE_WORDS,
  credentials: 'In the order in which they were issued; those of one millisecond in the order of their ids.',
  next_after: '`after` of the next page; null on the last.',
});
