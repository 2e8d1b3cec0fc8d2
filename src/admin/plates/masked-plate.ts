import { normalizePlate, type Plate } from '../../domain/plate.ts';

const MASK = '***';
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * A body without a plate: every JSON string that normalizes to it is masked. What is no JSON is searched for the plate in
 * every spelling besides.
 */
export function withoutPlate(text: string | null, plate: Plate): string | null {
  if (text === null) {
    return null;
  }
  const masked = text.replace(JSON_STRING, (json) => (says(json, plate) ? `"${MASK}"` : json));
  return isJson(text) ? masked : searched(masked, plate);
}

function says(json: string, plate: Plate): boolean {
  try {
    return normalizePlate(String(JSON.parse(json))) === plate;
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

/** Masks a plate wherever a text spells it, whatever stands between its letters. */
function searched(text: string, plate: Plate): string {
  const read = lettersOf(text);
  const letters = read.map(({ letter }) => letter).join('');
  const { length } = plate;
  let masked = '';
  let copiedTo = 0;
  for (let at = letters.indexOf(plate); at >= 0; at = letters.indexOf(plate, at + length)) {
    const [first, last] = [read[at], read[at + length - 1]];
    if (first !== undefined && last !== undefined && first.from >= copiedTo) {
      masked += text.slice(copiedTo, first.from) + MASK;
      copiedTo = last.to;
    }
  }
  return masked + text.slice(copiedTo);
}

/** What each character of a text would leave in a plate, a code unit each, and where it stands. */
function lettersOf(text: string) {
  const letters: { readonly letter: string; readonly from: number; readonly to: number }[] = [];
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    for (const letter of (normalizePlate(character) ?? '').split('')) {
      letters.push({ letter, from, to });
    }
    from = to;
  }
  return letters;
}
