import { Hono } from 'hono';
import { IsolateMemory } from './access/isolate-memory.ts';
import { activeByAreaRoutes } from './active-by-area/route.ts';
import { callRoutes } from './admin/calls/route.ts';
import { configurationRoutes } from './admin/configuration/route.ts';
import { credentialRoutes } from './admin/credentials/route.ts';
import { CallLog } from './call-log/call-log.ts';
import { docsRoutes } from './docs/route.ts';
import { health } from './health.ts';
import type { AppEnv } from './http/context.ts';
import { answerError } from './http/envelope.ts';
import { methodNotAllowed } from './http/operation.ts';
import { Refusal } from './http/refusal.ts';
import { requestContext } from './http/request-context.ts';
import { importRoutes } from './imports/route.ts';
import { descriptionRoutes } from './openapi/route.ts';
import { plateCheckRoutes } from './plate-check/route.ts';
import { subscriptionOptionsRoutes } from './subscription-options/route.ts';

/**
 * The whole service as one Hono app, with a memory of its own: one an isolate.
 */
export function createApp(callLog = new CallLog()): Hono<AppEnv> {
  const memory = new IsolateMemory();
  const app = new Hono<AppEnv>();

  app.use(requestContext(callLog));
  app.onError((error, c) => answerError(c, error));
  app.notFound((c) => answerError(c, new Refusal('NOT_FOUND')));

  app.get('/health', health).all(methodNotAllowed('GET'));
  app.route('/', descriptionRoutes());
  app.route('/', docsRoutes());

  app.route('/', plateCheckRoutes(memory));
  app.route('/', subscriptionOptionsRoutes(memory));
  app.route('/', activeByAreaRoutes(memory));
  app.route('/', importRoutes(memory));
  app.route('/', configurationRoutes());
  app.route('/', credentialRoutes());
  app.route('/', callRoutes());

  return app;
}
