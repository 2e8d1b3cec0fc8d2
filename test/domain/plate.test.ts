import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { normalizePlate, spellsPlate, storedPlate } from '../../src/domain/plate.ts';
import platesFile from './plates.tsv?raw';

/** The table's own rows; a raw plate may be blanks alone, so nothing is trimmed. */
const tableRows = platesFile
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => line.split('\t'))
  .map(([raw = '', expected = '', , kind = '']) => ({
    raw,
    expected: expected === '!INVALID' ? null : expected,
    kind,
  }));

describe('The table of plates', () => {
  it('is there', () => {
    expect(tableRows.length).toBeGreaterThan(20);
  });

  it.each(tableRows)('normalizes "$raw" to $expected ($kind)', ({ raw, expected }) => {
    expect(normalizePlate(raw)).toBe(expected);
  });
});

describe('A plate', () => {
  it.each([
    ['one character', 'a', 'A'],
    ['O and 0 stay apart', 'O0', 'O0'],
    ['I and 1 stay apart', 'I1', 'I1'],
    ['colons and slashes', 'AB:12/3', 'AB123'],
    ['a tab and a line feed', '\tAB\n12', 'AB12'],
    ['a no-break space, an ideographic space', 'AB\u{a0}1\u{3000}2', 'AB12'],
    ['a zero-width space, a joiner, a byte order mark', '\u{feff}A\u{200b}B\u{200d}1', 'AB1'],
    ['a soft hyphen and a figure dash', 'A\u{ad}B\u{2012}1', 'AB1'],
    ['a keycap sequence', '1\u{fe0f}\u{20e3}', '1'],
    ['full-width letters in lower case', 'ａｂ１', 'AB1'],
    ['a full-width hyphen', 'ＡＢ－１', 'AB1'],
    ['a full-width tilde, the last of the block', 'A～1', 'A1'],
    ['a full-width letter with a diacritic', 'Ａ\u{308}1', 'A1'],
    ['a decomposed umlaut', 'TO\u{308}L', 'TOL'],
    ['two diacritics', 'Ǖ1', 'U1'],
    ['a letter with an ogonek and a cedilla', 'ąç1', 'AC1'],
    ['a capital I with its dot', 'İ1', 'I1'],
    ['the caron over j, which has no capital', 'ǰ1', 'J1'],
    ['the stroke of a letter is dropped like a diacritic', 'đħłøŧ1', 'DHLOT1'],
    ['Latin letters that do not decompose stay', 'æþ1', 'ÆÞ1'],
    ['the Kelvin sign is K canonically', '\u{212a}1', 'K1'],
    ['the Ångström sign is Å canonically', '\u{212b}1', 'A1'],
    ['the ohm sign is Ω canonically', '\u{2126}1', 'Ω1'],
    ['the Greek question mark', 'A\u{37e}1', 'A1'],
    ['Greek twins in lower case', 'αβεζηικμνορτυχ', 'ABEZHIKMNOPTYX'],
    ['Greek letters without a twin', 'ΓΔΘΛΞΠΣΦΨΩ', 'ΓΔΘΛΞΠΣΦΨΩ'],
    ['Greek letters with a tonos and a dialytika', 'ΆΈΉΊΌΎΏΪΫ', 'AEHIOYΩIY'],
    ['a Greek iota subscript is a diacritic', 'ᾳ1', 'A1'],
    ['Cyrillic twins in lower case', 'авеіѕјкмнорстух', 'ABEISJKMHOPCTYX'],
    ['Cyrillic letters without a twin', 'БГДЖЗИЛПФЦЧШЩЪЫ', 'БГДЖЗИЛПФЦЧШЩЪЫ'],
    ['Ё and Й decompose', 'ЁЙ1', 'EИ1'],
    ['Ukrainian Ї decomposes', 'Її1', 'II1'],
    ['Chinese', '京A·12345', '京A12345'],
    ['Korean syllables stay whole', '12가 3456', '12가3456'],
    ['Korean letters are put together', '12\u{1100}\u{1161}3456', '12가3456'],
    ['Japanese', '品川 300 さ 12-34', '品川300さ1234'],
    ['Hebrew and Arabic letters', 'א ب', 'אب'],
    ['Arabic-Indic digits stay', '٣٤ ب', '٣٤ب'],
    ['Georgian has capitals', 'ა1', 'Ა1'],
    ['superscript digits, fractions, circled digits go', 'A²³½①1', 'A1'],
    ['a mathematical digit is a digit', '𝟏', '𝟏'],
    ['a lone high surrogate goes', 'A\u{d83d}1', 'A1'],
    ['surrogates in the wrong order go', '\u{de00}\u{d83d}1', '1'],
  ])('is normalized: %s', (_, raw, expected) => {
    expect(normalizePlate(raw)).toBe(expected);
  });

  it.each([
    ['empty', ''],
    ['of dashes', '-–—'],
    ['of marks alone', '\u{301}\u{302}'],
    ['of an emoji', '😀'],
    ['of a lone surrogate', '\u{d800}'],
    ['of superscript digits', '²³'],
  ])('is refused when it leaves nothing: %s', (_, raw) => {
    expect(normalizePlate(raw)).toBeNull();
  });

  it.each([
    // Case mapping.
    ...['ß', 'ẞ', 'ı', 'ſ', 'ẛ', 'ŉ', 'ẚ', 'ﬀ', 'ﬁ', 'ﬂ', 'ﬃ', 'ﬄ', 'ﬅ', 'ﬆ'],
    // Compatibility mapping of letters and of numerals.
    ...['ª', 'º', 'ĳ', 'ŀ', 'ǆ', 'ʰ', 'ᴬ', 'ₐ', 'ℌ', 'ℓ', 'ℎ', 'Ⅳ', 'ⅳ', '𝐀', '𝓪', '𝔸'],
    // Compatibility mapping of symbols.
    ...['™', '℠', '№', '℡', '℃', '㎏', '㏂', 'ⓐ', 'Ⓐ', '⒜', '🄰', '🄐'],
    // Compatibility mapping to the twin of a Latin letter.
    ...['µ', 'ϐ', 'ϒ', 'ϰ', 'ϱ', '𝚨', '𝛼', 'ᵡ', 'ᵸ'],
  ])('is refused with %s, which only a guess turns into a letter', (character) => {
    expect(normalizePlate(character)).toBeNull();
    expect(normalizePlate(`A${character}1`)).toBeNull();
  });

  it('has at most 15 code points, counted after normalization', () => {
    expect(normalizePlate('A'.repeat(15))).toBe('A'.repeat(15));
    expect(normalizePlate('A'.repeat(16))).toBeNull();
    expect(normalizePlate('𠀀'.repeat(15))).toBe('𠀀'.repeat(15));
    expect(normalizePlate('𠀀'.repeat(16))).toBeNull();
  });

  it.each([
    ['letters', 'A'.repeat(65_536), null],
    ['separators', `${'-'.repeat(65_536)}A`, 'A'],
    ['no-break spaces', `A${'\u{a0}'.repeat(32_768)}`, 'A'],
    ['marks of alternating classes', `A${'\u{301}\u{323}'.repeat(16_384)}`, 'A'],
    ['lone surrogates', `A${'\u{d800}'.repeat(21_845)}`, 'A'],
    ['the character that decomposes furthest', '\u{fdfa}'.repeat(21_845), null],
  ])(
    'costs no time to speak of at 64 KiB of %s',
    (_, raw, expected) => {
      expect(normalizePlate(raw)).toBe(expected);
    },
    2_000,
  );
});

