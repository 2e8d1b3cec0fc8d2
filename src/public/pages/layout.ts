import { html as escaped, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { withSteeringShown } from '../../base/text/text.ts';
import { type Listed, languageOf, type PageQuery, queryOf } from './page-query.ts';
import { STYLES, type Style } from './styles.ts';
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

/** The script that refreshes a page that shows free spaces. */
export const LIVE_SCRIPT = '/pages/live.js';
/** The script of the control room. */
export const BOARD_SCRIPT = '/pages/board.js';

/** What every page is made of. */
interface Document {
  readonly title: string;
  /** The path of the page, for the links to its other languages. */
  readonly path: string;
  readonly query: PageQuery;
  /** The script that refreshes it, if there is anything to refresh. */
  readonly script?: string;
  readonly style: Style;
  readonly body: Html;
  readonly footer?: Html | null;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230550ae'/%3E%3Cpath d='M12 25V7h6a5.5 5.5 0 0 1 0 11h-6' fill='none' stroke='%23fff' stroke-width='4'/%3E%3C/svg%3E";

const STYLE_ELEMENTS = {
  cities: styleElement('cities'),
  city: styleElement('city'),
  frame: styleElement('frame'),
  data: styleElement('data'),
  board: styleElement('board'),
} as const satisfies Record<Style, Html>;

function styleElement(style: Style): Html {
  return html`<style>${trustMarkup(STYLES[style])}</style>`;
}

/** A whole page, in the language of its query. */
export function documentOf({ title, path, query, script, style, body, footer = null }: Document): string {
  const texts = TEXTS[query.language];
  return String(html`<!doctype html>
<html lang="${query.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${texts.intro}">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${STYLE_ELEMENTS[style]}
${script === undefined ? null : html`<script type="module" src="${script}"></script>`}
</head>
<body>
${style === 'frame' ? null : writeHeader(path, query, texts)}
${body}
${footer}
</body>
</html>
`);
}

function writeHeader(path: string, query: PageQuery, texts: Texts): Html {
  const languages = PAGE_LANGUAGES.map(
    (language) =>
      html`<li><a href="${path}${queryOf(query, { language, isLanguageNamed: true })}" lang="${language}"${language === query.language ? trustMarkup(' aria-current="true"') : null}>${TEXTS[language].language}</a></li>`,
  );
  return html`<header class="top">
<nav><a href="/${queryOf(languageOf(query))}">${texts.allCities}</a> <a href="/docs" hreflang="en">${texts.developers}</a></nav>
<nav aria-label="${texts.languages}"><ul>${languages}</ul></nav>
</header>`;
}

/** A search that works without a script, and keeps everything else that was chosen. */
export function searchForm(path: string, query: PageQuery, label: string, texts: Texts): Html {
  const kept: [string, string][] = [
    ...(query.isLanguageNamed ? [['lang', query.language] as [string, string]] : []),
    ...(query.areaType === null ? [] : [['area_type', query.areaType] as [string, string]]),
    ...query.areas.map((code): [string, string] => ['area', code]),
    ...(query.order === 'free' ? [] : [['sort', query.order] as [string, string]]),
  ];
  return html`<form class="search" role="search" action="${path}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="q">${label}</label>
<input id="q" name="q" type="search" value="${query.text}" autocomplete="off" spellcheck="false" maxlength="200">
<button>${texts.search}</button>
</form>`;
}

/** The position in a long list, with links to the rest of it. */
export function pager<Item>(path: string, query: PageQuery, list: Listed<Item>, texts: Texts): Html | null {
  if (list.pages === 1) return null;
  const { format } = new Intl.NumberFormat(texts.locale);
  const link = (page: number, text: string, rel: string): Html | null =>
    page < 1 || page > list.pages
      ? null
      : html`<a rel="${rel}" href="${path}${queryOf(query, { page })}">${text}</a>`;
  return html`<nav class="pager" aria-label="${texts.pages}">
${link(list.page - 1, texts.previous, 'prev')}
<span>${texts.shown(format(list.from + 1), format(list.from + list.items.length), format(list.all))}</span>
${link(list.page + 1, texts.next, 'next')}
</nav>`;
}

const digests = new Map<Style, Promise<string>>();

/**
 * The policy of a page: it loads from this service alone, runs no inline script, and has one style, which it names by its
 * digest.
 *
 * @param kind any page may embed a frame; the control room sends no form, and keeps its token
 */
export async function policyOf(kind: Style): Promise<string> {
  const digest = await digests.getOrInsertComputed(kind, () => digestOf(STYLES[kind]));
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' '${digest}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${kind === 'board' ? "'none'" : "'self'"}`,
    `frame-ancestors ${kind === 'frame' ? '*' : "'none'"}`,
  ].join('; ');
}

async function digestOf(style: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
  return `sha256-${new Uint8Array(bytes).toBase64()}`;
}
