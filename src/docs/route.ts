import { Hono } from 'hono';
import { answerAsset } from '../http/asset.ts';
import type { AppEnv } from '../http/context.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';

const WITHIN_MS = 5_000;

/** The page and all that it loads, by path. */
const FILES: Readonly<Record<string, readonly [asset: string, contentType: string]>> = {
  '/docs': ['/docs/index.html', 'text/html; charset=utf-8'],
  '/docs/docs.js': ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  '/docs/docs.css': ['/docs/docs.css', 'text/css; charset=utf-8'],
  '/docs/swagger-ui-bundle.js': ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  '/docs/swagger-ui.css': ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  '/docs/favicon-32x32.png': ['/docs/favicon-32x32.png', 'image/png'],
};

/** The page loads from here alone, runs no script of its own text, and no other page may show it in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The reference for people: a page made from the description, on which each operation can be tried. */
export function docsRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const [path, [asset, contentType]] of Object.entries(FILES)) {
    routes
      .get(path, operation(null, WITHIN_MS), async (c) => {
        const response = await answerAsset(c, asset, contentType);
        response.headers.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
        response.headers.set('Referrer-Policy', 'no-referrer');
        return response;
      })
      .all(methodNotAllowed('GET'));
  }
  return routes;
}
