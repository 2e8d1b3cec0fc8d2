import { describe, expect, it } from 'vitest';
import { markedSheet } from '../../clients/tables/sheet-marks.ts';
import { openWorkbook } from '../../clients/tables/workbook.ts';
import { expectNoFasterGrowth } from '../support/growth.ts';
import { open } from './table-lines.ts';
import { rawWorkbook } from './workbook.ts';

/** What is read of a workbook: its titles, then each row by its number, with what is wrong with its cells. */
async function read(bytes: Uint8Array) {
  const { header, rows } = await open(bytes, { name: 'soste.xlsx', chunk: 65_536 });
  const found: (readonly unknown[])[] = [];
  for await (const { number, source, fault } of rows()) {
    found.push(fault === undefined ? [number, source] : [number, source, fault.en]);
  }
  return [header, ...found];
}

/** What is in the first cell of a row. */
const firstCell = (row: readonly unknown[] | undefined): unknown => [row?.[1]].flat()[0];

const text = (at: string, value: string): string => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (number: number, ...cells: string[]): string => `<row r="${number}">${cells.join('')}</row>`;
const TITLES = row(1, text('A1', 'Codice'), text('B1', 'Targa'));

describe('A sheet', () => {
  it('with a stray cell in the last row that there is has that row and no other: the gap takes no time', async () => {
    const sheet = TITLES + row(2, text('A2', '1')) + row(1_048_576, text('B1048576', 'x'));
    expect(await read(rawWorkbook({ sheet }))).toEqual([
      ['Codice', 'Targa'],
      [2, ['1', '']],
      [1_048_576, ['', 'x']],
    ]);
  });

  it('with a cell far to the right of its titles has that row rejected, with the cell’s address', async () => {
    const sheet = TITLES + row(2, text('A2', '1'), text('XFD2', 'note'));
    expect(await read(rawWorkbook({ sheet }))).toEqual([
      ['Codice', 'Targa'],
      [
        2,
        ['1', ''],
        'the cell XFD2 note is to the right of the titles: delete it, or give its column a title',
      ],
    ]);
  });

  it('with more titles than a table has columns is refused, with the last one’s address', async () => {
    const sheet = row(1, text('A1', 'Codice'), text('XFD1', 'x'));
    await expect(read(rawWorkbook({ sheet }))).rejects.toThrow(
      'soste.xlsx has a title in XFD1, its column 16,384: a table has at most 256. Delete the columns to the right of the table.',
    );
  });

  it('with a cell so far out that its rows and columns would fill the memory is refused, with its address', async () => {
    const sheet = TITLES + row(1_048_576, text('XFD1048576', 'x'));
    await expect(read(rawWorkbook({ sheet }))).rejects.toThrow(
      'soste.xlsx has a cell in XFD1048576, far from its table. Delete it, or save the sheet as CSV.',
    );
  });

  it.each([
    ['rows in no order', row(5, text('A5', '1')) + row(4, text('A4', '2'))],
    ['cells in no order', row(5, text('B5', '1'), text('A5', '2'))],
    ['a cell without an address', '<row><c><v>1</v></c></row>'],
    ['text that is no markup', row(2, '<c r="A2" t="inlineStr"><is><t><![CDATA[x]]></t></is></c>')],
    ['an end within a tag', '<row r="2'],
    ['a text that is not there', row(2, '<c r="A2" t="s"><v>7</v></c>')],
    ['a cell of no kind that there is', row(2, '<c r="A2" t="q"><v>1</v></c>')],
  ])('with %s is refused', async (_, broken) => {
    await expect(read(rawWorkbook({ sheet: TITLES + broken }))).rejects.toThrow(
      'soste.xlsx cannot be read as an Excel workbook (.xlsx). Save it again in Excel, or save its sheet as CSV.',
    );
  });

  it('says what its cells say, whatever stands between and around the tags', async () => {
    const strings =
      '<si><t>plain &amp; &#x41;&#66;</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si><t/></si>';
    const sheet = `<!-- <c r="A1"><v>9</v></c> -->${TITLES}
      <x:row r="2"><x:c r="A2" t="s"><x:v>0</x:v></x:c><x:c r="B2" t="s"><x:v>1</x:v></x:c></x:row>
      <row r="3"><c r="A3" t="inlineStr"><is><t>a&lt;b></t></is></c><c r="B3" t="str"><f>x</f><v>_x0041_</v></c></row>
      <row r="7" spans="a"><c r="A7" t="b"><v>1</v></c><c r="B7"><v>1.50</v></c></row>
      <row r="8"><c r="A8" t="s"><v>2</v></c></row><row r="9"/>`;
    expect(await read(rawWorkbook({ sheet, strings }))).toEqual([
      ['Codice', 'Targa'],
      [2, ['plain & AB', 'rich']],
      [3, ['a<b>', 'A']],
      [7, ['true', '1.5']],
    ]);
  });

  it('rejects a row with a number that is none', async () => {
    const [, found] = await read(rawWorkbook({ sheet: TITLES + row(2, '<c r="A2"><v>x</v></c>') }));
    expect(found).toEqual([2, ['x', ''], expect.stringContaining('the cell A2 x has no value')]);
  });
});

