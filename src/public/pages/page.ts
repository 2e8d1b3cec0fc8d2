import { html, raw } from 'hono/html';
import * as z from 'zod';
import { withSteeringShown } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import { preferredAmong } from '../../serving/http/language.ts';
import { AREA_TYPES } from '../../storage/db/schema/configuration.ts';
import { ICON, PAGE_FILES, type SCRIPTS, SIGN, type STYLES } from './look.ts';
import { PAGE_LANGUAGES, type PageLanguage, TEXTS, type Texts } from './texts.ts';

/** Markup: `html` escapes every other value. */
export type Html = ReturnType<typeof html>;

/** Every link of a page repeats the areas. To show more, show all. */
const MAX_AREAS = 200;
/** The length of the longest name. */
const MAX_TEXT = 200;

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values).optional().catch(undefined);

/** The choices in a page's address. Unknown values count as absent. */
const pageQuery = z.object({
  lang: oneOf(PAGE_LANGUAGES),
  area_type: oneOf(AREA_TYPES),
  area: z.array(z.string()).transform((codes) => [...new Set(codes)].slice(0, MAX_AREAS)),
  /** Absent: most free spaces first. */
  sort: oneOf(['name']),
  q: z
    .string()
    .optional()
    .transform((text) => text?.trim().slice(0, MAX_TEXT) || undefined),
  /** Absent: the first. */
  page: z.coerce.number().int().min(2).optional().catch(undefined),
  theme: oneOf(['light', 'dark']),
});
type PageQuery = z.output<typeof pageQuery>;

type Languages = readonly [PageLanguage, ...PageLanguage[]];

/** What a reader asked for. */
export interface Asked {
  readonly path: string;
  readonly query: PageQuery;
  /** Those that the page speaks. */
  readonly languages: Languages;
  /** The address's, else the browser's. */
  readonly language: PageLanguage;
  readonly texts: Texts;
  /** Whether the page is shown in a frame of another site. */
  readonly isFrame: boolean;
  readonly number: (value: number) => string;
}

export function readAsked(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  languages: Languages = PAGE_LANGUAGES,
): Asked {
  const { pathname: path, searchParams } = new URL(url);
  const query = pageQuery.parse({ ...Object.fromEntries(searchParams), area: searchParams.getAll('area') });
  const language =
    languages.find((one) => one === query.lang) ?? preferredAmong(headers.get('Accept-Language'), languages);
  const texts = TEXTS[language];
  const { format: number } = new Intl.NumberFormat(texts.locale);
  return { path, query, languages, language, texts, number, isFrame: path.startsWith('/embed/') };
}

/** The address of this page with some choices changed. */
export const here = ({ path, query }: Asked, changed: Partial<PageQuery>): string =>
  path + queryOf({ ...query, ...changed });

/** The address of another page, in the language that the reader has chosen. */
export const elsewhere = ({ query: { lang } }: Asked, path: string): string => path + queryOf({ lang });

function queryOf(query: Partial<PageQuery>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** A configured name, isolated so that its text direction does not affect the surrounding text. */
export const nameOf = (name: string): Html => html`<bdi>${withSteeringShown(name)}</bdi>`;

export const currentIf = (isCurrent: boolean): Html | null =>
  isCurrent ? raw(' aria-current="true"') : null;

interface Content {
  readonly title: string;
  readonly script?: (typeof SCRIPTS)[number];
  /** In addition to that of every page. */
  readonly style?: (typeof STYLES)[number];
  readonly body: Html;
  /** Links of this page alone, for the footer. */
  readonly links?: Html;
}

/** A whole page. One in a frame has no header and no footer. */
export async function pageOf(asked: Asked, content: Content): Promise<string> {
  const { title, script, style, body, links } = content;
  const { language, texts, query, isFrame } = asked;
  const header = html`<header class="top"><a class="home" href="${elsewhere(asked, '/')}"><svg viewBox="0 0 32 32" aria-hidden="true">${raw(SIGN)}</svg> ${texts.allCities}</a></header>`;
  const languages = asked.languages.map(
    (lang) =>
      html`<a href="${here(asked, { lang })}" lang="${lang}"${currentIf(lang === language)}>${TEXTS[lang].language}</a>`,
  );
  const footer = html`<footer class="foot">
<nav aria-label="${texts.languages}">${languages}</nav>
<div>${links}<a href="/docs" hreflang="en">${texts.developers}</a></div>
</footer>`;
  const page = html`<!doctype html>
<html lang="${language}"${query.theme && html` data-theme="${query.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isFrame || html`<meta name="description" content="${texts.intro}">`}
<title>${title}</title>
<link rel="icon" href="${raw(ICON)}">
<link rel="stylesheet" href="${PAGE_FILES}style.css">
${style && html`<link rel="stylesheet" href="${PAGE_FILES}${style}.css">`}
${script && html`<script type="module" src="${PAGE_FILES}${script}.js"></script>`}
</head>
<body${isFrame && raw(' class="framed"')}>
${isFrame || header}
${body}
${isFrame || footer}
</body>
</html>
`;
  return String(await page);
}

/** From this many areas or cities on, a list has a search. */
const SEARCHED_FROM = 10;

/** A search that works without a script, and keeps everything else that was chosen; none for a short list. */
export function searchForm(asked: Asked, count: number, label: string): Html | null {
  const { path, query, texts } = asked;
  if (count < SEARCHED_FROM && query.q === undefined) return null;
  const kept = new URLSearchParams(queryOf({ ...query, q: undefined, page: undefined }));
  return html`<form class="search" role="search" action="${path}">
${[...kept].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input name="q" type="search" value="${query.q}" aria-label="${label}" placeholder="${texts.search}" autocomplete="off" spellcheck="false" maxlength="${MAX_TEXT}">
<button aria-label="${texts.search}"><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg></button>
</form>`;
}

/** The items of the page of a list that was asked for, or of its last one, with links to its other pages. */
export function paged<Item>(asked: Asked, all: readonly Item[], perPage: number) {
  const { query, texts, number } = asked;
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const page = Math.min(query.page ?? 1, pages);
  const from = (page - 1) * perPage;
  const items = all.slice(from, from + perPage);
  const link = (to: number, rel: string, text: string): Html =>
    html`<a class="button" rel="${rel}" href="${here(asked, { page: to === 1 ? undefined : to })}">${text}</a>`;
  const pager = html`<nav class="pager" aria-label="${texts.pages}">
${page > 1 && link(page - 1, 'prev', texts.previous)}
<span>${texts.shown(number(from + 1), number(from + items.length), number(all.length))}</span>
${page < pages && link(page + 1, 'next', texts.next)}
</nav>`;
  return { items, pager: pages > 1 ? pager : null };
}

/** How a city's page writes instants: the date only where it is not that of the counters; or the day of the week. */
export function timesOf({ texts: { locale } }: Asked, at: Instant, timeZone: string) {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const week = new Intl.DateTimeFormat(locale, { ...parts, timeZone });
  const today = day.format(at);
  return {
    short: (instant: Instant): string => (day.format(instant) === today ? time : long).format(instant),
    inWeek: (instant: Instant): string => week.format(instant),
  };
}
