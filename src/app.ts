import type { Hono } from 'hono';
import { Isolate } from './base/platform/isolate.ts';
import { OPERATIONS } from './operations.ts';
import type { AppEnv } from './serving/pipeline/call.ts';
import { Pipeline } from './serving/pipeline/pipeline.ts';
import { loadedOnCall, routesOf } from './serving/pipeline/routes.ts';
import { CallLog } from './storage/call-log/call-log.ts';

/** The paths of the pages, and of all that they load. */
const PAGES = ['/', '/board', '/cities/*', '/embed/*', '/docs/*', '/pages/*', '/widget/*'];

/** The whole service as one Hono app, with what an isolate keeps between calls. */
export function createApp(callLog = new CallLog()): Hono<AppEnv> {
  const pipeline = new Pipeline(callLog, new Isolate());
  const app = routesOf(OPERATIONS, pipeline);
  const loadPages = loadedOnCall(async () => {
    const { pagesOf } = await import('./public/pages/pages.ts');
    return pagesOf(pipeline);
  });
  for (const path of PAGES) app.all(path, loadPages);
  return app;
}
