import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { cors } from '../../serving/middleware/cors.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { activeByArea } from './contract.ts';
import { reportActiveByArea } from './report-active-by-area.ts';

/** Mounts the report. Its markers are on every status of its path. */
export function activeByAreaRoutes(app: App): void {
  const { path, headers, deadlineMs, access, body } = activeByArea;
  app.use(path, async (c, next) => {
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  });
  app.use(path, cors(activeByArea));
  app.post(
    path,
    logged(activeByArea),
    deadline(deadlineMs),
    credential(access),
    json(body),
    reportActiveByArea,
  );
}
