import { GERMAN } from './texts-de.ts';
import { ENGLISH, type Texts } from './texts-en.ts';
import { FRENCH } from './texts-fr.ts';
import { ITALIAN } from './texts-it.ts';

/** The languages of the pages, the default first. */
export const PAGE_LANGUAGES = ['en', 'it', 'de', 'fr'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

export const TEXTS: Readonly<Record<PageLanguage, Texts>> = {
  en: ENGLISH,
  it: ITALIAN,
  de: GERMAN,
  fr: FRENCH,
};
