import type { Hono } from 'hono';
import { CallLog } from './call-log/call-log.ts';
import { OPERATIONS } from './operations.ts';
import type { AppEnv } from './pipeline/call.ts';
import type { ListedOperation } from './pipeline/operation.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { loadedOnCall, routesOf } from './pipeline/routes.ts';
import { Isolate } from './platform/isolate.ts';

interface AppOptions {
  readonly operations?: readonly ListedOperation[];
  readonly callLog?: CallLog;
}

/** The paths of the pages, and of all that they load. */
const PAGES = ['/', '/board', '/cities/*', '/embed/*', '/docs/*', '/pages/*', '/widget/*'];

/** The whole service as one Hono app, with what an isolate keeps between calls. */
export function createApp({
  operations = OPERATIONS,
  callLog = new CallLog(),
}: AppOptions = {}): Hono<AppEnv> {
  const pipeline = new Pipeline(callLog, new Isolate());
  const app = routesOf(operations, pipeline);
  const loadPages = loadedOnCall(async () => {
    const { pagesOf } = await import('./pages/pages.ts');
    return pagesOf(pipeline);
  });
  for (const path of PAGES) app.all(path, loadPages);
  return app;
}
