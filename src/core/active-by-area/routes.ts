import type { App } from '../../serving/call.ts';
import { cors } from '../../serving/middleware/cors.ts';
import { serve } from '../../serving/serve.ts';
import { activeByArea } from './contract.ts';
import { reportActiveByArea } from './report-active-by-area.ts';

/** Mounts the report. Its markers are on every status of its path. */
export function activeByAreaRoutes(app: App): void {
  const { path, headers } = activeByArea;
  app.use(path, async (c, next) => {
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  });
  app.use(path, cors(activeByArea));
  serve(app, activeByArea, reportActiveByArea);
}
