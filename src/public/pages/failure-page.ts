import { documentOf, html, nameOf } from './layout.ts';
import { languageOf, type PageQuery, queryOf } from './page-query.ts';
import { TEXTS } from './texts.ts';

/**
 * The page for a 404, or in place of a page that cannot be shown.
 *
 * @param cities where a reader may go from a page that does not exist
 */
export function failurePage(
  status: number,
  query: PageQuery,
  isFrame: boolean,
  cities: readonly { readonly code: string; readonly name: string }[] = [],
): string {
  const { notFound, notFoundNote, failing, failingNote, allCities } = TEXTS[query.language];
  const [title, note] = status === 404 ? [notFound, notFoundNote] : [failing, failingNote];
  const kept = queryOf(languageOf(query));
  return documentOf({
    ...{ title, path: '/', query: languageOf(query), isFrame },
    body: html`<main>
<h1>${title}</h1>
<p>${note}</p>
${
  isFrame
    ? null
    : html`<p class="controls">${cities.map(({ code, name }) => html`<a class="button" href="/cities/${encodeURIComponent(code)}${kept}">${nameOf(name)}</a> `)}<a class="button main" href="/${kept}">${allCities}</a></p>`
}
</main>`,
  });
}
