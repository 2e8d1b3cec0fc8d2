import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Cell, daysOf, workbook } from '../tables/workbook.ts';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

openOffice();

describe('A table of sessions', () => {
  it('is imported by the municipality’s own time zone, which the service tells', async () => {
    const file = desk.write('soste.csv', csv({ name: 'zone', count: 3 }));
    const done = await asOperator(importing(file, '--json'));
    expect(done.code).toBe(0);
    expect(sumOf(done)).toMatchObject({ received: 3, created: 3, updated: 0, unchanged: 0, rejected: 0 });
    const exported = await asAdministrator(['plate', 'export', 'M1', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { session_id: 'zone-1', starts_at: '2026-03-07T10:01:00+01:00' },
    ]);
  });

  it('does no harm when it is imported again, and says so', async () => {
    const file = desk.write('again.csv', csv({ name: 'again', count: 50 }));
    const args = importing(file);
    expect((await asOperator(args)).out).toMatch(/^created +50$/m);
    const again = await asOperator(args);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/^created +0$/m);
    expect(again.out).toMatch(/^unchanged +50$/m);
  });
});

describe('A table as an office’s program writes it', () => {
  const TABLE =
    'Codice;Targa;Via;Data;Ora;Fine data;Fine ora;Importo;Versione\r\n' +
    'W-1;WW111WW;Città vecchia;07/03/2026;17.44;07/03/2026;19.00;1,50;2,00\r\n';
  const map = 'session_id=Codice,plate=Targa,starts_at=Data+Ora,ends_at=Fine data+Fine ora,revision=Versione';
  const args = (file: string) =>
    ['import', 'sessions', file, '--source', 'app1', '--map', map, '--set', 'area_code=S1'] as const;

  it('is read with its accents, commas and two columns for a time, and it says as what it was read', async () => {
    const file = desk.write('ufficio.csv', Buffer.from(TABLE, 'latin1'));
    const done = await asOperator([...args(file), '--json']);
    expect([done.code, done.err]).toEqual([
      0,
      `${file} is read as Windows-1252: it is not UTF-8. If it is something else, name its encoding.\n`,
    ]);
    const exported = await asAdministrator(['plate', 'export', 'WW111WW', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { starts_at: '2026-03-07T17:44:00+01:00', ends_at: '2026-03-07T19:00:00+01:00' },
    ]);
  });

  it('is refused where its encoding was said and is another', async () => {
    const file = desk.write('ufficio.csv', Buffer.from(TABLE, 'latin1'));
    const { code, err } = await asOperator([...args(file), '--encoding', 'utf-8']);
    expect([code, err]).toEqual([1, expect.stringContaining(`${file} is not in utf-8.`)]);
  });
});

describe('A table of subscriptions with a row for each plate', () => {
  const TABLE =
    'subscription_number,plates,type,approval,areas\nD-1,DA1,RES,approved,all\nD-2,DB1,RES,approved,all\nD-1,DA2,RES,approved,all\n';
  const ALREADY = 'subscription_number: D-1 is in line 2 already';

  it('loses no plate unsaid: what would replace an earlier row is rejected, with both lines', async () => {
    const file = desk.write('plates.csv', TABLE);
    const done = await asOperator(['import', 'subscriptions', file]);
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/^created +2$/m);
    expect(done.err).toContain(`${file}:4: ${ALREADY}`);
    const exported = await asAdministrator(['plate', 'export', 'DA1', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).subscriptions).toMatchObject([{ subscription_number: 'D-1' }]);
  });
});

describe('A row with several faults', () => {
  const TITLES = 'Elenco dei residenti;;;;;;\nNumero;Targa;Tipo;Stato;Zone;Dal;Al\n';
  const MAP =
    'subscription_number=Numero,plates=Targa,type=Tipo,approval=Stato,areas=Zone,period_starts_at=Dal,period_ends_at=Al';

  it('is told them by its own columns and values', async () => {
    const rows = [
      'F-1;FA1;RES;approved;all;01/12/2026;31/12/2026',
      'F-1;FA2;RES;approved;all;41/12/2026;31/12/2026',
      'F-2;FA3;RES;aproved;all;01/12/2026;01/11/2026',
      'F-3;FA4;NONE;approved;NOWHERE;01/12/2026;31/12/2026',
    ];
    const file = desk.write('faults.csv', TITLES + rows.join('\n'));
    const args = ['import', 'subscriptions', file, '--header-row', '2', '--map', MAP];
    const { err } = await asOperator([...args, '--end-dates', 'included', '--dry-run']);
    expect(err).toContain(`${file}:4: Numero: F-1 is in line 3 already`);
    expect(err).toContain('Dal: 41/12/2026 is no date');
    expect(err).toContain(`${file}:5: Stato: aproved – must be one of`);
    expect(err).toContain('Al: 01/11/2026 – must be later than Dal');
    expect(err).toMatch(/faults\.csv:6: (Tipo: NONE|Zone: NOWHERE) – the municipality has no /);
  });

  it('is not looked for in the line of the titles: the message names the option for them', async () => {
    const file = desk.write('titles.csv', TITLES);
    const { code, err } = await asOperator(['import', 'subscriptions', file, '--map', MAP]);
    expect([code, err]).toEqual([2, expect.stringContaining('It has: Elenco dei residenti\n')]);
    expect(err).toContain('--header-row says in which line');
  });
});

