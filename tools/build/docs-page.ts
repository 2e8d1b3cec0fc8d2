import { Marked } from 'marked';
import { ICON, PAGE_FILES, SIGN } from '../../src/public/pages/look.ts';

/** A page for developers as the service serves it: English, and without a script. */
export const docsPage = (title: string, body: string): Uint8Array =>
  new TextEncoder().encode(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${PAGE_FILES}style.css">
<link rel="stylesheet" href="${PAGE_FILES}docs.css">
</head>
<body>
<header class="top"><a class="home" href="/"><svg viewBox="0 0 32 32" aria-hidden="true">${SIGN}</svg> All cities</a> <nav aria-label="For developers"><a href="/docs">For developers</a> <a href="/docs/interface">Rules</a> <a href="/docs/versioning">Versions</a> <a href="/api/v2/openapi.json">OpenAPI</a></nav></header>
<main class="prose">
${body}</main>
</body>
</html>
`);

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const codeOf = (code: string): string => codeSpan(escaped(code));

/** Code that may be broken at its underscores and slashes, so that a table fits a page. */
const codeSpan = (html: string): string =>
  `<code>${html.replaceAll(/(?<=\w)[_/.](?=\w)/g, '$&<wbr>')}</code>`;

/**
 * Markdown as markup.
 *
 * @param linkOf the address of a link; null for one that becomes plain words
 */
export function markupOf(text: string, linkOf: (href: string) => string | null = (href) => href): string {
  const marked = new Marked({
    renderer: {
      heading: (html, level, raw) => `<h${level} id="${anchorOf(raw)}">${html}</h${level}>\n`,
      link: (href, _title, words) => {
        const target = linkOf(href);
        return target === null ? words : `<a href="${target}">${words}</a>`;
      },
      codespan: codeSpan,
      // Long lines scroll by keyboard too.
      code: (code) => `<pre tabindex="0">${escaped(code)}</pre>\n`,
      // A wide table scrolls by itself, by keyboard too.
      table: (head, body) =>
        `<div class="scroll" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`,
    },
  });
  return String(marked.parse(text, { async: false }));
}

/** As GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
