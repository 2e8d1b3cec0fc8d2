import { parseAccept } from 'hono/utils/accept';

export type Language = 'en' | 'it';

/** A text for people, in each language of the service. */
export type Text = Readonly<Record<Language, string>>;

/**
 * The language to answer in: the first of English and Italian in the client's order of preference; English
 * without one.
 *
 * @param acceptLanguage the header `Accept-Language`, if there is one
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) {
    return 'en';
  }
  for (const { type, q } of parseAccept(acceptLanguage)) {
    const primary = type.toLowerCase().split('-', 1)[0];
    if (q > 0 && (primary === 'en' || primary === 'it')) {
      return primary;
    }
  }
  return 'en';
}
