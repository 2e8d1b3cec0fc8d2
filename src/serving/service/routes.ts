import { refuse } from '../../base/errors/refusal.ts';
import { sendFile, succeed } from '../answer.ts';
import type { App } from '../call.ts';
import { serve } from '../serve.ts';
import { description, health, ready } from './contract.ts';
import { Readiness } from './readiness.ts';

/** Mounts health, readiness and the description. */
export function serviceRoutes(app: App): void {
  serve(app, health, (c) => succeed(c, {}));

  serve(app, ready, async (c) => {
    const { failing, degraded } = await c.get('isolate').get(Readiness).find(c.env, c.get('now'));
    if (failing.length > 0) refuse('NOT_READY', { failing });
    return succeed(c, { ready: true, degraded });
  });

  serve(app, description, (c) => sendFile(c, '/openapi.json', 'application/json'));
}
