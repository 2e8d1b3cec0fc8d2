import { refuse } from '../../base/errors/refusal.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { presentCall } from '../administration/logged-call.ts';
import { readCall } from './calls-table.ts';
import { getCall } from './contract.ts';

/** Mounts the look-up of calls. */
export const callRoutes = (app: App): void =>
  serve(app, getCall, async (c) => {
    const bounds = await c.get('bounds');
    const row = await readCall(c.env.DB, c.req.valid('param').request_id);
    if (row === null || !bounds.covers(row.tenant)) refuse('NOT_FOUND', { message: NO_CALL });
    return succeed(c, { call: presentCall(row) });
  });

const NO_CALL = {
  en: 'The call log has no call with this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
