import { describe, expect, it } from 'vitest';
import { guessedDelimiter } from '../../clients/parking/imports/csv-rows.ts';
import { linesOf } from './table-lines.ts';

describe('A file', () => {
  const CITY = 'session_id;plate;area_code;starts_at\n1;A;Città;2026-03-07 10:00\n';

  it('is refused where it is not in the encoding that was said', async () => {
    const latin = Buffer.from(CITY, 'latin1');
    await expect(linesOf('sessions', latin, { encoding: 'utf-8' })).rejects.toThrow(
      'soste.csv is not in utf-8.',
    );
  });

  it.each([
    ['UTF-8', Buffer.from(CITY), []],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${CITY}`), []],
    [
      'Windows-1252',
      Buffer.from(CITY, 'latin1'),
      ['soste.csv is read as Windows-1252: it is not UTF-8. If it is something else, pass --encoding NAME.'],
    ],
    [
      'UTF-16',
      Buffer.from(`\ufeff${CITY}`, 'utf16le'),
      ['soste.csv is read as UTF-16: its first bytes say so.'],
    ],
  ])('is read as what it is, and says what it is read as: %s', async (_, bytes, said) => {
    // Wherever a chunk ends, also within a character.
    for (let chunk = 1; chunk < 8; chunk += 1) {
      const notes: string[] = [];
      const [row] = await linesOf('sessions', bytes, { notes, chunk });
      expect(row?.line).toMatchObject({ session_id: '1', area_code: 'Città' });
      expect(notes).toEqual(said);
    }
  });

  it('that ends within a character is not UTF-8', async () => {
    const notes: string[] = [];
    const cut = Buffer.from(
      'session_id;plate;area_code;starts_at\n1;A;S1;2026-03-07 10:00\n2;A;Citt\u00e0',
      'latin1',
    );
    expect(await linesOf('sessions', cut, { notes })).toHaveLength(2);
    expect(notes).toHaveLength(1);
  });

  it('with a quote that never ends is refused, whatever its size', async () => {
    const text = `session_id,plate,area_code,starts_at\n1,"A,S1,2026-03-07 10:00\n${'x,'.repeat(300_000)}`;
    await expect(linesOf('sessions', text)).rejects.toThrow('cannot be read as a table');
  });

  it('without a line is refused: nothing says what its columns are', async () => {
    await expect(linesOf('sessions', '')).rejects.toThrow('soste.csv is empty');
  });
});

describe('What stands between the columns', () => {
  it.each([
    ['a;b;c', ';'],
    ['a,b', ','],
    ['a\tb\tc', '\t'],
    ['"a,b,c";d;e', ';'],
    ['a', ';'],
  ])('of %j is %j', (titles, delimiter) => {
    expect(guessedDelimiter(`${titles}\n1,2,3,4,5\n`)).toBe(delimiter);
  });
});
