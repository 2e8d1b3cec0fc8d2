import * as z from 'zod';
import { EACH_ONCE, hasNoRepetition, instantText, line, params } from '../../base/forms/fields.ts';
import { isAllowlistEntry } from '../../serving/access/ip-allowlist.ts';
import { SCOPES } from '../../serving/access/scopes.ts';
import { optionalStoredCode, storedCode } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { code, count, MAX_CODES, name, openCode, utcDateTime } from '../../serving/http/response-fields.ts';
import type { AdminAction } from '../../storage/call-log/operation-names.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { OBJECT_LOCATIONS } from '../../storage/db/schema/index.ts';

/** Each entry is compared at every call of the credential. */
const MAX_ALLOWLIST_ENTRIES = 1_000;
/** A barrier has one area, an officer a quarter of a city. */
const MAX_BOUND_AREAS = 200;

const NO_ALLOWLIST_ENTRY = params(
  'must be an IPv4 or IPv6 address, or a CIDR block without host bits set',
  'deve essere un indirizzo IPv4 o IPv6, o un blocco CIDR senza bit di host',
);

/** A list without repetitions, of one item or more. */
const uniqueList = <Item extends z.ZodType<string>>(item: Item, most: number) =>
  z.array(item).min(1).max(most).refine(hasNoRepetition, EACH_ONCE).meta({ uniqueItems: true });

const rateLimit = {
  limit: z.int().min(1).max(10_000).describe('Maximum calls in any window.'),
  window_seconds: z.int().min(1).max(3_600).describe('The window, in seconds.'),
};
const RATE_LIMIT = 'Each budget of the credential has `limit` calls in any `window_seconds` seconds.';

const MAX_LISTED = 200;

const required = {
  name: line(NAME_LENGTH).describe('A name for people. It has no effect.'),
  scopes: uniqueList(z.enum(SCOPES), SCOPES.length).describe('The operations that it may call.'),
  // Its object holds them all, and reads them at every call.
  municipalities: uniqueList(storedCode(), 200).describe('Codes of municipalities of its tenant.'),
};

const optional = {
  ip_allowlist: z
    .array(z.string().trim().refine(isAllowlistEntry, NO_ALLOWLIST_ENTRY))
    .min(1)
    .max(MAX_ALLOWLIST_ENTRIES)
    .nullish()
    .describe('Addresses, and CIDR blocks without host bits, from which it may call. Null: any address.'),
  expires_at: instantText.nullish().describe('When it expires, in ISO 8601 with offset. Null: never.'),
  rate_limit: z
    .strictObject(rateLimit)
    .meta({ id: 'RateLimitRequest', description: RATE_LIMIT })
    .nullish()
    .describe('Null: 120 calls in 60 seconds.'),
  historical_days_allowed: z
    .int()
    .min(0)
    // More days than any archive holds.
    .max(1_000_000)
    .nullish()
    .describe('How many days back it may look, plus five minutes. Null: no limit.'),
  source_code: storedCode()
    .nullish()
    .describe('The only source that it may import, and no subscriptions. Null: any source.'),
  areas: uniqueList(storedCode(), MAX_BOUND_AREAS)
    .nullish()
    .describe(
      'The only areas of its one municipality that it may ask about; with the scopes `plate_check`, `entitlement_list` and `patrol` alone. Null: all.',
    ),
};

export const issueRequest = z
  .strictObject({
    tenant: optionalStoredCode().describe(
      'The code of its tenant, which cannot change. Null, blank or absent, for an office: its own.',
    ),
    ...required,
    ...optional,
    location: z
      .enum(OBJECT_LOCATIONS)
      .nullish()
      .describe('Where its Durable Object lives: a hint that cannot change. Null: near the first caller.'),
  })
  .meta({ id: 'IssueRequest', description: 'An absent property is null, `historical_days_allowed` 1.' });

/** Anything but its tenant and, since an object never moves, its location. */
const changeRequest = z
  .strictObject({ ...required, ...optional })
  .partial()
  .meta({ id: 'ChangeRequest', description: 'Properties to change. An absent property keeps its value.' });

