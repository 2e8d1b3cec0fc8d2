import type { Hono } from 'hono';
import { refuse } from '../../base/errors/refusal.ts';
import { assetResponse } from '../../serving/http/asset.ts';
import type { AppEnv } from '../../serving/pipeline/call.ts';
import type { Pipeline } from '../../serving/pipeline/pipeline.ts';
import { emptyApp } from '../../serving/pipeline/routes.ts';
import { BOARD_SCRIPT, LIVE_SCRIPT, policyOf } from './layout.ts';
import { STYLE } from './look.ts';
import { answerPage, type PublicPage } from './public-pages.ts';
import { RULE_PAGES } from './rule-pages.ts';

interface PageFile {
  readonly asset: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page that loads only from this service, and cannot be framed. */
const OWN_PAGE = { 'Content-Security-Policy': policyOf(false), 'Referrer-Policy': 'no-referrer' } as const;

/** A script for other sites. */
const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLES = 'text/css; charset=utf-8';

const ownFile = (asset: string, contentType: string): PageFile => ({
  asset,
  contentType,
  headers: OWN_PAGE,
});

/** The static pages and the files that pages load, by path. */
const FILES: Readonly<Record<string, PageFile>> = {
  [STYLE]: ownFile(STYLE, STYLES),
  [LIVE_SCRIPT]: ownFile(LIVE_SCRIPT, SCRIPT),
  [BOARD_SCRIPT]: ownFile(BOARD_SCRIPT, SCRIPT),
  '/docs': ownFile('/docs/index.html', HTML),
  ...Object.fromEntries(RULE_PAGES.map((path) => [path, ownFile(`${path}.html`, HTML)])),
  '/widget/v1.js': { asset: '/widget/v1.js', contentType: SCRIPT, headers: ANY_ORIGIN },
};

/** The pages that are written for each call, by path. */
const PAGES: Readonly<Record<string, (code: string) => PublicPage>> = {
  '/': () => ({ kind: 'cities' }),
  '/board': () => ({ kind: 'board' }),
  '/cities/:code': (code) => ({ kind: 'city', code }),
  '/cities/:code/data': (code) => ({ kind: 'data', code }),
  '/embed/:code': (code) => ({ kind: 'frame', code }),
};

/**
 * Serves the pages for people: those of the public municipalities, the reference of the description, and the widget that
 * other sites embed.
 */
export function pagesOf(pipeline: Pipeline): Hono<AppEnv> {
  const app = emptyApp(pipeline);
  for (const [path, page] of Object.entries(PAGES)) {
    app.get(path, (c) =>
      pipeline.answerWith(c, {}, (call) => answerPage(call, page(c.req.param('code') ?? ''))),
    );
    refuseOtherMethods(app, pipeline, path);
  }
  for (const [path, { asset, contentType, headers }] of Object.entries(FILES)) {
    app.get(path, (c) =>
      pipeline.answerWith(c, {}, (call) => {
        const all = { ...call.headers, ...headers };
        return call.deadline.race(
          assetResponse(call.env.ASSETS, { path: asset, contentType }, call.request, all),
        );
      }),
    );
    refuseOtherMethods(app, pipeline, path);
  }
  return app;
}

function refuseOtherMethods(app: Hono<AppEnv>, pipeline: Pipeline, path: string): void {
  app.all(path, (c) =>
    pipeline.answerWith(c, {}, async () => {
      refuse('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } });
    }),
  );
}
