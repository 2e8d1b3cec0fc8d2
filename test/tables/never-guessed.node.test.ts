import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../clients/tables/index.ts';
import { linesOf, type Told } from './table-lines.ts';
import { daysOf, workbook } from './workbook.ts';

/** What becomes of each row: its line, or why it has none. */
async function outcomes(kind: KindName, content: string | Uint8Array, told: Told = {}) {
  const lines = await linesOf(kind, content, { chunk: 65_536, ...told });
  return lines.map(({ line, trouble }) => trouble ?? line);
}

const dataOf = (name: string): Buffer => readFileSync(new URL(`data/${name}`, import.meta.url));
const fileOutcomes = (kind: KindName, name: string, map = '') => outcomes(kind, dataOf(name), { name, map });

const period = { starts_at: '2026-10-31T23:00:00.000Z', ends_at: '2026-12-30T23:00:00.000Z' };
const plates = (...all: readonly string[]) =>
  expect.objectContaining({ plates: all.map((plate) => ({ plate })), periods: [period] });
const session = (id: string) => expect.objectContaining({ session_id: id });

const NUMBER = 'is a number in the sheet, not a text: format the column as text, and write it again';
const DATE = 'is a date in the sheet, not a text: format the column as text, and write it again';
const SHORTENED =
  'is a number that a spreadsheet has shortened: format the column as text, and write it again';
const SEVERAL = expect.stringMatching(/^plates: .* is more than one plate: /);

describe('A table from a spreadsheet', () => {
  it.each<readonly [what: string, kind: KindName, name: string, expected: readonly unknown[]]>([
    ['one odd quote', 'sessions', 'bare-quote.csv', [session('BQ-1'), session('BQ-2'), session('BQ-3')]],
    ['a hundred blank lines', 'sessions', 'blank-lines.csv', [session('BL-1')]],
    [
      'plates that became dates',
      'sessions',
      'date-plate.xlsx',
      [`plate: 2010-03-01 ${DATE}`, `plate: 2026-12-10 ${DATE}`],
    ],
    [
      'ids and plates whose zeros only a format shows',
      'sessions',
      'leading-zeros.xlsx',
      [`session_id: 42 ${NUMBER}; plate: 123 ${NUMBER}`],
    ],
    [
      'ids of more digits than a number has',
      'sessions',
      'long-ids.xlsx',
      [
        `plate: 1.23e+47 ${NUMBER}`,
        `session_id: 202611271000001230 ${NUMBER}`,
        `session_id: 202611271000001240 ${NUMBER}`,
      ],
    ],
    ['a plate that became a number', 'sessions', 'sci-plate.csv', [`plate: 2,19E+26 ${SHORTENED}`]],
    [
      'two plates in a cell of a workbook',
      'subscriptions',
      'newline.xlsx',
      [plates('AB111CD', 'EF222GH'), plates('AB333CD', 'EF444GH')],
    ],
    [
      'two plates in a cell',
      'subscriptions',
      'two-plates.csv',
      [
        plates('AB123CD', 'EF456GH'),
        plates('AC123CD', 'EG456GH'),
        ...[SEVERAL, SEVERAL],
        plates('AF123CD', 'EK456GH'),
        SEVERAL,
      ],
    ],
  ])('with %s is read as it was meant, or its row is rejected', async (_, kind, name, expected) => {
    expect(await fileOutcomes(kind, name)).toEqual(expected);
  });

  it('with a day that ends at 24:00 has it end with that day', async () => {
    const map = 'authorized_from=Dal,authorized_until=Al+Ora';
    expect(await fileOutcomes('subscriptions', 'twentyfour.xlsx', map)).toMatchObject([
      { authorized_until: '2026-11-27T23:00:00.000Z' },
    ]);
  });

  it.each(['America/New_York', 'Asia/Tokyo'])(
    'has its local times read by the city’s clock where the computer’s is that of %s',
    (TZ) => {
      const script = `
        import { linesOf } from './test/tables/table-lines.ts';
        import { readFileSync } from 'node:fs';
        const name = 'iso-date-cells.xlsx';
        const lines = await linesOf('sessions', readFileSync('test/tables/data/' + name), { name });
        console.log(JSON.stringify(lines.map(({ line }) => [line.starts_at, line.ends_at])));
      `;
      const root = new URL('../..', import.meta.url).pathname;
      const out = execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', script], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, TZ },
      });
      expect(JSON.parse(out)).toEqual([
        ['2026-11-27T16:44:00.000Z', '2026-11-27T18:44:00.000Z'],
        ['2026-11-26T23:00:00.000Z', '2026-11-27T18:44:00.000Z'],
        ['2026-11-27T17:44:00Z', '2026-11-27T19:44:00Z'],
      ]);
    },
  );
});

