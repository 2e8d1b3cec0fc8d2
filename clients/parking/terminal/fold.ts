import { stripVTControlCharacters } from 'node:util';
import { harmless } from './door.ts';

/** Characters that a text takes on the screen: colours take none. */
export const widthOf = (text: string): number => [...stripVTControlCharacters(text).normalize('NFC')].length;

/**
 * Where a word of a table may be broken: after a part of a code, and between the date and the time of an
 * instant.
 */
const WITHIN_WORDS = /(?<=[_/])|(?<=\d)(?=T\d)/;

/**
 * A text in lines of this width. Words stay whole, so that a token can be copied. A colour of the whole text
 * colours each line.
 */
export const folded = (text: string, width: number): string[] => fold(text, width, wordsOf);

/** The same for a cell of a table, where the codes and instants of the service may be broken too. */
export const foldedCell = (text: string, width: number): string[] =>
  fold(text, width, (plain) => piecesOf(plain, width));

function fold(given: string, width: number, parts: (text: string) => string[]): string[] {
  const text = harmless(given);
  if (widthOf(text) <= width) return [text];
  const [before, plain, behind] = uncoloured(text);
  const lines: string[] = [];
  let line = '';
  for (const piece of parts(plain)) {
    if (line !== '' && widthOf(`${line}${piece}`.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()].map((one) => before + one + behind);
}

/**
 * The colour of a whole text before it, the text, and the end of the colour. A colour of a part stays in the
 * text.
 */
function uncoloured(text: string): readonly [before: string, plain: string, behind: string] {
  const plain = stripVTControlCharacters(text);
  const from = text.indexOf(plain);
  return from === -1 ? ['', text, ''] : [text.slice(0, from), plain, text.slice(from + plain.length)];
}

/** Words with the blanks after them. */
const wordsOf = (text: string): string[] => text.split(/(?<=\s)(?=\S)/);

/** A word that is too wide in parts. */
const piecesOf = (text: string, width: number): string[] =>
  wordsOf(text).flatMap((word) => (widthOf(word) > width ? word.split(WITHIN_WORDS) : [word]));

/** The width below which a cell is not folded. */
export const minWidthOf = (text: string): number =>
  Math.max(0, ...piecesOf(stripVTControlCharacters(text), 1).map((piece) => widthOf(piece.trimEnd())));
