import { documentOf, html } from './layout.ts';
import { languageOf, type PageQuery } from './page-query.ts';
import type { Style } from './styles.ts';
import { TEXTS } from './texts.ts';

/** The page for a 404, or in place of a page that cannot be shown, in that page's style. */
export function failurePage(status: number, query: PageQuery, style: Style): string {
  const { notFound, notFoundNote, failing, failingNote } = TEXTS[query.language];
  const [title, note] = status === 404 ? [notFound, notFoundNote] : [failing, failingNote];
  return documentOf({
    title,
    path: '/',
    query: languageOf(query),
    style,
    body: html`<main><h1>${title}</h1><p>${note}</p></main>`,
  });
}
