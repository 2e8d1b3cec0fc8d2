import { fold } from '../../base/text/fold.ts';
import type { PublicMunicipality } from '../../core/snapshots/public-directory.ts';
import { html, nameOf } from './html.ts';
import { documentOf, pager, searchForm } from './layout.ts';
import { languageOf, type PageQuery, queryOf, selectPage } from './page-query.ts';
import { TEXTS } from './texts.ts';

/** All cities that publish their free spaces, by name, each as a link. */
export function directoryPage(cities: readonly PublicMunicipality[], query: PageQuery): string {
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
