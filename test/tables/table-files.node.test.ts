import { describe, expect, it } from 'vitest';
import { guessedDelimiter } from '../../clients/tables/csv.ts';
import { fileOf, TextReader, linesOf as textLinesOf } from '../../clients/tables/index.ts';
import { linesOf } from './table-lines.ts';

describe('A file', () => {
  const CITY = 'session_id;plate;area_code;starts_at\n1;A;Città;2026-03-07 10:00\n';

  it('is refused where it is not in the encoding that was said', async () => {
    const latin = Buffer.from(CITY, 'latin1');
    await expect(linesOf('sessions', latin, { encoding: 'utf-8' })).rejects.toThrow(
      'soste.csv is not in utf-8.',
    );
    await expect(linesOf('sessions', CITY, { encoding: 'utf-9' })).rejects.toThrow('no encoding utf-9');
  });

  it.each([
    ['UTF-8', Buffer.from(CITY), []],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${CITY}`), []],
    [
      'Windows-1252',
      Buffer.from(CITY, 'latin1'),
      ['soste.csv is read as Windows-1252: it is not UTF-8. If it is something else, name its encoding.'],
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

  it('whose line never ends fills no memory: of each line a beginning is kept', async () => {
    const file = fileOf(new File([`${'x'.repeat(1_000_000)}\n`, 'ok\n', 'y'.repeat(1_000_000)], 'long.csv'));
    const reader = new TextReader('long.csv', null, () => {});
    const lengths: number[] = [];
    for await (const { text } of textLinesOf(file, reader, 100)) lengths.push(text.length);
    expect(lengths[1]).toBe(2);
    expect(lengths[2]).toBeLessThanOrEqual(101);
  });

  it('without a line is refused: nothing says what its columns are', async () => {
    await expect(linesOf('sessions', '')).rejects.toThrow('soste.csv is empty');
    await expect(linesOf('sessions', '\n;\n', { headerRow: 3 })).rejects.toThrow('its line 3 has to name');
  });

  it('may have its titles below some lines of heading', async () => {
    const text = `Soste del 7 marzo;;;\n\n${CITY}`;
    expect(await linesOf('sessions', text, { headerRow: 2 })).toMatchObject([{ number: 4, trouble: null }]);
  });
});

describe('A row', () => {
  const TITLES = 'session_id;plate;area_code;starts_at;note\n';
  const row = (id: number, note: string) => `${id};A${id};S1;07/03/2026 10:00;${note}\n`;
  const read = async (...rows: readonly string[]) =>
    (await linesOf('sessions', TITLES + rows.join(''), { chunk: 65_536 })).map(
      ({ number, line, trouble }) => `${number}: ${trouble ?? Reflect.get(line, 'session_id')}`,
    );
  const UNCLOSED = 'a quote in this line opens a cell and does not close it: delete the quote, or double it';

  it('may have quotes within a cell, and a cell of several lines', async () => {
    expect(
      await read(
        row(1, 'furgone 3" alto'),
        row(2, '"two\nlines; and ""quotes"""'),
        row(3, 'x'),
        row(4, '"a" b'),
      ),
    ).toEqual(['2: 1', '3: 2', '5: 3', '6: 4']);
  });

  it.each([
    ['alone', ['"never closed'], ['3: x']],
    ['and another odd one below', ['"never closed', 'ok', '"odd, too'], ['3: x', '4: 3', '5: x']],
    ['and a good one below', ['"never closed', 'ok', '"quoted"'], ['3: x', '4: 3', '5: 4']],
    ['and far more lines below', ['"never closed', ...Array<string>(60).fill('ok')], ['3: x', '4: 3']],
  ])(
    'with a quote that never closes is rejected without the rows around it: %s',
    async (_, notes, expected) => {
      const found = await read(row(1, 'ok'), ...notes.map((note, index) => row(index + 2, note)));
      expect(found[0]).toBe('2: 1');
      const wanted = expected.map((one) => one.replace('x', UNCLOSED));
      expect(found.slice(1, 1 + wanted.length)).toEqual(wanted);
      expect(found).toHaveLength(notes.length + 1);
    },
  );

  it('that is far too long is rejected alone', async () => {
    const found = await read(row(1, 'x'.repeat(300_000)), row(2, 'ok'));
    expect(found).toEqual(['2: the line is too long', '3: 2']);
  });

  it('without content is skipped, also one of delimiters alone', async () => {
    expect(await read(row(1, ''), ';;;;\n', '\n', ' ; ;;;\n', row(2, ''), ';;;;')).toEqual(['2: 1', '6: 2']);
  });

  it('is the same whatever ends its line, and wherever a chunk ends', async () => {
    const text = (TITLES + row(1, 'a') + row(2, '"b\nc"')).trimEnd();
    for (const end of ['\n', '\r\n', '\r']) {
      for (let chunk = 1; chunk < 50; chunk += 1) {
        const lines = await linesOf('sessions', text.replaceAll('\n', end), { chunk });
        expect(lines.map(({ number, trouble }) => [number, trouble])).toEqual([
          [2, null],
          [3, null],
        ]);
      }
    }
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
    expect(guessedDelimiter(titles)).toBe(delimiter);
  });
});
