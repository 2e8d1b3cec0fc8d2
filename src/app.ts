import type { Hono } from 'hono';
import { CallLog } from './call-log/call-log.ts';
import { OPERATIONS } from './operations.ts';
import { addPages } from './pages/pages.ts';
import type { AppEnv } from './pipeline/call.ts';
import type { Operation } from './pipeline/operation.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { routesOf } from './pipeline/routes.ts';
import { Isolate } from './platform/isolate.ts';

interface AppOptions {
  readonly operations?: readonly Operation[];
  readonly callLog?: CallLog;
}

/** The whole service as one Hono app, with what an isolate keeps between calls. */
export function createApp({
  operations = OPERATIONS,
  callLog = new CallLog(),
}: AppOptions = {}): Hono<AppEnv> {
  const pipeline = new Pipeline(callLog, new Isolate());
  const app = routesOf(operations, pipeline);
  addPages(app, pipeline);
  return app;
}
