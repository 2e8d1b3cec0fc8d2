import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rejectedCells, rejectedRow } from '../../clients/tables/index.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';

/** What a spreadsheet takes for a formula, if a cell begins so. */
const LIVE = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
const DELIMITERS = [';', ',', '\t', '|'];

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...LIVE, "'", '"', ';', ',', '|', '\n', 'a', ' ', '\ufeff') }),
);

describe('A row of the file for rejected rows', () => {
  it.each(LIVE)('with a cell that begins with %j begins it with an apostrophe', (live) => {
    expect(rejectedRow([`${live}1+1`], ';').replaceAll('"', '')).toBe(`'${live}1+1`);
  });

  it('leaves alone what no spreadsheet takes for a formula', () => {
    expect(rejectedRow(["'ndrangheta", 'AB-1', '1=1', "L'Aquila", "''"], ';')).toBe(
      "'ndrangheta;AB-1;1=1;L'Aquila;''",
    );
  });

  it('has no cell that a spreadsheet takes for a formula, whatever it takes for the delimiter and the quotes', () => {
    fc.assert(
      fc.property(fc.array(texts), fc.constantFrom(...DELIMITERS), (cells, delimiter) => {
        const row = rejectedRow(['7', ...cells], delimiter);
        const [records = []] = parse(`${row}\n`, { delimiter, relax_column_count: true }) as string[][];
        expect(records.filter((cell) => LIVE.includes(cell.charAt(0)))).toEqual([]);
        for (const taken of DELIMITERS.filter((one) => one !== delimiter)) {
          // Such a program splits within quotes that it does not expect, and at each new line.
          const pieces = row.split('\n').flatMap((line) => line.split(taken));
          const beginnings = pieces.map((piece) => piece.replaceAll('"', '').replaceAll(delimiter, ''));
          expect(beginnings.filter((piece) => LIVE.includes(piece.charAt(0)))).toEqual([]);
        }
      }),
      { seed: RUN_SEED, numRuns: shortOrThorough(300, 5_000) },
    );
  });

  it('is read back as it was, whatever its cells hold', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 2 }), fc.constantFrom(...DELIMITERS), (cells, delimiter) => {
        const row = `line${delimiter}code${delimiter}message\n${rejectedRow(cells, delimiter)}\n`;
        const [, read = []] = parse(row, { delimiter, relax_column_count: true }) as string[][];
        expect(rejectedCells(read)).toEqual(cells);
        // What somebody corrects in it is read as it is written.
        expect(rejectedCells(["'A", '-5', "L'='"])).toEqual(["'A", '-5', "L'='"]);
      }),
      { seed: RUN_SEED, numRuns: shortOrThorough(300, 5_000) },
    );
  });
});
