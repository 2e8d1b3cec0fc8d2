import { describe, expect, it } from 'vitest';
import { lineAt, turnsOf } from '../../src/intake/imports/ndjson.ts';

const CASES: readonly [name: string, text: string, lines: readonly [number, string][]][] = [
  ['nothing', '', []],
  ['a line without a line feed', 'a', [[1, 'a']]],
  ['a line with one', 'a\n', [[1, 'a']]],
  [
    'two lines',
    'a\nb',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  ['blank lines before', '\n\na', [[3, 'a']]],
  [
    'a blank line between',
    'a\n \t \nb\n',
    [
      [1, 'a'],
      [3, 'b'],
    ],
  ],
  ['blank lines alone', '\n \r\n\n', []],
  [
    'carriage returns',
    'a\r\n\r\nb\r\n',
    [
      [1, 'a\r'],
      [3, 'b\r'],
    ],
  ],
  [
    'a byte order mark before',
    '\ufeffa\nb',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'a byte order mark elsewhere',
    'a\n\ufeffb',
    [
      [1, 'a'],
      [2, '\ufeffb'],
    ],
  ],
  [
    'characters of two, three and four bytes',
    'é\n京\n😀\n',
    [
      [1, 'é'],
      [2, '京'],
      [3, '😀'],
    ],
  ],
  ['a line separator, which ends no line', 'a\u2028b', [[1, 'a\u2028b']]],
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const TURN = 4;

describe('The lines of a file', () => {
  it.each(CASES)(
    'are numbered from 1, blank ones passed over, in turns of any size: %s',
    (_name, text, lines) => {
      for (let turnBytes = 1; turnBytes <= text.length + 1; turnBytes += 1) {
        const found = [...turnsOf(bytesOf(text), turnBytes)].flat();
        expect(found.map(({ number, text: line }) => [number, line])).toEqual(lines);
      }
    },
  );

  it.each(CASES)('are found again by where they begin: %s', (_name, text) => {
    const file = bytesOf(text);
    for (const line of [...turnsOf(file, TURN)].flat()) {
      expect(lineAt(file, line.from)).toBe(line.text);
    }
  });

  it('come in turns of whole lines, none larger than it may be but for a single longer line', () => {
    const turns = [...turnsOf(bytesOf('a\nb\nlonger\nc\nd\n'), TURN)];
    expect(turns.map((turn) => turn.map(({ text }) => text))).toEqual([['a', 'b'], ['longer'], ['c', 'd']]);
  });

  it('that are blank have their turns too', () => {
    expect([...turnsOf(bytesOf('\n'.repeat(2 * TURN)), TURN)]).toEqual([[], []]);
  });

  it('end with a turn that just reaches the end, or a line feed', () => {
    const turnsIn = (text: string) =>
      [...turnsOf(bytesOf(text), TURN)].map((turn) => turn.map((line) => line.text));
    expect(turnsIn('a\nbc')).toEqual([['a', 'bc']]);
    expect(turnsIn('a\nbcd')).toEqual([['a'], ['bcd']]);
    expect(turnsIn('abc\nd')).toEqual([['abc'], ['d']]);
    expect(turnsIn('ab\ncd\ne')).toEqual([['ab'], ['cd', 'e']]);
    expect(turnsIn('\nabcde')).toEqual([[], ['abcde']]);
  });

  it('begin with what a file begins with, where that is not a byte order mark', () => {
    const found = [...turnsOf(bytesOf('\u{fec1}a'), TURN)].flat();
    expect(found.map(({ text }) => text)).toEqual(['\u{fec1}a']);
  });

  it('that are not UTF-8 are refused, not repaired', () => {
    expect(() => [...turnsOf(new Uint8Array([0x61, 0xff]), TURN)]).toThrow(TypeError);
  });
});
