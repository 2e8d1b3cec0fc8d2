import { fold, withSteeringShown } from '../../base/text/text.ts';
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
import { BOARD_TEXTS } from './board-texts.ts';
import { cityPage } from './city-page.ts';
import { failurePage } from './failure-page.ts';
import { BOARD_SCRIPT, documentOf, html, nameOf, pager, policyOf, searchForm } from './layout.ts';
import { languageOf, type PageQuery, queryOf, readPageQuery, selectPage } from './page-query.ts';
import { TEXTS } from './texts.ts';

interface DataPage {
  readonly snapshot: Snapshot;
  readonly query: PageQuery;
  /** The service's origin, for the snippets that readers copy into their own pages. */
  readonly origin: string;
}

/** The page that offers a city's data to other sites: as JSON, GeoJSON and DATEX II, as a widget, and as a frame. */
function dataPage({ snapshot, query, origin }: DataPage): string {
  const { code } = snapshot.municipality;
  const shown = withSteeringShown(snapshot.municipality.name);
  const { language } = query;
  const texts = TEXTS[language];
  const part = encodeURIComponent(code);
  const api = `/api/v2/public/municipalities/${part}`;
  // The widget speaks two languages.
  const lang = language === 'it' ? 'it' : 'en';
  const attribute = code.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const widget = `<script type="module" src="${origin}/widget/v1.js"></script>
<parking-occupancy base="${origin}" municipality="${attribute}" lang="${lang}"></parking-occupancy>`;
  const frame = `<iframe src="${origin}/embed/${part}?lang=${language}" title="${texts.title}" width="100%" height="600"></iframe>`;
  return documentOf({
    title: texts.dataTitle(shown),
    path: `/cities/${part}/data`,
    query: languageOf(query),
    style: 'data',
    body: html`<main>
<h1>${texts.dataTitle(shown)}</h1>
<p>${texts.dataNote}</p>
<p class="links"><a href="/cities/${part}${queryOf(languageOf(query))}">${texts.cityTitle(shown)}</a></p>
<p class="links"><a href="${api}/occupancy">JSON</a> <a href="${api}/occupancy.geojson">GeoJSON</a> <a href="${api}/parking-publication-light">DATEX II</a></p>
<label for="widget">${texts.widgetSnippet}</label>
<textarea id="widget" readonly rows="3" spellcheck="false">${widget}</textarea>
<label for="frame">${texts.frameSnippet}</label>
<textarea id="frame" readonly rows="2" spellcheck="false">${frame}</textarea>
</main>`,
  });
}

/** The page that lists all cities that publish their free spaces, by name. */
function directoryPage(cities: readonly PublicMunicipality[], query: PageQuery): string {
  const texts = TEXTS[query.language];
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' });
  const wanted = fold(query.text);
  const found = cities
    .filter(({ name }) => fold(name).includes(wanted))
    .sort((a, b) => collator.compare(a.name, b.name) || (a.code < b.code ? -1 : 1));
  const list = selectPage(found, query.page);
  const kept = queryOf(languageOf(query));
  const nothing = cities.length === 0 ? texts.noCities : texts.nothingFound(query.text);
  return documentOf({
    title: texts.title,
    path: '/',
    query,
    style: 'cities',
    body: html`<main>
<h1>${texts.title}</h1>
<p class="intro">${texts.intro}</p>
${cities.length === 0 ? null : searchForm('/', query, texts.searchCity, texts)}
${
  list.all === 0
    ? html`<p role="status">${nothing}</p>`
    : html`<ul class="cities">${list.items.map(({ code, name }) => html`<li><a href="/cities/${encodeURIComponent(code)}${kept}">${nameOf(name)}</a></li>`)}</ul>`
}
${pager('/', query, list, texts)}
</main>`,
  });
}

/** The control room before sign-in. Its script does the rest, with the texts in the page. */
function boardPage(query: PageQuery): string {
  const { language } = query;
  const texts = BOARD_TEXTS[language];
  return documentOf({
    title: texts.title,
    path: '/board',
    query: languageOf(query),
    style: 'board',
    script: BOARD_SCRIPT,
    // The field has no name, so that submitting the form cannot put the token into an address.
    body: html`<main id="board" data-texts="${JSON.stringify(texts)}" data-locale="${TEXTS[language].locale}">
<h1>${texts.title}</h1>
<div class="said" data-longest="${texts.limited}">
<p id="message" class="notice" role="status"></p>
</div>
<noscript><p class="notice">${texts.needsScript}</p></noscript>
<form id="sign-in">
<p>${texts.intro}</p>
<label for="token">${texts.token}</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note" required>
<p id="token-note" class="note">${texts.tokenNote}</p>
<button>${texts.signIn}</button>
</form>
<div id="wall"><div id="picture" hidden></div></div>
</main>`,
  });
}

/** A public page; `code` is the municipality's. */
export type PublicPage =
  | { readonly kind: 'cities' }
  | { readonly kind: 'board' }
  | { readonly kind: 'city' | 'data' | 'frame'; readonly code: string };

const HTML = 'text/html; charset=utf-8';

/** Answers with a page made from the snapshots. An error is answered with a page, too. */
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
    // Sets the outcome in the call log.
    const failed = errorResponse(call, error);
    const retryAfter = failed.headers.get('Retry-After');
    return new Response(failurePage(failed.status, query, page.kind), {
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
  if (page.kind === 'data') {
    // Not kept: a stranger may name any host.
    return versionOf(dataPage({ snapshot, query, origin: new URL(call.request.url).origin }));
  }
  const quality = qualityOf(snapshot, now);
  return version(snapshot, `${page.kind} ${quality}`, query, () =>
    cityPage({ snapshot, quality, query, isFrame: page.kind === 'frame' }),
  );
}

/** Writes a page that many readers ask for once per snapshot. Does not keep the result of a search. */
function version(source: object, kind: string, query: PageQuery, text: () => string): Promise<VersionedText> {
  const { language, areaType, order } = query;
  const isCommon = queryOf(query) === queryOf({ ...query, text: '', areas: [], page: 1 });
  return isCommon
    ? findTextVersion(source, `page ${kind} ${language} ${query.isLanguageNamed} ${areaType} ${order}`, text)
    : versionOf(text());
}
