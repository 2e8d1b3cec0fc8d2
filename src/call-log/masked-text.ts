import { maskTokens } from '../text/token-mask.ts';

/** Escape sequences one after the other, so that a backslash that is itself escaped begins none. */
const ESCAPE = /\\(?:u00([0-7][0-9a-f])|[\s\S])/gi;
const WORD_CHARACTER = /^\w$/;

/**
 * A body as the log may keep it: without NUL, which a text of the database cannot hold (and which would hide a token in a
 * body of another encoding), and with every token of ours masked, also one that hides behind JSON's escapes of letters
 * and digits. A JSON text stays one, and says the same but for the tokens.
 */
export function maskedText(text: string): string {
  return maskTokens(text.replaceAll('\0', '').replace(ESCAPE, unescapedWord));
}

/** Letters, digits and the underscore mean the same with and without an escape. Everything else stays as it is. */
function unescapedWord(sequence: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
  return WORD_CHARACTER.test(character) ? character : sequence;
}
