import { Hono } from 'hono';
import { every } from 'hono/combine';
import { jsonBody } from '../../http/body.ts';
import type { AppContext, AppEnv, AppMiddleware } from '../../http/context.ts';
import { answer } from '../../http/envelope.ts';
import { methodNotAllowed, operation } from '../../http/operation.ts';
import { invalidRequest } from '../../http/refusal.ts';
import { validated } from '../../http/validation.ts';
import { administrationExists, administrator } from '../administrator.ts';
import { amendCredential, issueCredential, revokeCredential, rotateCredential } from './administration.ts';
import { listCredentials, readCredential } from './credentials-table.ts';
import { reconcileCredentials } from './reconcile.ts';
import {
  changeRequest,
  emptyRequest,
  issueRequest,
  type ListQuery,
  listQuery,
  rotateRequest,
} from './request.ts';
import { type ListFields, presentCredential, presentIssued } from './response.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const RECONCILE = `${CREDENTIALS}/reconcile`;
const CREDENTIAL = `${CREDENTIALS}/:credential_id`;
/** A change goes to the credential's object, and to the database; the administrator waits for both. */
const WITHIN_MS = 10_000;

/** The credentials' administration: issue, list, change, revoke, rotate, reconcile. */
export function credentialRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const write = operation('admin', WITHIN_MS);
  routes.use(`${CREDENTIALS}/*`, administrationExists);

  routes
    .post(CREDENTIALS, write, administrator, jsonBody(), validated('json', issueRequest), async (c) => {
      const issued = await c.var.deadline.race(issueCredential(c.env, c.req.valid('json'), c.var.now));
      return answer(c, presentIssued(issued, c.var.now), 201);
    })
    .get(operation(null, WITHIN_MS), administrator, validated('query', listQuery), async (c) =>
      answer(c, await c.var.deadline.race(list(c, c.req.valid('query')))),
    )
    .all(methodNotAllowed('GET, POST'));

  routes
    .post(RECONCILE, write, administrator, noBody, async (c) =>
      answer(c, await c.var.deadline.race(reconcileCredentials(c.env, c.var.now))),
    )
    .all(methodNotAllowed('POST'));

  routes
    .patch(CREDENTIAL, write, administrator, jsonBody(), validated('json', changeRequest), async (c) => {
      const id = c.req.param('credential_id');
      const stored = await c.var.deadline.race(amendCredential(c.env, id, c.req.valid('json')));
      return answer(c, presentCredential(stored, c.var.now));
    })
    .all(methodNotAllowed('PATCH'));

  routes
    .post(`${CREDENTIAL}/revoke`, write, administrator, noBody, async (c) => {
      const id = c.req.param('credential_id');
      const stored = await c.var.deadline.race(revokeCredential(c.env, id, c.var.now));
      return answer(c, presentCredential(stored, c.var.now));
    })
    .all(methodNotAllowed('POST'));

  routes
    .post(
      `${CREDENTIAL}/rotate`,
      write,
      administrator,
      jsonBody(),
      validated('json', rotateRequest),
      async (c) => {
        const id = c.req.param('credential_id');
        const { overlap_seconds } = c.req.valid('json');
        const rotated = await c.var.deadline.race(rotateCredential(c.env, id, overlap_seconds, c.var.now));
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

/** For what needs no body; one that is there must be an empty object. */
const noBody: AppMiddleware = async (c, next) => {
  if (await c.var.deadline.race(isEmpty(c.req.raw.clone().body))) {
    await next();
  } else {
    await every(jsonBody(), validated('json', emptyRequest))(c, next);
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
