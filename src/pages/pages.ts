import type { Hono } from 'hono';
import { Refusal } from '../errors/refusal.ts';
import { assetResponse } from '../http/asset.ts';
import type { AppEnv } from '../pipeline/call.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Language } from '../text/text.ts';

/** A file that a browser asks for. */
interface PageFile {
  readonly asset: string | Readonly<Record<Language, string>>;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page loads only from this service, runs no inline script, and may not be framed by another page. */
const OWN_PAGE = {
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

/** A script for other people's pages. */
const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLES = 'text/css; charset=utf-8';

const own = (asset: PageFile['asset'], contentType: string): PageFile => ({
  asset,
  contentType,
  headers: OWN_PAGE,
});

/** The pages for people and everything they load, by path. */
const FILES: Readonly<Record<string, PageFile>> = {
  '/': own({ en: '/home/index.en.html', it: '/home/index.it.html' }, HTML),
  '/home/home.js': own('/home/home.js', SCRIPT),
  '/home/home.css': own('/home/home.css', STYLES),
  '/docs': own('/docs/index.html', HTML),
  '/docs/docs.js': own('/docs/docs.js', SCRIPT),
  '/docs/docs.css': own('/docs/docs.css', STYLES),
  '/docs/swagger-ui-bundle.js': own('/docs/swagger-ui-bundle.js', SCRIPT),
  '/docs/swagger-ui.css': own('/docs/swagger-ui.css', STYLES),
  '/docs/favicon-32x32.png': own('/docs/favicon-32x32.png', 'image/png'),
  '/widget/v1.js': { asset: '/widget/v1.js', contentType: SCRIPT, headers: ANY_ORIGIN },
};

/**
 * Serves what people see: the page of the public municipalities, the reference made from the description, and the widget
 * that other pages embed.
 */
export function addPages(app: Hono<AppEnv>, pipeline: Pipeline): void {
  for (const [path, { asset, contentType, headers }] of Object.entries(FILES)) {
    app.get(path, (c) =>
      pipeline.answerWith(c, {}, (call) => {
        const { path, languageHeaders } = inLanguage(asset, call.language);
        const all = { ...call.headers, ...headers, ...languageHeaders };
        return call.deadline.race(assetResponse(call.env.ASSETS, { path, contentType }, call.request, all));
      }),
    );
    app.all(path, (c) =>
      pipeline.answerWith(c, {}, async () => {
        throw new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } });
      }),
    );
  }
}

/** The asset for a reader of this language, and the headers that tell a cache so. */
function inLanguage(
  asset: PageFile['asset'],
  language: Language,
): { readonly path: string; readonly languageHeaders: Readonly<Record<string, string>> } {
  if (typeof asset === 'string') return { path: asset, languageHeaders: {} };
  return {
    path: asset[language],
    languageHeaders: { 'Content-Language': language, Vary: 'Accept-Language' },
  };
}
