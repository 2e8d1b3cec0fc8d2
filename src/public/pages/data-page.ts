import { html } from 'hono/html';
import { withSteeringShown } from '../../base/text/text.ts';
import type { PublicMunicipality } from '../../core/snapshots/public-directory.ts';
import { type Asked, elsewhere, type Html, pageOf } from './page.ts';

/**
 * The page that offers a city's data to other sites: as JSON, GeoJSON and DATEX II, as a widget, and as a frame.
 *
 * @param origin the service's, for the snippets that readers copy into their own pages
 */
export function dataPage(
  asked: Asked,
  { code, name }: Pick<PublicMunicipality, 'code' | 'name'>,
  origin: string,
): Promise<string> {
  const { language, texts } = asked;
  const city = withSteeringShown(name);
  const part = encodeURIComponent(code);
  const api = `/api/v2/public/municipalities/${part}`;
  const widget = html`<script type="module" src="${origin}/widget/v1.js"></script>
<parking-occupancy base="${origin}" municipality="${code}" lang="${language}"></parking-occupancy>`;
  const frame = html`<iframe src="${origin}/embed/${part}?lang=${language}" title="${texts.title}" width="100%" height="600"></iframe>`;
  /** Code to copy: by a button, or by hand. */
  const snippet = (id: string, title: string, markup: Html): Html =>
    html`<h2 id="${id}-title">${title}</h2>
<textarea id="${id}" readonly rows="2" spellcheck="false" aria-labelledby="${id}-title">${markup.toString()}</textarea>
<button class="copy" type="button" data-of="${id}" data-copied="${texts.copied}" aria-describedby="${id}-title">${texts.copy}</button>`;
  return pageOf(asked, {
    ...{ title: texts.dataTitle(city), script: 'copy', style: 'docs' },
    body: html`<main>
<h1>${texts.dataTitle(city)}</h1>
<p>${texts.dataNote}</p>
<p class="controls"><a class="button" href="${elsewhere(asked, `/cities/${part}`)}">${texts.cityTitle(city)}</a> <a class="button" href="/docs" hreflang="en">${texts.developers}</a></p>
<h2>${texts.formats}</h2>
<p class="controls"><a class="button" href="${api}/occupancy">JSON</a> <a class="button" href="${api}/occupancy.geojson">GeoJSON</a> <a class="button" href="${api}/parking-publication-light">DATEX II</a></p>
${snippet('widget', texts.widgetSnippet, widget)}
${snippet('frame', texts.frameSnippet, frame)}
</main>`,
  });
}
