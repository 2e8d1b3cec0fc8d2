import { findPublic, qualityOf } from '../../core/snapshots/find-public.ts';
import { readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import { hasVersion } from '../../serving/http/etag.ts';
import type { Call } from '../../serving/pipeline/call.ts';
import type { VersionedText } from '../../serving/pipeline/operation.ts';
import { errorResponse, versionHeaders } from '../../serving/pipeline/respond.ts';
import { findTextVersion, versionOf } from '../../serving/pipeline/versions.ts';
import { boardPage } from './board-page.ts';
import { cityPage } from './city-page.ts';
import { dataPage } from './data-page.ts';
import { directoryPage } from './directory-page.ts';
import { failurePage } from './failure-page.ts';
import { policyOf } from './layout.ts';
import { type PageQuery, queryOf, readPageQuery } from './page-query.ts';

/** Which of the public pages: all cities, or one, by its code. */
export type PublicPage =
  | { readonly kind: 'cities' }
  | { readonly kind: 'board' }
  | { readonly kind: 'city' | 'data' | 'frame'; readonly code: string };

const HTML = 'text/html; charset=utf-8';

/** Answers a page from the snapshots alone. What does not exist, or cannot be shown, is answered with a page too. */
export async function answerPage(call: Call, page: PublicPage): Promise<Response> {
  const query = readPageQuery(call.request);
  const headers = {
    ...call.headers,
    'Content-Type': HTML,
    'Content-Language': query.language,
    'Content-Security-Policy': await policyOf(page.kind),
    'Referrer-Policy': 'no-referrer',
  };
  try {
    const written = await write(call, page, query);
    const kept = { ...headers, ...versionHeaders(written) };
    return hasVersion(call.request.headers.get('If-None-Match'), written.etag)
      ? new Response(null, { status: 304, headers: kept })
      : new Response(written.text, { headers: kept });
  } catch (error) {
    // It is logged like that of any call.
    const failed = errorResponse(call, error);
    const retryAfter = failed.headers.get('Retry-After');
    return new Response(failurePage(failed.status, query), {
      status: failed.status,
      headers: { ...headers, ...(retryAfter !== null && { 'Retry-After': retryAfter }) },
    });
  }
}

async function write(call: Call, page: PublicPage, query: PageQuery): Promise<VersionedText> {
  const { env, now, deadline } = call;
  if (page.kind === 'board') {
    return versionOf(boardPage(query));
  }
  if (page.kind === 'cities') {
    const directory = await deadline.race(readPublicDirectory(env.SNAPSHOTS, now));
    return version(directory, page.kind, query, () => directoryPage([...directory.values()], query));
  }
  const snapshot = await findPublic(page.code, call);
  call.log.municipalityCode = page.code;
  const quality = qualityOf(snapshot, now);
  const { origin } = new URL(call.request.url);
  return version(snapshot, `${page.kind} ${quality} ${origin}`, query, () =>
    page.kind === 'data'
      ? dataPage({ snapshot, query, origin })
      : cityPage({ snapshot, quality, query, isFrame: page.kind === 'frame' }),
  );
}

/** A page that thousands of readers ask for is written once; the result of a search is not kept. */
function version(source: object, kind: string, query: PageQuery, text: () => string): Promise<VersionedText> {
  const { language, areaType, order } = query;
  const isCommon = queryOf(query) === queryOf({ ...query, text: '', areas: [], page: 1 });
  return isCommon
    ? findTextVersion(source, `page ${kind} ${language} ${query.isLanguageNamed} ${areaType} ${order}`, text)
    : versionOf(text());
}