describe('A plate, a key or a code', () => {
  const sessions = (...rows: readonly string[]) =>
    outcomes('sessions', ['session_id;plate;area_code;starts_at', ...rows].join('\n'));
  const read = async (plate: string) => (await sessions(`1;"${plate}";S1;07/03/2026 10:00`))[0];

  it.each(['AB123CD', 'A1', 'M AB 1234E', 'AB 123;CD', '1234 ABC', '12E345'])(
    'such as %s is one plate',
    async (plate) => {
      expect(await read(plate)).toMatchObject({ plate });
    },
  );

  it.each([
    ['AB123CD / EF456GH', 'is more than one plate'],
    ['AB123CD EF456GH', 'is more than one plate'],
    ['AB123CD\nEF456GH', 'is more than one plate'],
    ['2,19E+26', 'a spreadsheet has shortened'],
    ['1E-05', 'a spreadsheet has shortened'],
    ['10/03/2026', 'is a date'],
  ])('is not %j: the row is rejected', async (plate, words) => {
    expect(await read(plate)).toEqual(expect.stringContaining(words));
  });

  it('is rejected as a number in E notation in each such column', async () => {
    expect(await sessions('2,03E+17;A1;S1;07/03/2026 10:00', '1;A1;1E+5;07/03/2026 10:00')).toEqual([
      `session_id: 2,03E+17 ${SHORTENED}`,
      `area_code: 1E+5 ${SHORTENED}`,
    ]);
    const titles = 'subscription_number;type;plates;approval;areas';
    const found = await outcomes('subscriptions', `${titles}\nN;RES;A1, 2,19E+26;approved;S1|3E+05\n`);
    expect(found).toEqual([`plates: A1, 2,19E+26 ${SHORTENED}; areas: S1|3E+05 ${SHORTENED}`]);
  });

  it('is rejected as a number or a date in a sheet; a revision may be a number', async () => {
    const titles = ['session_id', 'plate', 'area_code', 'starts_at', 'revision'];
    const [day, at] = [
      daysOf('2026-03-10T00:00'),
      { days: daysOf('2026-11-27T12:00'), as: 'instant' } as const,
    ];
    const rows = [
      ['1', 'A1', 'S1', at, 3],
      ['2', 'A1', 7, at, null],
      [{ days: day, as: 'date' } as const, 'A1', 'S1', at, null],
    ];
    const sheet = workbook({ Soste: [titles, ...rows] });
    expect(await outcomes('sessions', sheet, { name: 'x.xlsx' })).toEqual([
      {
        ...{ session_id: '1', plate: 'A1', area_code: 'S1', revision: 3 },
        starts_at: '2026-11-27T11:00:00.000Z',
      },
      `area_code: 7 ${NUMBER}`,
      `session_id: 2026-03-10 ${DATE}`,
    ]);
  });
});

describe('A column of dates next to one of times', () => {
  const read = (date: string, time: string) =>
    outcomes('sessions', `session_id;plate;area_code;Data;Ora\n1;A1;S1;${date};${time}\n`, {
      map: 'starts_at=Data+Ora',
    });

  it.each([
    ['07/03/2026', '10:00', '2026-03-07T09:00:00.000Z'],
    ['07/03/2026', '24:00', '2026-03-07T23:00:00.000Z'],
    ['28/03/2026', '24.00', '2026-03-28T23:00:00.000Z'],
    ['07/03/2026', '', '2026-03-06T23:00:00.000Z'],
  ])('is together %s %s: %s', async (date, time, starts_at) => {
    expect(await read(date, time)).toMatchObject([{ starts_at }]);
  });

  it.each([
    ['07/03/2026', '24:01', 'is later than 24:00'],
    ['07/03/2026', '36:00:00', 'is later than 24:00'],
    ['2026-03-07 17:44:00', '', 'has a time in the column of the date'],
    ['2026-03-07T17:44:00Z', '', 'has a time in the column of the date'],
    ['31/02/2026', '10:00', 'is no date'],
    ['', '10:00', 'is not a time'],
    ['07/03/2026', '2026-03-07 10:00:00', 'is not a time'],
  ])('is nothing where they are %j and %j: the row is rejected', async (date, time, words) => {
    expect(await read(date, time)).toEqual([expect.stringContaining(words)]);
  });
});
