import { maskTokens } from '../../base/text/text.ts';

/** Matches every escape sequence, so that an escaped backslash is not taken for the start of another. */
const ESCAPE = /\\(?:u00([0-7][0-9a-f])|[\s\S])/gi;
const WORD_CHARACTER = /^\w$/;

/**
 * Makes a body safe to log. Removes NUL, which D1 cannot store in a text and which would hide a token in a body of another
 * encoding. Masks our tokens, even those written with JSON escapes. A JSON text stays valid and, except for tokens,
 * keeps its meaning.
 */
export function maskedText(text: string): string {
  return maskTokens(text.replaceAll('\0', '').replace(ESCAPE, unescapedWord));
}

export const MAX_TARGET_LENGTH = 520;

/** Makes the target of an administrator's write safe to log: a path may hold anything, even a token. */
export function loggedTarget(target: string): string {
  return [...maskTokens(target)].slice(0, MAX_TARGET_LENGTH).join('');
}

/** Unescapes letters, digits and the underscore, which mean the same without an escape. */
function unescapedWord(sequence: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
  return WORD_CHARACTER.test(character) ? character : sequence;
}
