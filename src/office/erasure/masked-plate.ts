import { normalizePlate, type Plate, spellsPlate } from '../../domain/plate.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';

const MASK = '***';
/**
 * The strings of a JSON text. In text that is not JSON, an unclosed string extends to the end, so that no character is matched
 * twice, whatever the caller sends.
 */
const JSON_STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/g;
/** Matches strings too, so that it finds no number inside one. */
const JSON_STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/**
 * Masks a plate in a request's body: every JSON string that normalizes to it, and every such number, since a plate of digits
 * alone may have been sent as one. In a body that is not JSON, also masks every spelling of the plate.
 *
 * @param keys keys made from the plate: values that contain one are masked too
 */
export function withoutPlate(text: string | null, plate: Plate, keys: Keys = keysOf([])): string | null {
  return maskPlate(text, { plate, keys }, JSON_STRING_OR_NUMBER);
}

/** As {@link withoutPlate}, for a response's body, whose numbers are never a plate. */
export function answerWithoutPlate(
  text: string | null,
  plate: Plate,
  keys: Keys = keysOf([]),
): string | null {
  return maskPlate(text, { plate, keys }, JSON_STRING);
}

/** The properties of bodies that hold free text. */
const FREE_TEXTS: ReadonlySet<string> = new Set(['"terminal_code"', '"reason"', '"note"']);

/** Masks the free texts that spell a plate, in the body of a call about that plate: the tables hide them too. */
export function withoutTextsSpelling(text: string | null, plate: Plate): string | null {
  if (text === null || !isJson(text)) {
    return text;
  }
  let name = '';
  return text.replace(JSON_STRING, (json, at: number) => {
    if (isName(text, at + json.length)) {
      name = json;
      return json;
    }
    const read = FREE_TEXTS.has(name) ? textOfJson(json) : null;
    return read !== null && spellsPlate(read, plate) ? `"${MASK}"` : json;
  });
}

/** Whether the string that ends there is the name of a property. */
function isName(json: string, end: number): boolean {
  let at = end;
  while (at < json.length && ' \t\n\r'.includes(json.charAt(at))) {
    at += 1;
  }
  return json.charAt(at) === ':';
}

/** The strings of a body, and their words, that spell the plate and may be a key. */
export function wordsSpelling(text: string | null, plate: Plate): string[] {
  return (text?.match(JSON_STRING) ?? []).flatMap((json) => {
    const read = textOfJson(json);
    return read === null || !spellsPlate(read, plate)
      ? []
      : [read.trim(), ...read.split(/\s+/)].filter(
          (word) => word.length <= NAME_LENGTH && spellsPlate(word, plate),
        );
  });
}

interface Sought {
  readonly plate: Plate;
  readonly keys: Keys;
}

/** Keys by their lengths. An importer may make hundreds of thousands from one plate: too many to compare each with a text. */
type Keys = ReadonlyMap<number, ReadonlySet<string>>;

export const keysOf = (keys: readonly string[]): Keys =>
  new Map([...Map.groupBy(keys, ({ length }) => length)].map(([length, some]) => [length, new Set(some)]));

function containsKey(text: string, keys: Keys): boolean {
  for (const [length, some] of keys) {
    for (let from = 0; from + length <= text.length; from += 1) {
      if (some.has(text.slice(from, from + length))) {
        return true;
      }
    }
  }
  return false;
}

function maskPlate(text: string | null, sought: Sought, inJson: RegExp): string | null {
  if (text === null) {
    return null;
  }
  const mask = (values: RegExp) =>
    text.replace(values, (json) => (mentions(json, sought) ? `"${MASK}"` : json));
  return isJson(text) ? mask(inJson) : maskSpelling(mask(JSON_STRING), sought.plate);
}

/** Whether a JSON value is the plate, or contains a key. Compares a number as written, since parsing changes a long one. */
function mentions(json: string, { plate, keys }: Sought): boolean {
  const read = textOfJson(json);
  return (
    read !== null &&
    (normalizePlate(read) === plate ||
      (!json.startsWith('"') && normalizePlate(json) === plate) ||
      (keys.size > 0 && spellsPlate(read, plate) && containsKey(read, keys)))
  );
}

/** A JSON value as text. */
function textOfJson(json: string): string | null {
  try {
    return String(JSON.parse(json));
  } catch {
    return null;
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
 * Masks a plate wherever a text spells it, whatever is between its letters, even another plate: the remaining text cannot
 * spell it again.
 */
function maskSpelling(text: string, plate: Plate): string {
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

/** Compares from the end: most texts differ in their last letter. */
function endsWith(letters: readonly Letter[], plate: Plate): boolean {
  for (let back = 1; back <= plate.length; back += 1) {
    if (letters.at(-back)?.letter !== plate[plate.length - back]) {
      return false;
    }
  }
  return true;
}

/** A letter of a plate, and the position of its character in a text. */
interface Letter {
  readonly letter: string;
  readonly from: number;
  readonly to: number;
}

/** The letters that the characters of a text become in a plate, with their positions. */
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
