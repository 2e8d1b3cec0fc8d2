import { html as escaped, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { withSteeringShown } from '../../base/text/text.ts';
import { ICON, SIGN, STYLE } from './look.ts';
import { type Listed, languageOf, type PageQuery, queryOf } from './page-query.ts';
import { PAGE_LANGUAGES, TEXTS, type Texts } from './texts.ts';

/** Markup whose values are escaped. */
export type Html = HtmlEscapedString;
type Value = Html | string | number | null | readonly (Html | null)[];

/** Builds markup, and escapes every value that is not markup. Null becomes empty. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  // A promise only if a value is one.
  return escaped(strings, ...values) as Html;
}

/** A configured name, isolated so that its text direction does not affect the surrounding text. */
export const nameOf = (name: string): Html => html`<bdi>${withSteeringShown(name)}</bdi>`;

/** Markup to insert unescaped: only for constants of ours. */
export const trustMarkup = (markup: string): Html => raw(markup);

/** From this many areas or cities on, a list has a search. */
export const SEARCHED_FROM = 10;

/** The script that refreshes figures, finds the nearest area, and copies snippets. */
export const LIVE_SCRIPT = '/pages/live.js';
/** The script of the control room. */
export const BOARD_SCRIPT = '/pages/board.js';

/** What every page is made of. */
interface Document {
  readonly title: string;
  /** The path of the page, for the links to its other languages. */
  readonly path: string;
  readonly query: PageQuery;
  readonly script?: string;
  /** A page in a frame of another site has no header and no footer. */
  readonly isFrame?: boolean;
  readonly body: Html;
  /** Links of this page alone, for the footer. */
  readonly links?: Html | null;
}

/** A whole page, in the language of its query. */
export function documentOf({
  title,
  path,
  query,
  script,
  isFrame = false,
  body,
  links = null,
}: Document): string {
  const texts = TEXTS[query.language];
  return String(html`<!doctype html>
<html lang="${query.language}"${query.theme === null ? null : html` data-theme="${query.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${texts.intro}">
<title>${title}</title>
<link rel="icon" href="${trustMarkup(ICON)}">
<link rel="stylesheet" href="${STYLE}">
${script === undefined ? null : html`<script type="module" src="${script}"></script>`}
</head>
<body${isFrame ? trustMarkup(' class="framed"') : null}>
${isFrame ? null : html`<header class="top"><a class="home" href="/${queryOf(languageOf(query))}"><svg viewBox="0 0 32 32" aria-hidden="true">${trustMarkup(SIGN)}</svg> ${texts.allCities}</a></header>`}
${body}
${isFrame ? null : writeFooter(path, query, links, texts)}
</body>
</html>
`);
}

function writeFooter(path: string, query: PageQuery, links: Html | null, texts: Texts): Html {
  const languages = PAGE_LANGUAGES.map(
    (language) =>
      html`<a href="${path}${queryOf(query, { language, isLanguageNamed: true })}" lang="${language}"${currentIf(language === query.language)}>${TEXTS[language].language}</a>`,
  );
  return html`<footer class="foot">
<nav aria-label="${texts.languages}">${languages}</nav>
<div>${links}<a href="/docs" hreflang="en">${texts.developers}</a></div>
</footer>`;
}

export const currentIf = (isCurrent: boolean): Html | null =>
  isCurrent ? trustMarkup(' aria-current="true"') : null;

/** A search that works without a script, and keeps everything else that was chosen. */
export function searchForm(path: string, query: PageQuery, label: string, texts: Texts): Html {
  const kept = new URLSearchParams(queryOf(query, { text: '', page: 1 }));
  return html`<form class="search" role="search" action="${path}">
${[...kept].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input name="q" type="search" value="${query.text}" aria-label="${label}" placeholder="${texts.search}" autocomplete="off" spellcheck="false" maxlength="200">
<button><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg><span class="unseen">${texts.search}</span></button>
</form>`;
}

/** The position in a long list, with links to the rest of it. */
export function pager<Item>(path: string, query: PageQuery, list: Listed<Item>, texts: Texts): Html | null {
  if (list.pages === 1) return null;
  const { format } = new Intl.NumberFormat(texts.locale);
  const link = (page: number, text: string, rel: string): Html | null =>
    page < 1 || page > list.pages
      ? null
      : html`<a class="button" rel="${rel}" href="${path}${queryOf(query, { page })}">${text}</a>`;
  return html`<nav class="pager" aria-label="${texts.pages}">
${link(list.page - 1, texts.previous, 'prev')}
<span>${texts.shown(format(list.from + 1), format(list.from + list.items.length), format(list.all))}</span>
${link(list.page + 1, texts.next, 'next')}
</nav>`;
}

/**
 * The policy of a page: it loads from this service alone, and has no inline script or style.
 *
 * @param isFrame whether any site may embed the page
 */
export const policyOf = (isFrame: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${isFrame ? '*' : "'none'"}`,
  ].join('; ');
