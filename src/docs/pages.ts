import type { Hono } from 'hono';
import { Refusal } from '../errors/refusal.ts';
import { assetResponse } from '../http/asset.ts';
import type { AppEnv } from '../pipeline/call.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';

/** The page and all that it loads, by path. */
const FILES: Readonly<Record<string, readonly [asset: string, contentType: string]>> = {
  '/docs': ['/docs/index.html', 'text/html; charset=utf-8'],
  '/docs/docs.js': ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  '/docs/docs.css': ['/docs/docs.css', 'text/css; charset=utf-8'],
  '/docs/swagger-ui-bundle.js': ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  '/docs/swagger-ui.css': ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  '/docs/favicon-32x32.png': ['/docs/favicon-32x32.png', 'image/png'],
};

/** The page loads only from this service, runs no inline scripts, and no other page may show it in a frame. */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
} as const;

/** The reference for people: a page made from the description, on which each operation can be tried. */
export function addDocsPages(app: Hono<AppEnv>, pipeline: Pipeline): void {
  for (const [path, [asset, contentType]] of Object.entries(FILES)) {
    app.get(path, (c) =>
      pipeline.answerWith(c, {}, ({ env, request, headers, deadline }) =>
        deadline.race(
          assetResponse(env.ASSETS, { path: asset, contentType }, request, { ...headers, ...HEADERS }),
        ),
      ),
    );
    app.all(path, (c) =>
      pipeline.answerWith(c, {}, async () => {
        throw new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } });
      }),
    );
  }
}
