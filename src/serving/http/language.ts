import { parseAccept } from 'hono/utils/accept';
import type { Language } from '../../base/text/text.ts';

/**
 * The language on offer that a client wants most: the first of greatest weight, whatever region it names (`it`, `it-CH`). The
 * first on offer for any language (`*`), for others, and without a wish.
 *
 * @param acceptLanguage the header `Accept-Language`, if there is one
 */
export function preferredAmong<Tag extends string>(
  acceptLanguage: string | null,
  languages: readonly [Tag, ...Tag[]],
): Tag {
  // By their weights, the greatest first.
  const wanted = parseAccept(acceptLanguage ?? '').filter(({ q }) => q > 0);
  for (const { type } of wanted) {
    const [language] = type.toLowerCase().split('-');
    const offered = language === '*' ? languages[0] : languages.find((tag) => tag === language);
    if (offered !== undefined) return offered;
  }
  return languages[0];
}

/** {@link preferredAmong} the languages of the service. */
export const preferredLanguage = (acceptLanguage: string | null): Language =>
  preferredAmong(acceptLanguage, ['en', 'it']);
