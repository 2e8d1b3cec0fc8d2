import { maskTokens } from '../access/token.ts';

/** Escape sequences one after the other, so that a backslash that is itself escaped begins none. */
const ESCAPE = /\\(?:u00([0-7][0-9a-f])|[\s\S])/gi;
const WORD_CHARACTER = /^\w$/;

/**
 * A body as the log may keep it: every token of ours masked, also one that hides behind JSON's escapes of letters and
 * digits. A JSON text stays one, and says the same but for the tokens.
 */
export function maskedText(text: string): string {
  return maskTokens(text.replace(ESCAPE, unescapedWord)).replaceAll('\0', '\uFFFD');
}

/** Letters, digits and the underscore mean the same with and without an escape. Everything else stays as it is. */
function unescapedWord(sequence: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
  return WORD_CHARACTER.test(character) ? character : sequence;
}
