import { describe, expect, it } from 'vitest';
import { openXlsx } from '../../clients/parking/imports/xlsx-rows.ts';
import { expectNoFasterGrowth } from '../support/growth.ts';
import { rawWorkbook } from './workbook.ts';

const fileOf = (bytes: Uint8Array, name = 'soste.xlsx') => ({
  name,
  bytes: bytes.length,
  async *chunks() {
    yield Buffer.from(bytes);
  },
});

/** What is read of a workbook: its titles, then each row by its number, with what is wrong with its cells. */
async function read(bytes: Uint8Array) {
  const { header, rows } = await openXlsx(fileOf(bytes), null);
  const found: (readonly unknown[])[] = [];
  for await (const { number, source, trouble } of rows()) {
    found.push(trouble === undefined ? [number, source] : [number, source, trouble.message.en]);
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

  it('is not read beyond a row that no table has, as many cells as may refer to one long text', async () => {
    const strings = `<si><t>${'x'.repeat(1_024 * 1_024)}</t></si>`;
    const sheet = TITLES + row(2, '<c r="A2" t="s"><v>0</v></c>');
    await expect(read(rawWorkbook({ sheet, strings }))).rejects.toThrow(
      'soste.xlsx cannot be read as a workbook, near row 2: its cells hold more than 262,144 characters.',
    );
  });

  it('whose rows are in no order is refused where the order ends', async () => {
    const sheet = TITLES + row(5, text('A5', '1')) + row(4, text('A4', '2'));
    await expect(read(rawWorkbook({ sheet }))).rejects.toThrow('near row 4: it comes after row 5.');
  });

  it.each([
    ['row="0"', '<row r="0"/>'],
    ['a row that Excel does not have', '<row r="1048577"/>'],
    ['a row without a number', '<row r="1e3"/>'],
    ['a column that Excel does not have', '<row r="2"><c r="XFE2"><v>1</v></c></row>'],
    ['a column that has no letters', '<row r="2"><c r="é2"><v>1</v></c></row>'],
    ['an end within a comment', '<!-- <c '],
    ['an end within what is no markup', '<![CDATA[ <c '],
    ['an end within an instruction', '<?x <c '],
    ['an end within a tag', '<row r="2'],
    ['a declaration of entities', '<!DOCTYPE x [<!ENTITY a "aaaa">]>'],
  ])('with %s is refused', async (_, hostile) => {
    await expect(read(rawWorkbook({ sheet: TITLES + hostile }))).rejects.toThrow(
      'soste.xlsx cannot be read as',
    );
  });

  it('says what its cells say, whatever stands between and around the tags', async () => {
    const strings =
      '<si><t>plain &amp; &#x41;&#66;</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si/>';
    const sheet = `<!-- <c r="A1"><v>9</v></c> -->${TITLES}
      <x:row r="2"><x:c r="A2" t="s"><x:v>0</x:v></x:c><x:c r="B2" t='s'><x:v>1</x:v></x:c></x:row>
      <row><c t="inlineStr"><is><t><![CDATA[a<b>&amp;]]></t></is></c><c t="str"><f>x</f><v>_x0041_</v></c></row>
      <row r="7" spans="a>b"><c r="A7" t="b"><v>1</v></c><c r="B7"><v>1.50</v></c></row>
      <row r="8"><c r="A8" t="s"><v>2</v></c></row><row r="9"/>`;
    expect(await read(rawWorkbook({ sheet, strings }))).toEqual([
      ['Codice', 'Targa'],
      [2, ['plain & AB', 'rich']],
      [3, ['a<b>&amp;', 'A']],
      [7, ['true', '1.5']],
    ]);
  });

  it('holds no half of a character, and each that is written by its number', async () => {
    const cells = ['&#xD800;', '_xD800_', '_xD83D__xDE00_', '&#x1F600;', '&#x110000;'];
    const sheet = TITLES + cells.map((cell, index) => row(index + 2, text(`A${index + 2}`, cell))).join('');
    const [, ...found] = await read(rawWorkbook({ sheet }));
    expect(found.map(firstCell)).toEqual(['&#xD800;', '\ufffd', '😀', '😀', '&#x110000;']);
  });

  it.each([
    ['s', '7', 'a text that is not there'],
    ['b', '2', 'neither true nor false'],
    ['n', 'x', 'no number'],
    ['d', 'x', 'no date'],
    ['q', '1', 'no kind that there is'],
  ])('rejects a row with a cell that cannot be read: t="%s", %s, %s', async (type, value) => {
    const sheet = TITLES + row(2, `<c r="A2" t="${type}"><v>${value}</v></c>`);
    const [, found] = await read(rawWorkbook({ sheet }));
    expect(found).toEqual([2, ['', ''], expect.stringContaining('the cell A2')]);
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
    expect(found).toEqual([2, ['', ''], expect.stringContaining(words)]);
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
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf xfId="0"/></cellXfs>';
  const shown = async (style: number, value: string) => {
    const sheet = TITLES + row(2, `<c r="A2" s="${style}"><v>${value}</v></c>`);
    const [, found] = await read(rawWorkbook({ sheet, styles }));
    return firstCell(found);
  };

  it.each([
    [1, '46088.7388888889', '2026-03-07 17:44:00'],
    [1, '46088', '2026-03-07'],
    [2, '0.73888888888889', '17:44:00'],
    [3, '46088.5', '46088.5'],
    [4, '46088', '2026-03-07'],
    [0, '46088', '46088'],
  ])('of style %d, %s, is %s', async (style, value, expected) => {
    expect(await shown(style, value)).toBe(expected);
  });

  it('is the minute that it shows, with as many digits as any program stores', async () => {
    const wrong: string[] = [];
    const minutes = Array.from({ length: 1_440 }, (_, minute) => minute);
    for (const digits of [15, 16, 17]) {
      const rows = minutes.map((minute) =>
        row(
          minute + 2,
          `<c r="A${minute + 2}" s="1"><v>${(46_088 + minute / 1_440).toPrecision(digits)}</v></c>`,
        ),
      );
      const [, ...found] = await read(rawWorkbook({ sheet: TITLES + rows.join(''), styles }));
      for (const minute of minutes) {
        const time = new Date(Date.UTC(2026, 2, 7, 0, minute)).toISOString().slice(0, 19).replace('T', ' ');
        const expected = minute === 0 ? '2026-03-07' : time;
        const is = firstCell(found[minute]);
        if (is !== expected) wrong.push(`${expected}: ${is}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('An archive', () => {
  it('that unpacks to more than it says is refused before it is unpacked', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES + ' '.repeat(4_000_000) }));
    const size = whole.lastIndexOf('xl/sheet.xml') - 46 + 24;
    expect(whole.readUInt32LE(size)).toBeGreaterThan(4_000_000);
    whole.writeUInt32LE(1_000, size);
    await expect(read(whole)).rejects.toThrow('soste.xlsx cannot be read as an Excel workbook (.xlsx).');
  });

  it('that says it unpacks to more than may be read is refused', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES }));
    whole.writeUInt32LE(2 ** 31, whole.lastIndexOf('xl/sheet.xml') - 46 + 24);
    await expect(read(whole)).rejects.toThrow('soste.xlsx is too large to be read as a workbook');
  });

  it('is refused wherever it is cut off, and whatever byte of its directory is another', async () => {
    const whole = Buffer.from(rawWorkbook({ sheet: TITLES }));
    const refused = /cannot be read as|too large to be read/;
    for (let length = 0; length < whole.length; length += 7) {
      await expect(read(whole.subarray(0, length)), `cut off at ${length}`).rejects.toThrow(refused);
    }
    const directory = whole.indexOf('PK\x01\x02');
    for (let at = directory; at < whole.length; at += 1) {
      const other = Buffer.from(whole);
      other[at] = 0xff - (other[at] ?? 0);
      await read(other).catch((error: Error) => expect(error.message, `at ${at}`).toMatch(refused));
    }
  });
});

describe('The time that a workbook takes grows with it, and not faster:', () => {
  it.each([
    ['cells in a comment', '<!--', '<c ', '-->'],
    ['comments', '', '<!---->', ''],
    ['openings in text that is no markup', '<![CDATA[', '<c ', ']]>'],
    ['closings in a comment', '<!--', '>', '-->'],
    ['cells that never end', '', '<c r="A2">', ''],
    ['attributes that never end', '<row ', 'a ', '/>'],
    ['attributes without a value', '<row ', 'a=', ' r="2"/>'],
    ['attributes', '<row ', 'a="" ', 'r="2"/>'],
    ['quotes', '<row a="', "'", '" r="2"/>'],
    ['blanks', '<row r="2"', ' ', '/>'],
    ['empty rows', '', '<row/>', ''],
    ['cells', '<row r="2">', '<c r="A2"/>', '</row>'],
    ['cells without an address', '<row r="2">', '<c/>', '</row>'],
    ['pieces of a value', '<row r="2"><c r="A2" t="str"><v>', 'x<!---->', '</v></c></row>'],
    ['entities', '<row r="2"><c r="A2" t="str"><v>', '&amp;', '</v></c></row>'],
    ['ampersands', '<row r="2"><c r="A2" t="str"><v>', '&', '</v></c></row>'],
    ['underlines', '<row r="2"><c r="A2" t="str"><v>', '_x', '</v></c></row>'],
    ['blanks in a value', '<row r="2"><c r="A2" t="str"><v>', ' ', 'x</v></c></row>'],
    ['openings', '', '<', '>'],
  ])('%s', async (_, before, unit, after) => {
    await expectNoFasterGrowth((size) => {
      const bytes = rawWorkbook({
        sheet: TITLES + before + unit.repeat(Math.floor(size / unit.length)) + after,
      });
      return () => read(bytes).catch(() => {});
    });
  });

  it.each([
    ['shared texts', '', '<si/>', ''],
    ['texts that never end', '', '<si><t>', ''],
    ['pieces of a text', '<si>', '<r><t>x</t></r>', '</si>'],
  ])('%s', async (_, before, unit, after) => {
    await expectNoFasterGrowth((size) => {
      const strings = before + unit.repeat(Math.floor(size / unit.length)) + after;
      const bytes = rawWorkbook({ sheet: TITLES, strings });
      return () => read(bytes).catch(() => {});
    });
  });

  it.each([
    ['brackets of a format', '[', ''],
    ['quotes of a format', '&quot;', ''],
    ['escapes of a format', '\\', ''],
    ['sections of a format', ';', ''],
  ])('%s', async (_, unit, after) => {
    await expectNoFasterGrowth((size) => {
      const code = unit.repeat(Math.floor(size / unit.length)) + after;
      const styles = `<numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`;
      const bytes = rawWorkbook({ sheet: TITLES, styles });
      return () => read(bytes).catch(() => {});
    });
  });
});
