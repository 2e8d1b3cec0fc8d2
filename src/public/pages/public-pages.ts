import { fold } from '../../base/text/text.ts';
import {
  findPublic,
  type PublicMunicipality,
  qualityOf,
  readPublicDirectory,
} from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { hasVersion } from '../../serving/http/etag.ts';
import type { Call } from '../../serving/pipeline/call.ts';
import type { VersionedText } from '../../serving/pipeline/operation.ts';
import { errorResponse, versionHeaders } from '../../serving/pipeline/respond.ts';
import { findTextVersion, versionOf } from '../../serving/pipeline/versions.ts';
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

/** Answers with a page made from the snapshots. An error is answered with a page, too. */
export async function answerPage(call: Call, page: PublicPage): Promise<Response> {
  const query = readPageQuery(call.request);
  const isFrame = page.kind === 'frame';
  const headers = {
    ...call.headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': query.language,
    'Content-Security-Policy': policyOf(isFrame),
    'Referrer-Policy': 'no-referrer',
  };
  let cities: readonly PublicMunicipality[] = [];
  try {
    cities = page.kind === 'board' ? [] : await readCities(call);
    const named = 'code' in page ? findByName(cities, page.code) : undefined;
    if (named !== undefined && 'code' in page) {
      const Location = PATHS[page.kind](encodeURIComponent(named.code)) + new URL(call.request.url).search;
      return new Response(null, { status: 302, headers: { ...headers, Location } });
    }
    const written = await write(call, page, query);
    const kept = { ...headers, ...versionHeaders(written) };
    return hasVersion(call.request.headers.get('If-None-Match'), written.etag)
      ? new Response(null, { status: 304, headers: kept })
      : new Response(written.text, { headers: kept });
  } catch (error) {
    // Sets the outcome in the call log.
    const failed = errorResponse(call, error);
    const retryAfter = failed.headers.get('Retry-After');
    return new Response(failurePage(failed.status, query, isFrame, cities.slice(0, MAX_SUGGESTED)), {
      status: failed.status,
      headers: { ...headers, ...(retryAfter !== null && { 'Retry-After': retryAfter }) },
    });
  }
}

/** Cities that a page which does not exist leads to. */
const MAX_SUGGESTED = 6;

const readCities = async ({ env, now, deadline }: Call): Promise<readonly PublicMunicipality[]> => [
  ...(await deadline.race(readPublicDirectory(env.SNAPSHOTS, now))).values(),
];

/** The city that somebody means who writes a name for its code, such as `san-mauro-torinese`. */
function findByName(cities: readonly PublicMunicipality[], code: string): PublicMunicipality | undefined {
  if (cities.some((city) => city.code === code)) return undefined;
  return cities.find(({ name }) => slugOf(name) === slugOf(code));
}

const slugOf = (name: string): string => fold(name).replaceAll(/[^\p{L}\p{N}]+/gu, '-');

async function write(call: Call, page: PublicPage, query: PageQuery): Promise<VersionedText> {
  const { env, now, deadline } = call;
  if (page.kind === 'board') {
    return versionOf(boardPage(query));
  }
  if (page.kind === 'cities') {
    const directory = await deadline.race(readPublicDirectory(env.SNAPSHOTS, now));
    const list = selectCities([...directory.values()], query);
    const snapshots = await readSnapshots(list.items, call);
    return version(directory, page.kind, query, () =>
      citiesPage({ count: directory.size, list, snapshots, query, now }),
    );
  }
  const snapshot = await findPublic(page.code, call);
  call.log.municipalityCode = page.code;
  if (page.kind === 'data') {
    // Not kept: a stranger may name any host.
    return versionOf(dataPage({ snapshot, query, origin: new URL(call.request.url).origin }));
  }
  const quality = qualityOf(snapshot, now);
  return version(snapshot, `${page.kind} ${quality}`, query, () =>
    cityPage({ snapshot, quality, query, isFrame: page.kind === 'frame' }),
  );
}

/** The snapshots of cities, by code. One that cannot be read is left out. */
async function readSnapshots(
  cities: readonly PublicMunicipality[],
  call: Call,
): Promise<ReadonlyMap<string, Snapshot>> {
  const found = await Promise.allSettled(cities.map(({ code }) => findPublic(code, call)));
  const read = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return new Map(read.map((snapshot) => [snapshot.municipality.code, snapshot]));
}

/** Writes a page that many readers ask for once per snapshot. Does not keep the result of a search. */
function version(source: object, kind: string, query: PageQuery, text: () => string): Promise<VersionedText> {
  const common = { ...query, text: '', areas: [], page: 1 };
  const isCommon = queryOf(query) === queryOf(common);
  return isCommon
    ? findTextVersion(source, `page ${kind} ${query.language} ${queryOf(common)}`, text)
    : versionOf(text());
}
