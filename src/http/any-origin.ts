import { cors } from 'hono/cors';
import type { AppMiddleware } from './context.ts';

/** How long a browser may keep the answer to its preflight: as long as any keeps it. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Lets pages of any origin call, preflight included: for what uses no cookies, and holds nothing of a person.
 *
 * @param exposeHeaders what such a page may read beside the body
 */
export function anyOrigin(allowMethods: string[], exposeHeaders: string[]): AppMiddleware {
  const answerPreflight = cors({
    origin: '*',
    allowMethods,
    allowHeaders: ['Authorization', 'X-Service-Token', 'X-Api-Key', 'Content-Type'],
    exposeHeaders,
    maxAge: PREFLIGHT_SECONDS,
  });
  return (c, next) => {
    const headers = c.get('headers');
    if (c.req.method !== 'OPTIONS') {
      Object.assign(headers, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': exposeHeaders.join(),
      });
      return next();
    }
    // A preflight is answered right there, with the headers that are set by then.
    for (const [name, value] of Object.entries(headers)) {
      c.header(name, value);
    }
    return answerPreflight(c, next);
  };
}
