import { Hono } from 'hono';
import { every } from 'hono/combine';
import type { AdminAction } from '../../call-log/call-record.ts';
import { jsonBody } from '../../http/body.ts';
import type { AppContext, AppEnv, AppMiddleware } from '../../http/context.ts';
import { answer } from '../../http/envelope.ts';
import { methodNotAllowed, operation } from '../../http/operation.ts';
import { invalidRequest } from '../../http/refusal.ts';
import { validated } from '../../http/validation.ts';
import { administrationExists, administrator } from '../administrator.ts';
import { tellAbout } from '../trail.ts';
import { amendCredential, issueCredential, revokeCredential, rotateCredential } from './administration.ts';
import { listCredentials, readCredential } from './credentials-table.ts';
import {
  changeRequest,
  issueRequest,
  type ListQuery,
  listQuery,
  revokeRequest,
  rotateRequest,
} from './request.ts';
import { CREDENTIAL_ID, type ListFields, presentCredential, presentIssued } from './response.ts';
import type { StoredCredential } from './stored-credential.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const CREDENTIAL = `${CREDENTIALS}/:credential_id`;
/** A write goes to the database and to the credential's object; the administrator waits for both. */
const WITHIN_MS = 10_000;

/** The credentials' administration: issue, list, change, revoke, rotate. */
export function credentialRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const write = (action: AdminAction) => operation('admin', WITHIN_MS, action);
  routes.use(`${CREDENTIALS}/*`, administrationExists);

  routes
    .post(
      CREDENTIALS,
      write('credential.issue'),
      administrator,
      jsonBody(),
      validated('json', issueRequest),
      async (c) => {
        const request = c.req.valid('json');
        tellAbout(c.var.call, { tenants: [request.tenant], municipalities: request.municipalities });
        const issued = await c.var.deadline.race(issueCredential(c.env, request, c.var.now));
        tellCredential(c, issued.stored);
        return answer(c, presentIssued(issued, c.var.now), 201);
      },
    )
    .get(operation(null, WITHIN_MS), administrator, validated('query', listQuery), async (c) =>
      answer(c, await c.var.deadline.race(list(c, c.req.valid('query')))),
    )
    .all(methodNotAllowed('GET, POST'));

  routes
    .patch(
      CREDENTIAL,
      write('credential.change'),
      administrator,
      tellTarget,
      jsonBody(),
      validated('json', changeRequest),
      async (c) => {
        const id = c.req.param('credential_id');
        const stored = await c.var.deadline.race(amendCredential(c.env, id, c.req.valid('json')));
        tellCredential(c, stored);
        return answer(c, presentCredential(stored, c.var.now));
      },
    )
    .all(methodNotAllowed('PATCH'));

  routes
    .post(
      `${CREDENTIAL}/revoke`,
      write('credential.revoke'),
      administrator,
      tellTarget,
      revocationBody,
      async (c) => {
        const id = c.req.param('credential_id');
        const stored = await c.var.deadline.race(revokeCredential(c.env, id, c.var.now));
        tellCredential(c, stored);
        return answer(c, presentCredential(stored, c.var.now));
      },
    )
    .all(methodNotAllowed('POST'));

  routes
    .post(
      `${CREDENTIAL}/rotate`,
      write('credential.rotate'),
      administrator,
      tellTarget,
      jsonBody(),
      validated('json', rotateRequest),
      async (c) => {
        const id = c.req.param('credential_id');
        const { overlap_seconds } = c.req.valid('json');
        const rotated = await c.var.deadline.race(rotateCredential(c.env, id, overlap_seconds, c.var.now));
        tellCredential(c, rotated.stored);
        return answer(c, presentIssued(rotated, c.var.now));
      },
    )
    .all(methodNotAllowed('POST'));

  return routes;
}

async function list({ env, var: { now } }: AppContext, query: ListQuery): Promise<ListFields> {
  if (query.after !== undefined && (await readCredential(env.DB, query.after)) === null) {
    throw invalidRequest([{ path: 'after', message: NO_CREDENTIAL }]);
  }
  const { page, hasMore } = await listCredentials(env.DB, query);
  return {
    credentials: page.map((stored) => presentCredential(stored, now)),
    next_after: hasMore ? (page.at(-1)?.record.credential.credentialId ?? null) : null,
  };
}

/** Tells the call log which credential is meant. A path may hold anything, a token too: only what can be an id is kept. */
const tellTarget: AppMiddleware = async (c, next) => {
  const id = c.req.param('credential_id');
  c.var.call.target = id !== undefined && CREDENTIAL_ID.test(id) ? id : null;
  await next();
};

/** Tells the call log which credential it was, and whose. */
function tellCredential(c: AppContext, { record: { credential } }: StoredCredential): void {
  c.var.call.target = credential.credentialId;
  tellAbout(c.var.call, { tenants: [credential.tenantCode], municipalities: credential.municipalities });
}

/** A revocation needs no body; one that is there must be an empty object. */
const revocationBody: AppMiddleware = async (c, next) => {
  if (await c.var.deadline.race(isEmpty(c.req.raw.clone().body))) {
    await next();
  } else {
    await every(jsonBody(), validated('json', revokeRequest))(c, next);
  }
};

/** One that breaks off is not: whoever reads it in earnest says so. */
async function isEmpty(body: ReadableStream | null): Promise<boolean> {
  const reader = body?.getReader();
  const first = await reader?.read().catch(() => BROKEN_OFF);
  // Not waited for: the other half of a cloned stream is still to be read, and may break off.
  reader?.cancel().catch(() => {});
  return first === undefined || first.done;
}

const BROKEN_OFF = { done: false };

const NO_CREDENTIAL = {
  en: 'there is no credential of this id',
  it: 'non esiste una credenziale con questo identificativo',
};