export const rotateRequest = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      // A week: enough time to update a fleet.
      .max(604_800)
      .nullish()
      // A day: a lost answer locks nobody out.
      .transform((seconds) => seconds ?? 86_400)
      .describe('How many seconds the old pair passes too. Null or absent: a day. 0 after a leak.'),
  })
  .meta({ id: 'RotateRequest', description: 'The options of a rotation.' });

const revokeRequest = z.strictObject({}).meta({ id: 'RevokeRequest', description: 'Empty, or no body.' });

/** Any text. A text that is not a credential's id is a 404. */
const credentialPath = z.object({
  credential_id: z.string().meta({ maxLength: 100 }).describe('The credential’s id.'),
});

export const listQuery = z.strictObject({
  tenant: storedCode().optional().describe('Only credentials of this tenant.'),
  municipality_code: storedCode().optional().describe('Only credentials for this municipality.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LISTED)
    .default(100)
    .describe('Maximum credentials per page.'),
  after: storedCode().optional().describe('The `next_after` of the previous page.'),
});

/** An IPv6 address with its prefix. */
const MAX_ADDRESS_LENGTH = 100;
/** The form of a credential's id. */
const CREDENTIAL_ID = /^[0-9a-f]{24}$/;
const credentialId = z.string().length(24).regex(CREDENTIAL_ID);

/**
 * A credential as the administrator sees it: no secret, no hash. Instants are in UTC, since it belongs to no time zone.
 */
const fields = z.object({
  credential_id: credentialId.describe('Its id, which its token and key contain in plain text.'),
  tenant: code.describe('The code of its tenant.'),
  name: name.describe('A name for people. It has no effect.'),
  status: z
    .enum(['active', 'expired', 'revoked'])
    .describe('Whether it is accepted. `revoked` takes precedence over `expired`.'),
  scopes: z.array(openCode(SCOPES)).max(MAX_CODES).describe('The operations that it may call.'),
  municipalities: z.array(code).describe('Codes of municipalities of its tenant.'),
  ip_allowlist: z
    .array(z.string().max(MAX_ADDRESS_LENGTH))
    .max(MAX_ALLOWLIST_ENTRIES)
    .nullable()
    .describe('The addresses from which it may call. Null: any address.'),
  expires_at: utcDateTime.nullable().describe('When it expires, in UTC. Null: never.'),
  rate_limit: z
    .object(rateLimit)
    .meta({ id: 'CredentialRateLimit', description: RATE_LIMIT })
    .describe('The calls of each of its budgets.'),
  historical_days_allowed: count
    .nullable()
    .describe('How many days back it may look, plus five minutes. Null: no limit.'),
  source_code: code.nullable().describe('The source that its imports are bound to. Null: any source.'),
  areas: z
    .array(code)
    .max(MAX_BOUND_AREAS)
    .nullable()
    .describe('The only areas of its municipality that it may ask about. Null: all.'),
  location: z
    .enum(OBJECT_LOCATIONS)
    .nullable()
    .describe('The location hint of its Durable Object. Null: near the first caller.'),
  created_at: utcDateTime.describe('When it was issued, in UTC.'),
  revoked_at: utcDateTime.nullable().describe('When it was revoked, in UTC. Null: not revoked.'),
  overlap_ends_at: utcDateTime
    .nullable()
    .describe('Until when the pair before the last rotation is accepted, in UTC. Null: it is not.'),
});

const NO_SECRET = 'A credential. It contains no secret.';
const credentialFields = fields.meta({ id: 'CredentialResponse', description: NO_SECRET });

const secret = (kind: 'at' | 'ak') =>
  z.string().regex(new RegExp(`^pev_${kind}_[0-9a-f]{24}_[0-9a-f]{64}_[0-9a-f]{32}$`));

/** Issued or rotated: the only time that the access token and the API key are shown. */
const issuedFields = fields
  .extend({
    access_token: secret('at').describe('Send it in `Authorization: Bearer` or `X-Service-Token`.'),
    api_key: secret('ak').describe('Send it in `X-Api-Key`.'),
  })
  .meta({
    id: 'IssuedCredentialResponse',
    description: 'A credential with its new token and key, which are shown only once.',
  });

/** A credential as its holder sees it: what a device shows when it is set up. */
export const ownFields = z
  .object({
    credential: fields
      .omit({ status: true, ip_allowlist: true, created_at: true, revoked_at: true, overlap_ends_at: true })
      .describe('The credential of the call.'),
  })
  .meta({ id: 'OwnCredentialResponse', description: NO_SECRET });

const listFields = z
  .object({
    credentials: z
      .array(fields.meta({ id: 'Credential', description: NO_SECRET }))
      .max(MAX_LISTED)
      .describe('By the time of issue, then by id.'),
    next_after: credentialId.nullable().describe('The `after` of the next page. Null on the last page.'),
  })
  .meta({ id: 'CredentialListResponse', description: 'A page of credentials.' });

export type IssueRequest = z.infer<typeof issueRequest>;
export type ChangeRequest = z.infer<typeof changeRequest>;
export type ListQuery = z.infer<typeof listQuery>;
export type CredentialFields = z.infer<typeof credentialFields>;
export type OwnFields = z.infer<typeof ownFields>;
export type IssuedFields = z.infer<typeof issuedFields>;

const CREDENTIALS = '/api/v2/admin/credentials';
const CREDENTIAL = `${CREDENTIALS}/:credential_id`;

/** A change goes to the credential's object and to the database, and the administrator waits for both. */
const deadlineMs = 10_000;
/** A change of a credential. */
const changes = {
  deadlineMs,
  access: { by: 'administrator', office: 'changes' },
  answer: credentialFields,
  errors: ['NOT_FOUND'],
} as const;

/** Logs a write. The path may contain anything, even a token: logs only a text with the form of an id. */
const logAs = (action: AdminAction) => ({
  operation: 'admin' as const,
  action,
  target: ({ credential_id: id = '' }: Readonly<Record<string, string>>) =>
    CREDENTIAL_ID.test(id) ? id : null,
});

/** Issues a credential. This is the only time that its access token and API key are shown. */
export const issue = {
  ...changes,
  id: 'issueCredential',
  log: logAs('credential.issue'),
  method: 'POST',
  path: CREDENTIALS,
  body: { kind: 'json', schema: issueRequest, maxBytes: QUERY_BODY },
  answer: issuedFields,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED'],
  status: 201,
} as const satisfies Contract;

/** Lists credentials, page by page. */
export const list = {
  deadlineMs,
  id: 'listCredentials',
  method: 'GET',
  path: CREDENTIALS,
  query: listQuery,
  answer: listFields,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED'],
  access: { by: 'administrator', office: 'reads' },
} as const satisfies Contract;

/** Changes the properties of a credential that the request has. */
export const change = {
  ...changes,
  id: 'changeCredential',
  log: logAs('credential.change'),
  method: 'PATCH',
  path: CREDENTIAL,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: changeRequest, maxBytes: QUERY_BODY },
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
} as const satisfies Contract;

/** Revokes a credential for good. */
export const revoke = {
  ...changes,
  id: 'revokeCredential',
  log: logAs('credential.revoke'),
  method: 'POST',
  path: `${CREDENTIAL}/revoke`,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: revokeRequest, maxBytes: QUERY_BODY, optional: true },
} as const satisfies Contract;

/** Gives a credential a new token and key. */
export const rotate = {
  ...changes,
  id: 'rotateCredential',
  log: logAs('credential.rotate'),
  method: 'POST',
  path: `${CREDENTIAL}/rotate`,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: rotateRequest, maxBytes: QUERY_BODY, optional: true },
  answer: issuedFields,
} as const satisfies Contract;

/** Returns what a credential may do, for its holder: a device shows it during set-up. */
export const getOwnCredential = {
  id: 'getOwnCredential',
  method: 'GET',
  path: '/api/v2/credential',
  access: { by: 'credential', scope: null, budget: 'calls', tokenHeaders: 'all' },
  deadlineMs: 5_000,
  answer: ownFields,
  log: { operation: 'credential' },
} as const satisfies Contract;
