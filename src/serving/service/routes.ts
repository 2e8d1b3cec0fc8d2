import { refuse } from '../../base/errors/refusal.ts';
import { sendFile, succeed } from '../answer.ts';
import type { App } from '../call.ts';
import { cors } from '../middleware/cors.ts';
import { deadline } from '../middleware/deadline.ts';
import { description, health, ready } from './contract.ts';
import { Readiness } from './readiness.ts';

/** Mounts health, readiness and the description. */
export function serviceRoutes(app: App): void {
  app.get(health.path, (c) => succeed(c, {}));

  app.get(ready.path, deadline(ready.deadlineMs), async (c) => {
    const { failing, degraded } = await c.get('isolate').get(Readiness).find(c.env, c.get('now'));
    if (failing.length > 0) refuse('NOT_READY', { failing });
    return succeed(c, { ready: true, degraded });
  });

  app.use(description.path, cors(description));
  app.get(description.path, deadline(description.deadlineMs), (c) =>
    sendFile(c, '/openapi.json', 'application/json'),
  );
}
