import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { fold } from '../../base/text/text.ts';
import {
  findPublic,
  type PublicMunicipality,
  qualityOf,
  readPublicDirectory,
} from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { sendVersioned, type Versioned } from '../../serving/answer.ts';
import type { Call } from '../../serving/call.ts';
import { findTextVersion, versionOf } from '../../serving/http/versions.ts';
import { fail } from '../../serving/middleware/on-error.ts';
import { boardPage } from './board-page.ts';
import { citiesPage, selectCities } from './cities-page.ts';
import { cityPage } from './city-page.ts';
import { dataPage } from './data-page.ts';
import { failurePage } from './failure-page.ts';
import { policyOf } from './layout.ts';
import { type PageQuery, queryOf, readPageQuery } from './page-query.ts';

/** A public page; `code` is the municipality's. */
export type PublicPage =
  | { readonly kind: 'cities' }
  | { readonly kind: 'board' }
  | { readonly kind: 'city' | 'data' | 'frame'; readonly code: string };

/** The path of a page about one city. */
const PATHS: Readonly<Record<'city' | 'data' | 'frame', (code: string) => string>> = {
  city: (code) => `/cities/${code}`,
  data: (code) => `/cities/${code}/data`,
  frame: (code) => `/embed/${code}`,
};

const HTML = 'text/html; charset=utf-8';

/** Answers with a page made from the snapshots. An error is answered with a page, too. */
export async function answerPage(c: Call, page: PublicPage): Promise<Response> {
  const query = readPageQuery(c.req.raw);
  const isFrame = page.kind === 'frame';
  c.header('Content-Language', query.language);
  c.header('Content-Security-Policy', policyOf(isFrame));
  c.header('Referrer-Policy', 'no-referrer');
  let cities: readonly PublicMunicipality[] = [];
  try {
    cities = page.kind === 'board' ? [] : await readCities(c);
    const named = 'code' in page ? findByName(cities, page.code) : undefined;
    if (named !== undefined && 'code' in page) {
      return c.redirect(PATHS[page.kind](encodeURIComponent(named.code)) + new URL(c.req.url).search);
    }
    return sendVersioned(c, await write(c, page, query), HTML);
  } catch (error) {
    // Says the status, one of an error with a body, and sets the outcome in the call log.
    const { status } = fail(c, error);
    c.header('Content-Language', query.language);
    const text = failurePage(status, query, isFrame, cities.slice(0, MAX_SUGGESTED));
    return c.body(text, status as ContentfulStatusCode, { 'Content-Type': HTML });
  }
}

/** Cities that a page which does not exist leads to. */
const MAX_SUGGESTED = 6;

const readCities = async (c: Call): Promise<readonly PublicMunicipality[]> => [
  ...(await readPublicDirectory(c.env.SNAPSHOTS, c.var.now)).values(),
];

/** The city that somebody means who writes a name for its code, such as `san-mauro-torinese`. */
function findByName(cities: readonly PublicMunicipality[], code: string): PublicMunicipality | undefined {
  if (cities.some((city) => city.code === code)) return undefined;
  return cities.find(({ name }) => slugOf(name) === slugOf(code));
}

const slugOf = (name: string): string => fold(name).replaceAll(/[^\p{L}\p{N}]+/gu, '-');

async function write(c: Call, page: PublicPage, query: PageQuery): Promise<Versioned> {
  const { SNAPSHOTS } = c.env;
  const { now } = c.var;
  if (page.kind === 'board') {
    return versionOf(boardPage(query));
  }
  if (page.kind === 'cities') {
    const directory = await readPublicDirectory(SNAPSHOTS, now);
    const list = selectCities([...directory.values()], query);
    const snapshots = await readSnapshots(list.items, c);
    return version(directory, page.kind, query, () =>
      citiesPage({ count: directory.size, list, snapshots, query, now }),
    );
  }
  const snapshot = await findPublic(SNAPSHOTS, page.code, now);
  c.var.log.municipalityCode = page.code;
  if (page.kind === 'data') {
    // Not kept: a stranger may name any host.
    return versionOf(dataPage({ snapshot, query, origin: new URL(c.req.url).origin }));
  }
  const quality = qualityOf(snapshot, now);
  return version(snapshot, `${page.kind} ${quality}`, query, () =>
    cityPage({ snapshot, quality, query, isFrame: page.kind === 'frame' }),
  );
}

/** The snapshots of cities, by code. One that cannot be read is left out. */
async function readSnapshots(
  cities: readonly PublicMunicipality[],
  c: Call,
): Promise<ReadonlyMap<string, Snapshot>> {
  const found = await Promise.allSettled(
    cities.map(({ code }) => findPublic(c.env.SNAPSHOTS, code, c.var.now)),
  );
  const read = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return new Map(read.map((snapshot) => [snapshot.municipality.code, snapshot]));
}

/** Writes a page that many readers ask for once per snapshot. Does not keep the result of a search. */
function version(source: object, kind: string, query: PageQuery, text: () => string): Promise<Versioned> {
  const common = { ...query, text: '', areas: [], page: 1 };
  const isCommon = queryOf(query) === queryOf(common);
  return isCommon
    ? findTextVersion(source, `page ${kind} ${query.language} ${queryOf(common)}`, text)
    : versionOf(text());
}
