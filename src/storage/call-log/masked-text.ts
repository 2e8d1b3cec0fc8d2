import { maskTokens } from '../../base/text/token-mask.ts';

/** Matches one escape sequence after the other, so that an escaped backslash does not begin another. */
const ESCAPE = /\\(?:u00([0-7][0-9a-f])|[\s\S])/gi;
const WORD_CHARACTER = /^\w$/;

/**
 * A body as it may be logged. NUL is removed: the database cannot store it in a text, and it would hide a token in a
 * body of another encoding. Every token of ours is masked, even if its letters are written as JSON escapes. A JSON text
 * stays valid, and keeps its meaning but for the tokens.
 */
export function maskedText(text: string): string {
  return maskTokens(text.replaceAll('\0', '').replace(ESCAPE, unescapedWord));
}

/** The most characters of a `target`. */
export const MAX_TARGET_LENGTH = 520;

/** The target of an administrator's write as it may be logged: a path may hold anything, even a token. */
export function loggedTarget(target: string): string {
  return [...maskTokens(target)].slice(0, MAX_TARGET_LENGTH).join('');
}

/** Letters, digits and the underscore mean the same without an escape. Everything else stays escaped. */
function unescapedWord(sequence: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
  return WORD_CHARACTER.test(character) ? character : sequence;
}
