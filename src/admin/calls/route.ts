import { Hono } from 'hono';
import type { AppContext, AppEnv } from '../../http/context.ts';
import { answer } from '../../http/envelope.ts';
import { methodNotAllowed, operation } from '../../http/operation.ts';
import { Refusal } from '../../http/refusal.ts';
import { administrationExists, administrator } from '../administrator.ts';
import { readCall } from './calls-table.ts';
import { presentCall } from './response.ts';

const CALL = '/api/v2/admin/calls/:request_id';
const WITHIN_MS = 5_000;

/** The call log's look-up: what became of the call with this `request_id`. */
export function callRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use(CALL, administrationExists)
    .get(CALL, operation(null, WITHIN_MS), administrator, (c) =>
      c.var.deadline.race(lookUp(c, c.req.param('request_id'))),
    )
    .all(CALL, methodNotAllowed('GET'));
}

async function lookUp(c: AppContext, requestId: string) {
  const row = await readCall(c.env.DB, requestId);
  if (row === null) {
    throw new Refusal('NOT_FOUND', { message: NO_CALL });
  }
  return answer(c, { call: presentCall(row) });
}

const NO_CALL = {
  en: 'The call log has no call of this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
