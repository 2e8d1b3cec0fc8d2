import { html } from './html.ts';
import { documentOf } from './layout.ts';
import { languageOf, type PageQuery } from './page-query.ts';
import { TEXTS } from './texts.ts';

/** The page for a 404, or for a page that cannot be shown. */
export function failurePage(status: number, query: PageQuery): string {
  const { notFound, notFoundNote, failing, failingNote } = TEXTS[query.language];
  const [title, note] = status === 404 ? [notFound, notFoundNote] : [failing, failingNote];
  return documentOf({
    title,
    path: '/',
    query: languageOf(query),
    body: html`<main><h1>${title}</h1><p>${note}</p></main>`,
  });
}
