import { parseAccept } from 'hono/utils/accept';
import type { Language } from '../text/text.ts';

/** A range of the header, such as `it`, `it-IT` or `*`, with its weight. */
interface Range {
  readonly tag: string;
  readonly weight: number;
}

/** How much a client wants a language. Place is where the header names it, among ranges of equal weight. */
interface Wish {
  readonly weight: number;
  readonly place: number;
}

/**
 * The language to answer in, by the weights of RFC 9110: a language has the weight of the range that names it (`it`, or
 * a region's `it-IT`), else that of `*`. Of equal weights the one that is named goes before the one that is not, then
 * the one that is named first. English without a preference, and where neither is wanted.
 *
 * @param acceptLanguage the header `Accept-Language`, if there is one
 */
export function preferredLanguage(acceptLanguage: string | null): Language {
  if (acceptLanguage === null) {
    return 'en';
  }
  const ranges = parseAccept(acceptLanguage).map(({ type, q }) => ({ tag: type.toLowerCase(), weight: q }));
  const italian = wishFor('it', ranges);
  const english = wishFor('en', ranges);
  const isPreferred =
    italian.weight === english.weight ? italian.place < english.place : italian.weight > english.weight;
  return isPreferred && italian.weight > 0 ? 'it' : 'en';
}

/** @param ranges the greatest weight first */
function wishFor(language: Language, ranges: readonly Range[]): Wish {
  const place = ranges.findIndex((range) => names(range, language));
  const named = ranges[place];
  if (named !== undefined) {
    return { weight: named.weight, place };
  }
  const any = ranges.find(({ tag }) => tag === '*');
  return { weight: any?.weight ?? 0, place: Number.POSITIVE_INFINITY };
}

/** Whoever refuses a region's variant (`en-GB;q=0`) has not refused the language. */
function names({ tag, weight }: Range, language: Language): boolean {
  return tag === language || (weight > 0 && tag.startsWith(`${language}-`));
}