describe('The normalization of plates', () => {
  /** Characters that meet somewhere in the rules, so that random text is not all foreign letters. */
  const edge = fc.constantFrom(
    ...'AbO0Iil1-. ΑαςσЁйЇıſßﬁªµ²ⅣＡａ１가각',
    '\u{308}',
    '\u{345}',
    '\u{1100}',
    '\u{1161}',
    '\u{11a8}',
    '\u{200b}',
    '\u{d800}',
    '\u{dc00}',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 24 }),
    fc.string({ unit: 'grapheme', maxLength: 24 }),
    fc.array(edge, { maxLength: 24 }).map((characters) => characters.join('')),
  );

  it('is idempotent, leaves 1 to 15 letters and digits, and takes composed and decomposed text for the same', () => {
    fc.assert(
      fc.property(text, (raw) => {
        const plate = normalizePlate(raw);
        expect(normalizePlate(raw.normalize('NFC'))).toBe(normalizePlate(raw.normalize('NFD')));
        if (plate === null) return;
        expect(normalizePlate(plate)).toBe(plate);
        expect(plate).toMatch(/^[\p{L}\p{Nd}]{1,15}$/u);
        expect(plate).not.toMatch(/[a-z]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is idempotent for every single character of Unicode, and makes ASCII of no compatibility character', () => {
    const broken: string[] = [];
    for (let code = 0; code <= 0x10_ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\p{L}\p{N}\p{S}]/u.test(character)) continue;
      const plate = normalizePlate(character);
      if (plate === null) continue;
      const isFullWidth = code >= 0xff01 && code <= 0xff5e;
      const isCanonical = character.normalize('NFKD') === character.normalize('NFD');
      const invents = /[A-Z]/.test(plate) && !isFullWidth && !isCanonical;
      if (invents || normalizePlate(plate) !== plate) broken.push(`${code.toString(16)} ${character}`);
    }
    expect(broken).toEqual([]);
  }, 20_000);
});

describe('A text spells a plate', () => {
  it.each([
    ['AB123CD', true],
    ['ab 123-cd', true],
    ['a note: Ａb１２３cd!', true],
    [`${'x'.repeat(1_000)}AB123CD`, true],
    ['X\u0007AB\u0007123CD', true],
    ['AB😀123CD', true],
    ['', false],
    ['AB123', false],
    ['AB124CD', false],
    ['AB1 X 23CD', false],
  ])('as it would be normalized, however much stands around it: %j', (text, spells) => {
    expect(spellsPlate(text, storedPlate('AB123CD'))).toBe(spells);
  });

  it('also where marks and letters make one character', () => {
    expect(spellsPlate('\u1112\u1161\u11ab1', storedPlate('한1'))).toBe(true);
  });
});
