import { parseAccept } from 'hono/utils/accept';
import type { Language } from '../../base/text/text.ts';

/** A range of the header, such as `it`, `it-IT` or `*`, with its weight. */
interface Range {
  readonly tag: string;
  readonly weight: number;
}

/** How much a client prefers a language. `place` is its position in the header, which decides between equal weights. */
interface Preference {
  readonly weight: number;
  readonly place: number;
}

/**
 * The language of the answer among those on offer, by the weights of RFC 9110: a language has the weight of the range
 * that names it (`it`, or `it-IT` for a region), else that of `*`. Between equal weights, a language that is named goes
 * before one that is not, then the one that is named first. The first of them all if there is no preference, or if none is
 * accepted.
 *
 * @param acceptLanguage the header `Accept-Language`, if there is one
 */
export function preferredAmong<Tag extends string>(
  acceptLanguage: string | null,
  languages: readonly [Tag, ...Tag[]],
): Tag {
  const [first] = languages;
  if (acceptLanguage === null) {
    return first;
  }
  const ranges = parseAccept(acceptLanguage).map(({ type, q }) => ({
    tag: type.toLowerCase(),
    weight: q,
  }));
  const preferences = languages.map((tag) => ({ tag, ...preferenceFor(tag, ranges) }));
  const best = preferences.reduce((a, b) =>
    b.weight > a.weight || (b.weight === a.weight && b.place < a.place) ? b : a,
  );
  return best.weight > 0 ? best.tag : first;
}

/** {@link preferredAmong} the languages of the service. */
export const preferredLanguage = (acceptLanguage: string | null): Language =>
  preferredAmong(acceptLanguage, ['en', 'it']);

/** @param ranges the greatest weight first */
function preferenceFor(language: string, ranges: readonly Range[]): Preference {
  const place = ranges.findIndex((range) => covers(range, language));
  const named = ranges[place];
  if (named !== undefined) {
    return { weight: named.weight, place };
  }
  const wildcard = ranges.find(({ tag }) => tag === '*');
  return { weight: wildcard?.weight ?? 0, place: Number.POSITIVE_INFINITY };
}

/** A client that refuses a region's variant (`en-GB;q=0`) does not refuse the language. */
function covers({ tag, weight }: Range, language: string): boolean {
  return tag === language || (weight > 0 && tag.startsWith(`${language}-`));
}
