import { parseAccept } from 'hono/utils/accept';
import type { Language } from '../text/text.ts';

/**
 * The language to answer in: the first of English and Italian in the client's order of preference; English
 * without one.
 *
 * @param acceptLanguage the header `Accept-Language`, if there is one
 */
export function preferredLanguage(acceptLanguage: string | null): Language {
  if (acceptLanguage === null) {
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
