import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { fold } from '../../base/text/text.ts';
import { HELD_MS } from '../../core/snapshots/held-values.ts';
import {
  findPublic,
  type PublicMunicipality,
  qualityOf,
  readPublicDirectory,
} from '../../core/snapshots/public-directory.ts';
import { sendFile, sendVersioned, type Versioned } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import { findVersion, versionOf } from '../../serving/http/versions.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { fail } from '../../serving/middleware/on-error.ts';
import { citiesPage } from './cities-page.ts';
import { cityPage } from './city-page.ts';
import { dataPage } from './data-page.ts';
import { failurePage } from './failure-page.ts';
import { PAGE_FILES, SCRIPTS, STYLES } from './look.ts';
import { type Asked, readAsked } from './page.ts';
import { RULE_PAGES } from './rule-pages.ts';
import { WORK_LANGUAGES, workPage } from './work-page.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** How long a page may take. */
const PAGE_MS = 5_000;

type Write = (c: Call, asked: Asked) => Promise<Versioned>;

/** The pages that are written from snapshots, by path. */
const PAGES: Readonly<Record<string, Write>> = {
  '/': async (c, asked) => {
    const directory = await readPublicDirectory(c);
    // The directory stays the same while the cities' snapshots change: written as often as an isolate reads those.
    const key = `${keyOf(asked)} ${Math.floor(c.get('now') / HELD_MS)}`;
    return findVersion(directory, key, () => citiesPage(c, asked, directory));
  },
  '/board': async (_, asked) => versionOf(await workPage(asked, 'board')),
  '/office': async (_, asked) => versionOf(await workPage(asked, 'office')),
  '/cities/:code': showCity,
  '/embed/:code': showCity,
  // Not kept: a stranger may name any host.
  '/cities/:code/data': async (c, asked) =>
    versionOf(await dataPage(asked, (await findPublic(c)).municipality, new URL(c.req.url).origin)),
};

/** The files that pages load, and the pages that are made when the service is built. */
const FILES: readonly (readonly [path: string, contentType: string])[] = [
  ...STYLES.map((name) => [`${PAGE_FILES}${name}.css`, CSS] as const),
  ...SCRIPTS.map((name) => [`${PAGE_FILES}${name}.js`, SCRIPT] as const),
  ...['/docs', ...RULE_PAGES].map((path) => [path, HTML] as const),
];

const WIDGET = '/widget/v1.js';

/** Mounts the pages for people, the reference of the description, and the widget that other sites embed. */
export function pageRoutes(app: App): void {
  for (const [path, write] of Object.entries(PAGES)) {
    app.get(path, deadline(PAGE_MS), (c) => answerPage(c, path, write));
  }
  for (const [path, contentType] of FILES) {
    app.get(path, deadline(PAGE_MS), (c) => {
      c.header('Content-Security-Policy', policyOf("'none'"));
      c.header('Referrer-Policy', 'no-referrer');
      return sendFile(c, contentType === HTML ? `${path}.html` : path, contentType);
    });
  }
  app.get(WIDGET, deadline(PAGE_MS), (c) => {
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Cross-Origin-Resource-Policy', 'cross-origin');
    return sendFile(c, WIDGET, SCRIPT);
  });
}

/** The policy of a page: it loads from this service alone, and has no inline script or style. */
const policyOf = (ancestors: "'none'" | '*'): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}`;

/** Cities that a page which does not exist leads to. */
const MAX_SUGGESTED = 6;

/** Answers with a page. An error is answered with a page, too. */
async function answerPage(c: Call, route: string, write: Write): Promise<Response> {
  const languages = ['/board', '/office'].includes(route) ? WORK_LANGUAGES : undefined;
  const asked = readAsked(c.req.raw, languages);
  const { isFrame, language } = asked;
  c.header('Content-Security-Policy', policyOf(isFrame ? '*' : "'none'"));
  c.header('Referrer-Policy', 'no-referrer');
  let cities: readonly PublicMunicipality[] = [];
  try {
    const code = c.req.param('code');
    if (code !== undefined) {
      cities = await readPublicDirectory(c);
      const meant = findByName(cities, code);
      if (meant !== undefined) {
        const path = route.replace(':code', encodeURIComponent(meant.code));
        return c.redirect(path + new URL(c.req.url).search);
      }
    }
    return sendVersioned(c, await write(c, asked), HTML, language);
  } catch (error) {
    // Says the status, one of an error with a body, and sets the outcome in the call log.
    const { status } = fail(c, error);
    c.header('Content-Language', language);
    const text = await failurePage(asked, status, cities.slice(0, MAX_SUGGESTED));
    return c.body(text, status as ContentfulStatusCode, { 'Content-Type': HTML });
  }
}

/** The city that somebody means who writes a name for its code, such as `san-mauro-torinese`. */
function findByName(cities: readonly PublicMunicipality[], code: string): PublicMunicipality | undefined {
  if (cities.some((city) => city.code === code)) return undefined;
  return cities.find(({ name }) => slugOf(name) === slugOf(code));
}

const slugOf = (name: string): string => fold(name).replaceAll(/[^\p{L}\p{N}]+/gu, '-');

async function showCity(c: Call, asked: Asked): Promise<Versioned> {
  const snapshot = await findPublic(c);
  const quality = qualityOf(snapshot, c.get('now'));
  return findVersion(snapshot, `${keyOf(asked)} ${quality}`, () => cityPage(asked, snapshot, quality));
}

/** What a page depends on beside its snapshot. */
const keyOf = ({ path, query, language }: Asked): string => `${path} ${language} ${JSON.stringify(query)}`;