describe('A mapping that is kept', () => {
  const MAPPING = `map: { session_id: Codice, plate: Targa, starts_at: Inizio, ends_at: Fine }
set: { area_code: S1, revision: 7 }
encoding: windows-1252
timezone: Europe/Rome
`;
  const text = 'Codice;Targa;Inizio;Fine;Città\r\nk-1;K1;07/03/2026 10:00;07/03/2026 12:00;Forlì\r\n';

  it('is named, or is a file, and gives way to what the command itself says', async () => {
    const file = desk.write('kept.csv', Buffer.from(text, 'latin1'));
    const kept = desk.write('soste.yaml', MAPPING);
    mkdirSync(desk.path('config/parking/mappings'), { recursive: true });
    writeFileSync(desk.path('config/parking/mappings/soste.yaml'), MAPPING);
    const args = ['import', 'sessions', file, '--source', 'app1', '--json', '--mapping'];
    expect(sumOf(await asOperator([...args, kept]))).toMatchObject({ created: 1, rejected: 0 });
    expect(sumOf(await asOperator([...args, 'soste']))).toMatchObject({ unchanged: 1, rejected: 0 });
    const said = await asOperator([...args, 'soste', '--set', 'area_code=NOWHERE']);
    expect(sumOf(said)).toMatchObject({ rejected: 1 });
  });

  it('that is not there, or says what no import knows, is refused with its line before anything is sent', async () => {
    const file = desk.write('kept.csv', text);
    const args = ['import', 'sessions', file, '--mapping'];
    const missing = await asOperator([...args, 'none']);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('mappings/none.yaml')]);
    const wrong = desk.write('wrong.yaml', 'map: { plate: Targa }\ndate-order: ymd\n');
    const refused = await asOperator([...args, wrong]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`${wrong}:2:13: date-order: `)]);
  });
});

