import { Hono } from 'hono';
import { activeByAreaRoutes } from './core/active-by-area/routes.ts';
import { plateCheckRoutes } from './core/plate-check/routes.ts';
import { subscriptionOptionsRoutes } from './core/subscription-options/routes.ts';
import { publicOccupancyRoutes } from './public/occupancy/routes.ts';
import type { App, AppEnv } from './serving/call.ts';
import { begin, beginCall, Isolate } from './serving/middleware/begin.ts';
import { callLog } from './serving/middleware/call-log.ts';
import { methodNotAllowed, notFound, onError } from './serving/middleware/on-error.ts';
import { serviceRoutes } from './serving/service/routes.ts';
import { CallLog } from './storage/call-log/call-log.ts';

/** A feature mounts its own routes. */
type Routes = (app: App) => void;

/**
 * What nobody waits for at a barrier or a meter: the first call below one of the paths loads its module, which exports nothing but
 * its routes.
 */
const LOADED_WHEN_CALLED: readonly (readonly [() => Promise<Record<string, Routes>>, ...string[]])[] = [
  [() => import('./field/patrol/routes.ts'), '/api/v2/patrol/*'],
  [() => import('./field/entitlement-list/routes.ts'), '/api/v2/facilities/*'],
  [() => import('./office/evidence/routes.ts'), '/api/v2/evidence/*'],
  [
    () => import('./core/payments/routes.ts'),
    '/api/v2/parking-meters/subscription-payments/*',
    '/api/v2/admin/payments/*',
  ],
  [() => import('./intake/imports/routes.ts'), '/api/v2/imports/*'],
  [() => import('./office/configuration/routes.ts'), '/api/v2/admin/configuration'],
  [() => import('./office/credentials/routes.ts'), '/api/v2/admin/credentials/*', '/api/v2/credential'],
  [() => import('./office/calls/routes.ts'), '/api/v2/admin/calls/*'],
  [() => import('./office/export/routes.ts'), '/api/v2/admin/plates/export'],
  [() => import('./office/erasure/routes.ts'), '/api/v2/admin/plates/erase'],
  [() => import('./office/subscriptions/routes.ts'), '/api/v2/admin/subscriptions/*'],
  [() => import('./office/watch/routes.ts'), '/api/v2/admin/status'],
  [() => import('./upkeep/backup/routes.ts'), '/api/v2/admin/municipalities/*'],
  [
    () => import('./public/pages/routes.ts'),
    ...['/', '/board', '/office', '/cities/*', '/embed/*', '/docs/*', '/pages/*', '/widget/*'],
  ],
];

/** The whole service as one Hono app, with what an isolate keeps between calls. */
export function createApp(callRows = new CallLog()): App {
  const isolate = new Isolate();
  const app = new Hono<AppEnv>();
  // Before the chain: what is loaded has a chain of its own, and no call should pass two.
  for (const [load, ...paths] of LOADED_WHEN_CALLED) {
    let loaded: App | undefined;
    for (const path of paths) {
      app.all(path, async (c) => {
        loaded ??= chained(new Hono<AppEnv>(), isolate, callRows, ...Object.values(await load()));
        return loaded.fetch(c.req.raw, c.env, c.executionCtx);
      });
    }
  }
  return chained(
    app,
    isolate,
    callRows,
    plateCheckRoutes,
    subscriptionOptionsRoutes,
    activeByAreaRoutes,
    publicOccupancyRoutes,
    serviceRoutes,
  );
}

/** The chain that every call passes, outermost first, and the routes behind it. */
function chained(app: App, isolate: Isolate, callRows: CallLog, ...routes: readonly Routes[]): App {
  app.use(begin(isolate), callLog(callRows), methodNotAllowed(app));
  app.notFound(notFound);
  app.onError((error, c) => {
    // A module that could not be loaded: the chain has not begun.
    if (c.get('requestId') === undefined) beginCall(c, isolate);
    return onError(error, c);
  });
  for (const mount of routes) mount(app);
  return app;
}
