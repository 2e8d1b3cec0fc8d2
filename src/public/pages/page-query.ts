import { preferredAmong } from '../../serving/http/language.ts';
import { AREA_TYPES, type AreaType } from '../../storage/db/schema/configuration.ts';
import { PAGE_LANGUAGES, type PageLanguage } from './texts.ts';

/** The orders of a city's areas that need no script, the default first. */
export const AREA_ORDERS = ['free', 'name'] as const;
type AreaOrder = (typeof AREA_ORDERS)[number];

const THEMES = ['light', 'dark'] as const;

/** The choices in a page's address. Unknown values count as absent. */
export interface PageQuery {
  readonly language: PageLanguage;
  /** Whether the address names the language: then links do, too. */
  readonly isLanguageNamed: boolean;
  /** Null for both. */
  readonly areaType: AreaType | null;
  /** Distinct codes. Empty for all. */
  readonly areas: readonly string[];
  readonly order: AreaOrder;
  /** The text to search names for. */
  readonly text: string;
  /** From 1. */
  readonly page: number;
  /** The colours of a page in a frame. Null: as the reader prefers. */
  readonly theme: (typeof THEMES)[number] | null;
}

/** The length of the longest name. */
const MAX_TEXT = 200;
/** Every link of a page repeats the areas. To show more, show all. */
const MAX_AREAS = 200;

/** Reads the query of a page's address. If it names no language, takes the browser's. */
export function readPageQuery({ url, headers }: Request): PageQuery {
  const { searchParams } = new URL(url);
  const named = PAGE_LANGUAGES.find((language) => language === searchParams.get('lang'));
  const page = Number(searchParams.get('page'));
  return {
    language: named ?? preferredAmong(headers.get('Accept-Language'), PAGE_LANGUAGES),
    isLanguageNamed: named !== undefined,
    areaType: AREA_TYPES.find((type) => type === searchParams.get('area_type')) ?? null,
    areas: readAreas(searchParams),
    order: AREA_ORDERS.find((order) => order === searchParams.get('sort')) ?? 'free',
    text: (searchParams.get('q') ?? '').trim().slice(0, MAX_TEXT),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    theme: THEMES.find((theme) => theme === searchParams.get('theme')) ?? null,
  };
}

/** An address may name one area a thousand times, or a thousand that do not exist. */
function readAreas(searchParams: URLSearchParams): readonly string[] {
  return [...new Set(searchParams.getAll('area'))].slice(0, MAX_AREAS);
}

/** A query with only the language. */
export const languageOf = ({ language, isLanguageNamed }: PageQuery): PageQuery => ({
  ...{ language, isLanguageNamed, areaType: null, areas: [], order: 'free', text: '', page: 1, theme: null },
});

/** The query of a link that keeps the reader's choices except for some: empty, or beginning with `?`. */
export function queryOf(query: PageQuery, changed: Partial<PageQuery> = {}): string {
  const { language, isLanguageNamed, areaType, areas, order, text, page, theme } = { ...query, ...changed };
  const parameters = new URLSearchParams([
    ...(isLanguageNamed ? [['lang', language]] : []),
    ...(areaType === null ? [] : [['area_type', areaType]]),
    ...areas.map((code) => ['area', code]),
    ...(order === 'free' ? [] : [['sort', order]]),
    ...(text === '' ? [] : [['q', text]]),
    ...(page === 1 ? [] : [['page', String(page)]]),
    ...(theme === null ? [] : [['theme', theme]]),
  ]);
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** A page of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly all: number;
  /** The position of the first item in the whole list, from 0. */
  readonly from: number;
  readonly page: number;
  readonly pages: number;
}

/** Returns a page of a list, or the last page if there are fewer. */
export function selectPage<Item>(all: readonly Item[], page: number, perPage: number): Listed<Item> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const shown = Math.min(page, pages);
  const from = (shown - 1) * perPage;
  return { items: all.slice(from, from + perPage), all: all.length, from, page: shown, pages };
}