describe('An Excel workbook', () => {
  const instant = (shown: string): Cell => ({ days: daysOf(shown), as: 'instant' });
  const day: Cell = { days: daysOf('2026-03-07'), as: 'date' };
  const TITLES = ['Codice', 'Targa', 'Zona', 'Inizio', 'Fine'];
  const good = (id: Cell): Cell[] => [
    id,
    'EX111EX',
    'S1',
    instant('2026-03-07T17:44'),
    instant('2026-03-07T19:00'),
  ];

  it('is imported as the same table in CSV would be: dates as clocks show them, texts as they are', async () => {
    const rows = [[], TITLES, good('0042'), [null, null], good('X-2')];
    const file = desk.write('soste.xlsx', workbook({ Soste: rows }));
    const done = await asOperator(importing(file, '--json'));
    expect(sumOf(done)).toMatchObject({ received: 2, created: 2 });
    const exported = await asAdministrator(['plate', 'export', 'EX111EX', '--tenant', 'acme']);
    const times = { starts_at: '2026-03-07T17:44:00+01:00', ends_at: '2026-03-07T19:00:00+01:00' };
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { session_id: '0042', ...times },
      { session_id: 'X-2', ...times },
    ]);
  });

  it('has a date and its time in two columns, and a bare date that ends nothing unasked', async () => {
    const rows = [
      ['Codice', 'Targa', 'Zona', 'Data', 'Ora', 'Fine'],
      ['Y-1', 'EY111EY', 'S1', day, { days: 17.75 / 24, as: 'time' } as const, day],
    ];
    const file = desk.write('ore.xlsx', workbook({ Altro: [['no']], Soste: rows }));
    const args = ['import', 'sessions', file, '--source', 'app1', '--sheet', 'Soste', '--map'];
    const map = 'session_id=Codice,plate=Targa,area_code=Zona,starts_at=Data+Ora,ends_at=Fine';
    const refused = await asOperator([...args, map]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`${file}:2: Fine: 2026-03-07 ends on a date`),
    ]);
    expect((await asOperator([...args, map, '--end-dates', 'included'])).code).toBe(0);
    const exported = await asAdministrator(['plate', 'export', 'EY111EY', '--tenant', 'acme']);
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { starts_at: '2026-03-07T17:45:00+01:00', ends_at: '2026-03-08T00:00:00+01:00' },
    ]);
  });

  it('with cells that show an error or were never calculated has these rows rejected: they are not empty', async () => {
    const rows = [
      TITLES,
      [...good('Z-1').slice(0, 4), { error: '#N/A' }],
      [...good('Z-2').slice(0, 4), { formula: 'D3+1' }],
      [...good('Z-3').slice(0, 4), null],
      [{ formula: '40+2', result: 42 }, ...good('').slice(1)],
    ];
    const file = desk.write('formule.xlsx', workbook({ Soste: rows }));
    const rejected = desk.path('formule.csv');
    const done = await asOperator(importing(file, '--rejected', rejected, '--json'));
    expect(sumOf(done)).toMatchObject({ received: 4, created: 1, rejected: 3 });
    expect(readFileSync(rejected, 'utf8')).toBe(
      '\ufeffline;code;message;Codice;Targa;Zona;Inizio;Fine\n' +
        '2;INVALID_REQUEST;the cell E2 #N/A has no value: correct it, or save the workbook in Excel, which calculates it;Z-1;EX111EX;S1;2026-03-07 17:44:00;\n' +
        '3;INVALID_REQUEST;the cell E3 = has no value: correct it, or save the workbook in Excel, which calculates it;Z-2;EX111EX;S1;2026-03-07 17:44:00;\n' +
        '5;INVALID_REQUEST;Codice: 42 is a number in the sheet, not a text: format the column as text, and write it again;;EX111EX;S1;2026-03-07 17:44:00;2026-03-07 19:00:00\n',
    );
    const again = await asOperator(importing(rejected, '--json'));
    expect(sumOf(again)).toMatchObject({ received: 3, created: 2, rejected: 1 });
  });

  it.each([
    ['no workbook', 'Codice;Targa', [], 'cannot be read as an Excel workbook'],
    [
      'no such sheet',
      workbook({ Soste: [TITLES] }),
      ['--sheet', 'Aprile'],
      'Sheet not found: Aprile. Available sheets: Soste',
    ],
    ['an empty sheet', workbook({ Soste: [] }), [], 'the first row of its sheet has to name the columns'],
    [
      'a sheet that would fill the memory',
      workbook({ Soste: [['x'.repeat(33 * 1_024 * 1_024)]] }),
      [],
      'too large to be read as a workbook',
    ],
  ])('is not taken where it is %s', async (_, content, options, words) => {
    const file = desk.write('wrong.xlsx', content);
    const { code, err } = await asOperator(importing(file, ...options));
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  it('is not a form of a file of rejected rows', async () => {
    const file = desk.write('soste.xlsx', workbook({ Soste: [TITLES] }));
    const { code, err } = await asOperator(importing(file, '--rejected', desk.path('no.xlsx')));
    expect([code, err]).toEqual([2, expect.stringContaining('Give it a name that ends with .csv')]);
  });
});

describe('A dry run', () => {
  it('finds what the import would find, and stores nothing', async () => {
    const file = desk.write('dry.csv', csv({ name: 'dry', count: 20, lost: 5 }).replace('M7;', 'ß;'));
    const args = importing(file, '--json');
    const dry = await asOperator([...args, '--dry-run']);
    expect(sumOf(dry)).toMatchObject({ dry_run: true, received: 20, created: 15, rejected: 5 });
    expect(dry.err).toContain('the others are good');
    const real = await asOperator(args);
    expect(sumOf(real)).toMatchObject({ dry_run: false, created: 15, unchanged: 0, rejected: 5 });
  });

  it('knows that a source is not there, as the import does', async () => {
    const file = desk.write('source.csv', csv({ name: 'source', count: 2 }));
    for (const options of [[], ['--dry-run']]) {
      const { code, err } = await asOperator([...importing(file).with(4, 'app9'), ...options]);
      expect([code, err]).toEqual([1, expect.stringContaining('(SOURCE_NOT_FOUND)')]);
    }
  });
});

describe('Several files', () => {
  it('are imported one after the other, with one sum', async () => {
    const files = ['one', 'two'].map((name) => desk.write(`${name}.csv`, csv({ name, count: 3, lost: 3 })));
    const [first = '', second = ''] = files;
    const rejected = desk.path('several.ndjson');
    const done = await asOperator([...importing(first), second, '--rejected', rejected, '--json']);
    expect(sumOf(done)).toMatchObject({ received: 6, created: 4, rejected: 2 });
    const lines = readFileSync(rejected, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { file: first, line: 2, code: 'AREA_NOT_FOUND' },
      { file: second, line: 2, code: 'AREA_NOT_FOUND' },
    ]);
  });
});
