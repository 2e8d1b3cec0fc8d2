import { describe, expect, it } from 'vitest';
import { numberedLines } from '../../src/imports/ndjson.ts';

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
  ['a line separator, which ends no line', 'a\u2028b', [[1, 'a\u2028b']]],
];

describe('The lines of a file', () => {
  it.each(CASES)('are numbered from 1, blank ones passed over: %s', (_name, text, lines) => {
    expect([...numberedLines(text)].map(({ number, text: line }) => [number, line])).toEqual(lines);
  });
});
