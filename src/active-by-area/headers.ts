import { cors } from 'hono/cors';
import type { AppMiddleware } from '../http/context.ts';

/** How long a browser may keep the answer to its preflight: as long as any keeps it. */
const PREFLIGHT_SECONDS = 7_200;

/** Marks every answer of the report's path, whatever its status. */
export const reportMarkers: AppMiddleware = async (c, next) => {
  c.header('X-Service-Report', 'active_by_area');
  c.header('X-Service-Report-Version', '1.0');
  await next();
};

/** Any page may ask for the report: it uses no cookies, and holds nothing of a person. */
export const anyOrigin: AppMiddleware = cors({
  origin: '*',
  allowMethods: ['POST'],
  allowHeaders: ['Authorization', 'X-Service-Token', 'X-Api-Key', 'Content-Type'],
  exposeHeaders: [
    'X-Request-Id',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'X-Service-Report',
    'X-Service-Report-Version',
  ],
  maxAge: PREFLIGHT_SECONDS,
});
