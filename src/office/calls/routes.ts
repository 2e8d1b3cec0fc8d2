import { refuse } from '../../base/errors/refusal.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { path } from '../../serving/middleware/parameters.ts';
import { presentCall } from '../administration/logged-call.ts';
import { readCall } from './calls-table.ts';
import { getCall } from './contract.ts';

/** Mounts the look-up of calls. */
export function callRoutes(app: App): void {
  app.get(
    getCall.path,
    logged(getCall),
    deadline(getCall.deadlineMs),
    administration(getCall.access),
    officer,
    path(getCall.pathParameters),
    async (c) => {
      const bounds = await c.get('bounds');
      const row = await readCall(c.env.DB, c.req.valid('param').request_id);
      if (row === null || !bounds.covers(row.tenant)) refuse('NOT_FOUND', { message: NO_CALL });
      return succeed(c, { call: presentCall(row) });
    },
  );
}

const NO_CALL = {
  en: 'The call log has no call with this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
