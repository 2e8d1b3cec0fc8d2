import { sendFile } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
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

/** How long a page may take. */
const PAGE_MS = 5_000;

/**
 * Mounts the pages for people: those of the public municipalities, the reference of the description, and the widget that
 * other sites embed.
 */
export function pageRoutes(app: App): void {
  for (const [path, page] of Object.entries(PAGES)) {
    app.get(path, deadline(PAGE_MS), (c) => answerPage(c, page(c.req.param('code') ?? '')));
  }
  for (const [path, { asset, contentType, headers }] of Object.entries(FILES)) {
    app.get(path, deadline(PAGE_MS), (c) => {
      for (const [name, value] of Object.entries(headers)) c.header(name, value);
      return sendFile(c, asset, contentType);
    });
  }
}