describe('A formula', () => {
  it.each([
    ['without a result', '<c r="A2"><f>1+1</f></c>', 'the cell A2 = has no value'],
    [
      'with an empty result, as some programs write it',
      '<c r="A2"><f>1+1</f><v/></c>',
      'the cell A2 = has no value',
    ],
  ])('%s has its row rejected', async (_, cell, words) => {
    const [, found] = await read(rawWorkbook({ sheet: TITLES + row(2, cell) }));
    expect(found).toEqual([2, [expect.stringMatching(/^[=#]/), ''], expect.stringContaining(words)]);
  });

  it('whose result is the empty text is an empty cell', async () => {
    const sheet = TITLES + row(2, '<c r="A2" t="str"><f>""</f><v></v></c>', text('B2', 'x'));
    const [, found] = await read(rawWorkbook({ sheet }));
    expect(found).toEqual([2, ['', 'x']]);
  });
});

describe('A time in a workbook', () => {
  const styles =
    '<numFmts count="3"><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm;@"/><numFmt numFmtId="165" formatCode="[h]:mm:ss.00"/><numFmt numFmtId="166" formatCode="&quot;day&quot; 0.00"/></numFmts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>';
  const shown = async (style: number, value: string) => {
    const sheet = TITLES + row(2, `<c r="A2" s="${style}"><v>${value}</v></c>`);
    const [, found] = await read(rawWorkbook({ sheet, styles }));
    return firstCell(found);
  };

  it.each([
    [1, '46088.7388888889', '2026-03-07 17:44:00'],
    [1, '46088', '2026-03-07'],
    [2, '0.73888888888889', '17:44:00'],
    [2, '0', '00:00:00'],
    [2, '1', '24:00:00'],
    [2, '1.5', '36:00:00'],
    [3, '46088.5', '46088.5'],
    [0, '46088', '46088'],
  ])('of style %d, %s, is %s', async (style, value, expected) => {
    expect(await shown(style, value)).toBe(expected);
  });

  it('is the minute that it shows, with as many digits as any program stores', async () => {
    for (let minute = 1; minute < 1_440; minute += 97) {
      const time = new Date(Date.UTC(2026, 2, 7, 0, minute)).toISOString().slice(0, 19).replace('T', ' ');
      for (const digits of [15, 17]) {
        expect(await shown(1, (46_088 + minute / 1_440).toPrecision(digits))).toBe(time);
      }
    }
  });
});

describe('A workbook', () => {
  const SIZE_BEFORE_NAME = 46 - 24;

  it('that says it unpacks to more than may be read is refused before it is unpacked', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES }));
    whole.writeUInt32LE(201 * 1_024 * 1_024, whole.lastIndexOf('xl/sheet.xml') - SIZE_BEFORE_NAME);
    await expect(read(whole)).rejects.toThrow('soste.xlsx is too large to be read as a workbook');
  });

  it('of more bytes than may be read is refused while it comes', async () => {
    let asked = 0;
    const endless = {
      name: 'soste.xlsx',
      async *chunks() {
        for (;;) {
          asked += 1;
          yield new Uint8Array(1_024 * 1_024);
        }
      },
    };
    await expect(openWorkbook(endless, null)).rejects.toThrow('too large to be read as a workbook');
    expect(asked).toBe(21);
  });

  it('that unpacks to more than it says is refused', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES + ' <!---->'.repeat(600_000) }));
    const size = whole.lastIndexOf('xl/sheet.xml') - SIZE_BEFORE_NAME;
    expect(whole.readUInt32LE(size)).toBeGreaterThan(4_000_000);
    whole.writeUInt32LE(1_000, size);
    await expect(read(whole)).rejects.toThrow('soste.xlsx cannot be read as an Excel workbook (.xlsx).');
  });

  it('is refused, and nothing else happens, wherever it is cut off', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES }));
    for (let length = 0; length < whole.length; length += 7) {
      await expect(read(whole.subarray(0, length)), `cut off at ${length}`).rejects.toThrow(
        'cannot be read as',
      );
    }
  });

  it('that counts its days from 1904 says so by a number or a word', async () => {
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>';
    const sheet = TITLES + row(2, '<c r="A2" s="0"><v>44626</v></c>');
    for (const date1904 of ['1', 'true']) {
      const [, found] = await read(rawWorkbook({ sheet, styles, date1904 }));
      expect(firstCell(found)).toBe('2026-03-07');
    }
  });
});

describe('The time in which a sheet is marked grows with it, and not faster:', () => {
  it.each([
    ['cells', '', '<c r="A2"><v>1</v></c>', ''],
    ['tags in a cell', '<c r="A2">', '<v/>', ''],
    ['formulas that never end', '<c r="A2" t="e">', '<f>', '</c>'],
    ['openings', '', '<', ''],
    ['blanks in a value', '<c r="A2" t="d"><v>', ' ', 'x</v></c>'],
  ])('%s', async (_, before, unit, after) => {
    await expectNoFasterGrowth((size) => {
      const xml = before + unit.repeat(Math.floor(size / unit.length)) + after;
      return async () => void markedSheet(xml);
    });
  });
});
