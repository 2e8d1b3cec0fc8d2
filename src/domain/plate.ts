declare const plateBrand: unique symbol;

/** A normalized plate: 1 to 15 letters and digits. Plates are compared in this form only. */
export type Plate = string & { readonly [plateBrand]: true };

/** The most code points that a normalized plate may have. */
export const MAX_PLATE_LENGTH = 15;

/** Most plates arrive as they are stored. */
const ALREADY_NORMAL = /^[A-Z0-9]{1,15}$/;

/**
 * Where reading a long input stops. Letters are decomposed while they are read, and no character has more than four
 * parts of two UTF-16 units: any longer text has more than 15 code points.
 */
const MAX_UNITS_WHILE_READING = 4 * 2 * MAX_PLATE_LENGTH;

/**
 * Capital letters with a Latin letter of the same glyph, or with a stroke that Unicode does not decompose and that cameras
 * drop. The same sound does not count: Ρ is P and Н is H.
 */
const GLYPH_TWINS: ReadonlyMap<string, string> = new Map([
  ...twins('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'), // Greek
  ...twins('АВЕІЅЈКМНОРСТУХ', 'ABEISJKMHOPCTYX'), // Cyrillic
  ...twins('ĐĦŁØŦ', 'DHLOT'), // strokes
]);

// Of a single character.
const MARK = /\p{M}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u;
const ASCII_LETTER_OR_DIGIT = /[A-Za-z0-9]/;
// Of any text.
const ASCII_LETTER = /[A-Za-z]/;

/** Full-width forms are the ASCII characters from `!` to `~`, in the same order. */
const FULL_WIDTH_FIRST = 0xff01;
const FULL_WIDTH_LAST = 0xff5e;
const FULL_WIDTH_TO_ASCII = FULL_WIDTH_FIRST - '!'.charCodeAt(0);

/**
 * Plate normalization. In this order: full-width forms become ASCII; diacritics are dropped; upper case; Greek and
 * Cyrillic letters become the Latin letter of the same glyph; letters and digits stay, everything else is dropped.
 *
 * It is idempotent. `O` and `0`, `I` and `1` stay apart, and a letter of another script without a twin stays itself.
 *
 * @param raw a plate as typed or as a camera read it; any string, of any length
 * @returns the plate, or `null` if it must be refused: nothing or more than 15 code points are left, or it has a character
 * that only case or compatibility mapping would turn into ASCII letters (`ß`, `ﬁ`, `ı`, `ſ`, `™`).
 */
export function normalizePlate(raw: string): Plate | null {
  if (ALREADY_NORMAL.test(raw)) return storedPlate(raw);

  let read = '';
  for (const character of raw) {
    const normal = normalizeCharacter(character);
    if (normal === null) return null;
    read += normal;
    if (read.length > MAX_UNITS_WHILE_READING) return null;
  }

  // The marks are gone: this composes only letters made of letters, such as Korean syllables.
  const plate = read.normalize('NFC');
  const length = [...plate].length;
  return length >= 1 && length <= MAX_PLATE_LENGTH ? storedPlate(plate) : null;
}

/** Whether a text's normalization, however long, has a plate in it. What would be refused in a plate counts as nothing. */
export function spellsPlate(text: string, plate: Plate): boolean {
  let letters = '';
  for (const character of text) {
    letters += normalizeCharacter(character) ?? '';
  }
  return letters.normalize('NFC').includes(plate);
}

/** The one cast to `Plate`, for text that `normalizePlate` made: what it has just returned, or what storage holds. */
export function storedPlate(text: string): Plate {
  return text as Plate;
}

/** @returns what one character becomes (nothing, or one letter or more), or `null` if the plate must be refused. */
function normalizeCharacter(character: string): string | null {
  if (isAscii(character)) return ASCII_LETTER_OR_DIGIT.test(character) ? character.toUpperCase() : '';

  let normal = '';
  // One character at a time, so that marks need no ordering: thousands on one letter cost no more than elsewhere.
  for (const part of narrow(character).normalize('NFD')) {
    if (MARK.test(part)) continue;
    if (inventsLetters(part)) return null;
    for (const letter of part.toUpperCase()) {
      normal += GLYPH_TWINS.get(letter) ?? (LETTER_OR_DIGIT.test(letter) ? letter : '');
    }
  }
  return normal;
}

function isAscii(character: string): boolean {
  return character.charCodeAt(0) < 0x80;
}

function narrow(character: string): string {
  const unit = character.charCodeAt(0);
  const isFullWidth = unit >= FULL_WIDTH_FIRST && unit <= FULL_WIDTH_LAST;
  return isFullWidth ? String.fromCharCode(unit - FULL_WIDTH_TO_ASCII) : character;
}

/**
 * Whether a character is not an ASCII letter, but case or compatibility mapping would turn it into some: a guess that would
 * invent a plate. Symbols count too (`™`, `ⓐ`, `Ⅳ`), and so do the ways through a glyph twin (the micro sign `µ`, a
 * mathematical alpha), which are not letters of their script. Superscript digits and the like are neither letters nor
 * digits, make no letters, and are dropped like all the rest.
 *
 * The Kelvin sign never gets here: its mapping to `K` is canonical, so that Unicode treats the two as one character.
 *
 * @param part one character in canonical decomposition
 */
function inventsLetters(part: string): boolean {
  if (isAscii(part)) return false;

  // To lower case and back, since `ẞ` is a capital already and must be treated like `ß`.
  if (ASCII_LETTER.test(part.toLowerCase().toUpperCase())) return true;

  const compatible = part.normalize('NFKD');
  if (compatible === part) return false;
  return [...compatible.toUpperCase()].some((letter) => ASCII_LETTER.test(GLYPH_TWINS.get(letter) ?? letter));
}

function twins(letters: string, latin: string): [string, string][] {
  const twinsInOrder = [...latin];
  return [...letters].map((letter, index) => [letter, twinsInOrder[index] ?? letter]);
}
