import { AREA_TYPES, type AreaType } from './answer.ts';
import { isLanguage, type Language } from './texts.ts';

/** The element's attributes, as the page has written them. Null or undefined: not there. */
export interface Attributes {
  readonly base?: string | null;
  readonly municipality?: string | null;
  readonly areaType?: string | null;
  readonly areas?: string | null;
  readonly lang?: string | null;
}

/** What surrounds the element, for attributes that are not there. */
export interface Surroundings {
  /** Where the script was loaded from: the service itself. */
  readonly scriptOrigin: string;
  /** The language of the element's part of the document. */
  readonly documentLanguage: string | null;
}

export interface Settings {
  /** The address to ask; null without a municipality. */
  readonly address: string | null;
  /** Null for both types. */
  readonly areaType: AreaType | null;
  /** The codes of those to show; none for all. */
  readonly areas: readonly string[];
  readonly language: Language;
  /** Mistakes in the page's attributes, for the console. */
  readonly warnings: readonly string[];
}

/** Reads the attributes: an invalid value counts as left out, with a warning. */
export function readSettings(attributes: Attributes, surroundings: Surroundings): Settings {
  const warnings: string[] = [];
  const areaType = readAreaType(attributes.areaType, warnings);
  const base = readBase(attributes.base, surroundings.scriptOrigin, warnings);
  const municipality = attributes.municipality?.trim() ?? '';
  if (municipality === '') {
    warnings.push(
      'the attribute "municipality" is missing: give it the code of a municipality, such as "L219"',
    );
  }
  return {
    address: municipality === '' ? null : addressOf(base, municipality, areaType),
    areaType,
    areas: (attributes.areas ?? '')
      .split(',')
      .map((code) => code.trim())
      .filter((code) => code !== ''),
    language: readLanguage(attributes.lang, surroundings.documentLanguage, warnings),
    warnings,
  };
}

function addressOf(base: string, municipality: string, areaType: AreaType | null): string {
  const query = areaType === null ? '' : `?area_type=${areaType}`;
  return `${base}/api/v2/public/municipalities/${encodeURIComponent(municipality)}/occupancy${query}`;
}

function readBase(given: string | null | undefined, scriptOrigin: string, warnings: string[]): string {
  const text = given?.trim() ?? '';
  if (text === '') return scriptOrigin;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) {
    return url.origin + url.pathname.replace(/\/+$/, '');
  }
  warnings.push(`base="${text}" is not an address such as "https://parking.example": using ${scriptOrigin}`);
  return scriptOrigin;
}

function readAreaType(given: string | null | undefined, warnings: string[]): AreaType | null {
  const text = given?.trim() ?? '';
  const known = AREA_TYPES.find((type) => type === text);
  if (known === undefined && text !== '') {
    warnings.push(`area-type="${text}" is neither "street" nor "facility": showing both`);
  }
  return known ?? null;
}

function readLanguage(
  given: string | null | undefined,
  documentLanguage: string | null,
  warnings: string[],
): Language {
  const own = primarySubtag(given);
  if (isLanguage(own)) return own;
  const surrounding = primarySubtag(documentLanguage);
  const language = isLanguage(surrounding) ? surrounding : 'en';
  if (own !== '') {
    warnings.push(`lang="${given}" is neither Italian ("it") nor English ("en"): using "${language}"`);
  }
  return language;
}

/** `it` of `it-CH`. */
const primarySubtag = (tag: string | null | undefined): string =>
  tag?.trim().toLowerCase().split('-')[0] ?? '';
