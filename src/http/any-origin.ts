import { cors } from 'hono/cors';
import type { AppMiddleware } from './context.ts';

/** How long a browser may keep the answer to its preflight: as long as any keeps it. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Lets pages of any origin call, preflight included: for what uses no cookies, and holds nothing of a person.
 *
 * @param exposeHeaders what such a page may read beside the body
 */
export const anyOrigin = (allowMethods: string[], exposeHeaders: string[]): AppMiddleware =>
  cors({
    origin: '*',
    allowMethods,
    allowHeaders: ['Authorization', 'X-Service-Token', 'X-Api-Key', 'Content-Type'],
    exposeHeaders,
    maxAge: PREFLIGHT_SECONDS,
  });
