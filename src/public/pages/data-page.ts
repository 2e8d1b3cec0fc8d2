import { withSteeringShown } from '../../base/text/text.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { documentOf, type Html, html, LIVE_SCRIPT } from './layout.ts';
import { languageOf, type PageQuery, queryOf } from './page-query.ts';
import { TEXTS, type Texts } from './texts.ts';

interface DataPage {
  readonly snapshot: Snapshot;
  readonly query: PageQuery;
  /** The service's origin, for the snippets that readers copy into their own pages. */
  readonly origin: string;
}

/** The page that offers a city's data to other sites: as JSON, GeoJSON and DATEX II, as a widget, and as a frame. */
export function dataPage({ snapshot, query, origin }: DataPage): string {
  const { code, name } = snapshot.municipality;
  const city = withSteeringShown(name);
  const { language } = query;
  const texts = TEXTS[language];
  const part = encodeURIComponent(code);
  const api = `/api/v2/public/municipalities/${part}`;
  const attribute = code.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const widget = `<script type="module" src="${origin}/widget/v1.js"></script>
<parking-occupancy base="${origin}" municipality="${attribute}" lang="${language}"></parking-occupancy>`;
  const frame = `<iframe src="${origin}/embed/${part}?lang=${language}" title="${texts.title}" width="100%" height="600"></iframe>`;
  return documentOf({
    ...{ title: texts.dataTitle(city), path: `/cities/${part}/data`, script: LIVE_SCRIPT },
    query: languageOf(query),
    body: html`<main>
<h1>${texts.dataTitle(city)}</h1>
<p>${texts.dataNote}</p>
<p class="controls"><a class="button" href="/cities/${part}${queryOf(languageOf(query))}">${texts.cityTitle(city)}</a> <a class="button" href="/docs" hreflang="en">${texts.developers}</a></p>
<h2>${texts.formats}</h2>
<p class="controls"><a class="button" href="${api}/occupancy">JSON</a> <a class="button" href="${api}/occupancy.geojson">GeoJSON</a> <a class="button" href="${api}/parking-publication-light">DATEX II</a></p>
${snippet('widget', texts.widgetSnippet, widget, texts)}
${snippet('frame', texts.frameSnippet, frame, texts)}
</main>`,
  });
}

/** Code to copy: by a button, or by hand. */
const snippet = (id: string, title: string, code: string, texts: Texts): Html =>
  html`<h2 id="${id}-title">${title}</h2>
<textarea id="${id}" readonly rows="2" spellcheck="false" aria-labelledby="${id}-title">${code}</textarea>
<button class="copy" type="button" data-of="${id}" data-copied="${texts.copied}" aria-describedby="${id}-title">${texts.copy}</button>`;
