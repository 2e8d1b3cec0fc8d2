import { withSteeringShown } from '../../base/text/steering.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { html } from './html.ts';
import { documentOf } from './layout.ts';
import { languageOf, type PageQuery, queryOf } from './page-query.ts';
import { TEXTS } from './texts.ts';

/** How developers use a city's data. */
interface DataPage {
  readonly snapshot: Snapshot;
  readonly query: PageQuery;
  /** The service's own origin, for the code that readers copy into pages of their own. */
  readonly origin: string;
}

/** A city's data for other people's pages: as JSON, GeoJSON and DATEX II, as a widget, and as a frame. */
export function dataPage({ snapshot, query, origin }: DataPage): string {
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
