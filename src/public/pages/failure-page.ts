import { html } from 'hono/html';
import { type Asked, elsewhere, nameOf, pageOf } from './page.ts';

/**
 * The page for a 404, or in place of a page that cannot be shown.
 *
 * @param cities where a reader may go from a page that does not exist
 */
export function failurePage(
  asked: Asked,
  status: number,
  cities: readonly { readonly code: string; readonly name: string }[] = [],
): Promise<string> {
  const { texts, isFrame } = asked;
  const title = status === 404 ? texts.notFound : texts.failing;
  const links = cities.map(
    ({ code, name }) =>
      html`<a class="button" href="${elsewhere(asked, `/cities/${encodeURIComponent(code)}`)}">${nameOf(name)}</a> `,
  );
  return pageOf(asked, {
    title,
    body: html`<main>
<h1>${title}</h1>
<p>${status === 404 ? texts.notFoundNote : texts.failingNote}</p>
${isFrame || html`<p class="controls">${links}<a class="button main" href="${elsewhere(asked, '/')}">${texts.allCities}</a></p>`}
</main>`,
  });
}
