import { type CallSubject, withSubject } from '../../base/errors/call-subject.ts';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { officeScopeIn, type Scope, type StoredCredential } from '../../serving/access/credential-record.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import type { BoundedCallContext } from '../../serving/pipeline/reading.ts';
import type { AdminAction } from '../../storage/call-log/call-record.ts';
import { subjectOf } from '../administration/trail.ts';
import {
  CREDENTIAL_ID,
  changeRequest,
  credentialFields,
  credentialPath,
  issuedFields,
  issueRequest,
  type ListFields,
  type ListQuery,
  listFields,
  listQuery,
  ownFields,
  revokeRequest,
  rotateRequest,
} from './contract.ts';
import {
  changeCredential,
  issueCredential,
  revokeCredential,
  rotateCredential,
} from './manage-credentials.ts';
import { listCredentials, readCredential } from './managed-credentials-table.ts';
import { readOwnCredential } from './own-credential.ts';
import { presentCredential, presentIssued, presentOwn } from './present.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const CREDENTIAL = `${CREDENTIALS}/:credential_id`;

const OFFICE_CHANGES = { by: 'administrator', office: 'changes' } as const;

/** A change goes to the credential's object and to the database, and the administrator waits for both. */
const deadlineMs = 10_000;

/** Logs a write. The path may contain anything, even a token: logs only a text with the form of an id. */
const logAs = (action: AdminAction) => ({
  operation: 'admin' as const,
  action,
  target: ({ credential_id: id = '' }: Readonly<Record<string, string>>) =>
    CREDENTIAL_ID.test(id) ? id : null,
});

/** Issues a credential. This is the only time that its access token and API key are shown. */
export const issue = operation({
  deadlineMs,
  id: 'issueCredential',
  log: logAs('credential.issue'),
  method: 'POST',
  path: CREDENTIALS,
  body: { kind: 'json', schema: issueRequest, maxBytes: QUERY_BODY },
  answer: issuedFields,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED'],
  status: 201,
  access: OFFICE_CHANGES,
  handle: async ({ body }, { env, now, deadline, bounds }) => {
    requireGivable(body.scopes, bounds);
    const tenant = bounds.tenantOf(body.tenant);
    await bounds.requireMunicipalities(body.municipalities);
    return withSubject(subjectOf({ tenants: [tenant], municipalities: body.municipalities }), async () => {
      const issued = await deadline.race(issueCredential(env, tenant, body, now));
      return { answer: presentIssued(issued, now), ...subjectOfCredential(issued.stored) };
    });
  },
});

/** Lists credentials, page by page. */
export const list = operation({
  deadlineMs,
  id: 'listCredentials',
  method: 'GET',
  path: CREDENTIALS,
  query: listQuery,
  answer: listFields,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED'],
  access: { by: 'administrator', office: 'reads' },
  handle: async ({ query }, context) => ({ answer: await context.deadline.race(readPage(query, context)) }),
});

/** Changes the properties of a credential that the request has. */
export const change = operation({
  deadlineMs,
  id: 'changeCredential',
  log: logAs('credential.change'),
  method: 'PATCH',
  path: CREDENTIAL,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: changeRequest, maxBytes: QUERY_BODY },
  answer: credentialFields,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  access: OFFICE_CHANGES,
  handle: async ({ path, body }, { env, now, deadline, bounds }) => {
    requireGivable(body.scopes ?? [], bounds);
    await bounds.requireMunicipalities(body.municipalities ?? []);
    const stored = await deadline.race(changeCredential(env, bounds, path.credential_id, body));
    return { answer: presentCredential(stored, now), ...subjectOfCredential(stored) };
  },
});

/** Revokes a credential for good. */
export const revoke = operation({
  deadlineMs,
  id: 'revokeCredential',
  log: logAs('credential.revoke'),
  method: 'POST',
  path: `${CREDENTIAL}/revoke`,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: revokeRequest, maxBytes: QUERY_BODY, optional: true },
  answer: credentialFields,
  errors: ['NOT_FOUND'],
  // A stolen token must end, even if other parts fail.
  access: { ...OFFICE_CHANGES, whenDatabaseIsAway: 'go_on' },
  handle: async ({ path }, { env, now, deadline, bounds }) => {
    const stored = await deadline.race(revokeCredential(env, bounds, path.credential_id, now));
    return { answer: presentCredential(stored, now), ...subjectOfCredential(stored) };
  },
});

/** Gives a credential a new token and key. */
export const rotate = operation({
  deadlineMs,
  id: 'rotateCredential',
  log: logAs('credential.rotate'),
  method: 'POST',
  path: `${CREDENTIAL}/rotate`,
  pathParameters: credentialPath,
  body: { kind: 'json', schema: rotateRequest, maxBytes: QUERY_BODY, optional: true },
  answer: issuedFields,
  errors: ['NOT_FOUND'],
  access: OFFICE_CHANGES,
  handle: async ({ path, body }, { env, now, deadline, bounds }) => {
    const rotated = await deadline.race(
      rotateCredential(env, bounds, path.credential_id, body.overlap_seconds ?? 0, now),
    );
    return { answer: presentIssued(rotated, now), ...subjectOfCredential(rotated.stored) };
  },
});

/** Returns what a credential may do, for its holder: a device shows it during set-up. */
export const getOwnCredential = operation({
  id: 'getOwnCredential',
  method: 'GET',
  path: '/api/v2/credential',
  access: {
    by: 'credential',
    scope: null,
    budget: 'calls',
    tokenHeaders: 'all',
  },
  deadlineMs: 5_000,
  answer: ownFields,
  log: { operation: 'credential' },
  handle: async (_, context) => ({ answer: presentOwn(await readOwnCredential(context), context.now) }),
});

/** The credential that a call was about, with its tenant and municipality. */
function subjectOfCredential({ record: { credential } }: StoredCredential): CallSubject {
  return {
    target: credential.credentialId,
    ...subjectOf({ tenants: [credential.tenantCode], municipalities: credential.municipalities }),
  };
}

/** @throws Refusal `INVALID_REQUEST` for a scope that only the administrator gives */
function requireGivable(scopes: readonly Scope[], { mayChange }: Bounds): void {
  if (officeScopeIn(scopes) !== undefined && !mayChange('administrator')) {
    refuseFields([{ path: 'scopes', message: OFFICE_SCOPE }]);
  }
}

async function readPage(query: ListQuery, { env, now, bounds }: BoundedCallContext): Promise<ListFields> {
  const tenant = bounds.listedTenant(query.tenant);
  await bounds.requireMunicipalities(query.municipality_code === undefined ? [] : [query.municipality_code]);
  const last = query.after === undefined ? null : await readCredential(env.DB, query.after);
  if (query.after !== undefined && !(last && bounds.covers(last.record.credential.tenantCode))) {
    refuseFields([{ path: 'after', message: NO_CREDENTIAL }]);
  }
  const { page: stored, hasMore } = await listCredentials(env.DB, { ...query, tenant });
  return {
    credentials: stored.map((credential) => presentCredential(credential, now)),
    next_after: hasMore ? (stored.at(-1)?.record.credential.credentialId ?? null) : null,
  };
}

const OFFICE_SCOPE = {
  en: 'only the administrator gives the scopes office and office_read',
  it: "solo l'amministratore assegna gli scope office e office_read",
};
const NO_CREDENTIAL = {
  en: 'there is no credential with this id',
  it: 'non esiste una credenziale con questo identificativo',
};
