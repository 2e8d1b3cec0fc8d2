import { Hono } from 'hono';
import { anyOrigin } from '../http/any-origin.ts';
import { answerAsset } from '../http/asset.ts';
import type { AppEnv } from '../http/context.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';

const PATH = '/api/v2/openapi.json';
const WITHIN_MS = 5_000;

/** The description of the service: a file that was made when it was built. */
export function descriptionRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.use(PATH, anyOrigin(['GET'], ['X-Request-Id', 'ETag']));
  routes
    .get(PATH, operation(null, WITHIN_MS), (c) => answerAsset(c, '/openapi.json', 'application/json'))
    .all(methodNotAllowed('GET'));
  return routes;
}
