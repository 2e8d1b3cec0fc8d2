import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { JSON_STRING } from '../../text/json-text.ts';

const MASK = '***';
/** The strings are matched as well, so that no number is found inside one. */
const JSON_STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/**
 * A body that was sent, without a plate: every JSON string that normalizes to it is masked, and every number, since a
 * plate of digits alone may have been sent as one. What is no JSON is searched for the plate in every spelling besides.
 */
export function withoutPlate(text: string | null, plate: Plate): string | null {
  return masked(text, plate, JSON_STRING_OR_NUMBER);
}

/** Likewise a body that the service answered: its numbers are never a plate. */
export function answerWithoutPlate(text: string | null, plate: Plate): string | null {
  return masked(text, plate, JSON_STRING);
}

function masked(text: string | null, plate: Plate, inJson: RegExp): string | null {
  if (text === null) {
    return null;
  }
  const mask = (values: RegExp) => text.replace(values, (json) => (says(json, plate) ? `"${MASK}"` : json));
  return isJson(text) ? mask(inJson) : searched(mask(JSON_STRING), plate);
}

/** Whether a JSON value is the plate. A number may be so as it is written alone: a long one is read as another. */
function says(json: string, plate: Plate): boolean {
  try {
    const read = String(JSON.parse(json));
    return normalizePlate(read) === plate || (!json.startsWith('"') && normalizePlate(json) === plate);
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Masks a plate wherever a text spells it, whatever stands between its letters: another plate too, so that what is left
 * does not spell it once more.
 */
function searched(text: string, plate: Plate): string {
  const left: Letter[] = [];
  const found: { readonly from: number; readonly to: number }[] = [];
  for (const letter of lettersOf(text)) {
    left.push(letter);
    const from = left.at(-plate.length)?.from;
    if (from !== undefined && endsWith(left, plate)) {
      left.length -= plate.length;
      while ((found.at(-1)?.from ?? -1) >= from) {
        found.pop();
      }
      found.push({ from, to: letter.to });
    }
  }
  let masked = '';
  let copiedTo = 0;
  for (const { from, to } of found) {
    masked += text.slice(copiedTo, from) + MASK;
    copiedTo = to;
  }
  return masked + text.slice(copiedTo);
}

/** Looked at from the end: most texts differ in their last letter. */
function endsWith(letters: readonly Letter[], plate: Plate): boolean {
  for (let back = 1; back <= plate.length; back += 1) {
    if (letters.at(-back)?.letter !== plate[plate.length - back]) {
      return false;
    }
  }
  return true;
}

/** A letter of a plate, and where in a text the character stands that leaves it. */
interface Letter {
  readonly letter: string;
  readonly from: number;
  readonly to: number;
}

/** What each character of a text would leave in a plate, a code unit each, and where it stands. */
function* lettersOf(text: string): Generator<Letter> {
  const normal = new Map<string, string>();
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    let letters = normal.get(character);
    if (letters === undefined) {
      letters = normalizePlate(character) ?? '';
      normal.set(character, letters);
    }
    for (let at = 0; at < letters.length; at += 1) {
      yield { letter: letters.charAt(at), from, to };
    }
    from = to;
  }
}
