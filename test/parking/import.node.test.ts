import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { type Cell, daysOf, workbook } from '../tables/workbook.ts';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

openOffice();

/** What is stored of a plate. */
const held = async (plate: string) =>
  JSON.parse((await asAdministrator(`plate export ${plate} --tenant acme`)).out);

describe('A table of sessions', () => {
  it('is imported by the municipality’s own time zone, and does no harm when it is imported again', async () => {
    const words = importing(desk.write('soste.csv', csv({ name: 'zone', count: 50 })), '--json');
    const first = await asOperator(words);
    expect([first.code, sumOf(first)]).toMatchObject([
      0,
      { received: 50, created: 50, rejected: 0, erased: 0 },
    ]);
    expect((await held('M1')).sessions).toMatchObject([
      { session_id: 'zone-1', starts_at: '2026-03-07T10:01:00+01:00' },
    ]);
    const again = await asOperator(words);
    expect([again.code, sumOf(again)]).toMatchObject([0, { created: 0, unchanged: 50 }]);
  });

  it('as an office’s program writes it is read with its accents, commas and two columns for a time', async () => {
    const table =
      'Codice;Targa;Via;Data;Ora;Fine data;Fine ora;Importo;Versione\r\n' +
      'W-1;WW111WW;Città vecchia;07/03/2026;17.44;07/03/2026;19.00;1,50;2,00\r\n';
    const map =
      'session_id=Codice,plate=Targa,starts_at=Data+Ora,ends_at=Fine data+Fine ora,revision=Versione';
    const file = desk.write('ufficio.csv', Buffer.from(table, 'latin1'));
    const words = ['import', 'sessions', file, '--source', 'app1', '--map', map, '--set', 'area_code=S1'];
    const done = await asOperator([...words, '--json']);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining(`${file} is read as Windows-1252`)]);
    expect((await held('WW111WW')).sessions).toMatchObject([
      { starts_at: '2026-03-07T17:44:00+01:00', ends_at: '2026-03-07T19:00:00+01:00', revision: 2 },
    ]);
    const { code, err } = await asOperator([...words, '--encoding', 'utf-8']);
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining(`${file} is not in utf-8.`)]);
  });

  it('in several files is imported one after the other, with one sum', async () => {
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

describe('Lines of JSON', () => {
  it('go to the service as they are; one that is longer than it takes, in bytes, is rejected alone', async () => {
    const line = (session_id: string, plate = 'JL111JL') =>
      JSON.stringify({ session_id, plate, area_code: 'S1', starts_at: '2026-03-07T10:00:00Z' });
    const long = [
      line('3', '京'.repeat(100_000)),
      line('4', '🚗'.repeat(200_000)),
      line('5', `x${'🚗'.repeat(200_000)}`),
    ];
    const file = desk.write('lines.ndjson', [line('1'), '', ...long, line('2').padEnd(200_000)].join('\r\n'));
    const { code, out, err } = await asOperator(`import sessions ${file} --source app1 --json`);
    expect([code, JSON.parse(out)]).toMatchObject([EXIT.refused, { received: 5, created: 2, rejected: 3 }]);
    const said = [3, 4, 5].map((number) => `${file}:${number}: the line is too long (INVALID_REQUEST)`);
    expect(JSON.parse(err).notes.map((note: string) => note.replace(/(too long).*( \()/, '$1$2'))).toEqual(
      said,
    );
  });
});

describe('A table of subscriptions', () => {
  const HEADING = 'Elenco dei residenti;;;;;;\nNumero;Targa;Tipo;Stato;Zone;Dal;Al\n';
  const MAP =
    'subscription_number=Numero,plates=Targa,type=Tipo,approval=Stato,areas=Zone,period_starts_at=Dal,period_ends_at=Al';
  const words = (file: string) => ['import', 'subscriptions', file, '--map', MAP, '--end-dates', 'included'];

  it('is told its faults by its own columns and values; what would replace an earlier row is one', async () => {
    const rows = [
      'F-1;FA1;RES;approved;all;01/12/2026;31/12/2026',
      'F-1;FA2;RES;approved;all;41/12/2026;31/12/2026',
      'F-2;FA3;RES;aproved;all;01/12/2026;01/11/2026',
      'F-3;FA4;NONE;approved;NOWHERE;01/12/2026;31/12/2026',
    ];
    const file = desk.write('faults.csv', HEADING + rows.join('\n'));
    const done = await asOperator([...words(file), '--header-row', '2']);
    expect(done.out).toMatch(/^created +1$/m);
    expect(done.err).toContain(`${file}:4: Numero: F-1 is in line 3 already`);
    expect(done.err).toContain('Dal: 41/12/2026 is no date');
    expect(done.err).toContain(`${file}:5: Stato: aproved – must be one of`);
    expect(done.err).toContain('Al: 01/11/2026 – must be later than Dal');
    expect(done.err).toMatch(/faults\.csv:6: (Tipo: NONE|Zone: NOWHERE) – the municipality has no /);
    expect((await held('FA1')).subscriptions).toMatchObject([{ subscription_number: 'F-1' }]);
  });

  it('has its words, its title row and its columns in a mapping, which its rejected rows need again', async () => {
    const mapping = desk.write(
      'residenti.yaml',
      `map: { ${MAP.replaceAll('=', ': ').replaceAll(',', ', ')} }
values: { approval: { approvato: approved, in attesa: pending } }
header-row: 2
end-dates: included
`,
    );
    const rows = [
      'L-1;LA111LA, LB111LB;RES;Approvato;01/01/2026;31/12/2026',
      'L-2;LD111LD;NONE;in attesa;01/02/2026;31/12/2026',
    ].map((row) => row.replace(/;(\d)/, ';tutte;$1'));
    const file = desk.write('residenti.csv', HEADING + rows.join('\n'));
    const rejected = desk.path('rifiutati.csv');
    const kept = (name: string) => ['import', 'subscriptions', name, '--mapping', mapping, '--json'];
    expect(sumOf(await asOperator([...kept(file), '--rejected', rejected]))).toMatchObject({
      created: 1,
      rejected: 1,
    });
    expect((await asOperator('check LB111LB --area S1')).out).toMatch(/^has_valid_subscription +true$/m);
    const corrected = desk.write('corretti.csv', readFileSync(rejected, 'utf8').replace(';NONE;', ';RES;'));
    expect(sumOf(await asOperator(kept(corrected)))).toMatchObject({ received: 1, created: 1 });
  });
});

describe('A mapping that is kept', () => {
  const MAPPING = `map: { session_id: Codice, plate: Targa, starts_at: Inizio, ends_at: Fine }
set: { area_code: S1, revision: 7 }
encoding: windows-1252
timezone: Europe/Rome
`;
  const text = 'Codice;Targa;Inizio;Fine;Città\r\nk-1;K1;07/03/2026 10:00;07/03/2026 12:00;Forlì\r\n';

  it('gives way to what the command itself says', async () => {
    const file = desk.write('kept.csv', Buffer.from(text, 'latin1'));
    const kept = desk.write('soste.yaml', MAPPING);
    const words = ['import', 'sessions', file, '--source', 'app1', '--json', '--mapping', kept];
    expect(sumOf(await asOperator(words))).toMatchObject({ created: 1, rejected: 0 });
    const said = await asOperator([...words, '--set', 'area_code=NOWHERE']);
    expect(sumOf(said)).toMatchObject({ rejected: 1 });
    const encoded = await asOperator([...words, '--encoding', 'utf-8']);
    expect(encoded.err).toContain('is not in utf-8');
  });

  it('that is not there, or says what no import knows, is refused with its line before anything is sent', async () => {
    const words = ['import', 'sessions', desk.write('kept.csv', text), '--mapping'];
    const missing = await asOperator([...words, 'none.yaml']);
    expect([missing.code, missing.err]).toEqual([EXIT.usage, expect.stringContaining('no file none.yaml')]);
    const wrong = desk.write('wrong.yaml', 'map: { plate: Targa }\ndate-order: ymd\n');
    const { code, err } = await asOperator([...words, wrong]);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(`${wrong}:2:13: date-order: `)]);
  });
});

describe('An Excel workbook', () => {
  const instant = (shown: string): Cell => ({ days: daysOf(shown), as: 'instant' });
  const TITLES = ['Codice', 'Targa', 'Zona', 'Inizio', 'Fine'];
  const times = [instant('2026-03-07T17:44'), instant('2026-03-07T19:00')];
  const good = (id: Cell): Cell[] => [id, 'EX111EX', 'S1', ...times];

  it('has the rows rejected whose cells have no value, and they can be corrected and imported as CSV', async () => {
    const rows = [
      TITLES,
      [...good('Z-1').slice(0, 4), { error: '#N/A' }],
      [...good('Z-2').slice(0, 4), { formula: 'D3+1' }],
      [...good('Z-3').slice(0, 4), null],
      [{ formula: '40+2', result: 42 }, ...good('').slice(1)],
    ];
    const rejected = desk.path('formule.csv');
    const file = desk.write('formule.xlsx', workbook({ Soste: rows }));
    const done = await asOperator(importing(file, '--rejected', rejected, '--json'));
    expect(sumOf(done)).toMatchObject({ received: 4, created: 1, rejected: 3 });
    expect(
      readFileSync(rejected, 'utf8').replaceAll(/(?<=INVALID_REQUEST;)[^;]*/g, (why) => why.slice(0, 15)),
    ).toBe(
      '\ufeffline;code;message;Codice;Targa;Zona;Inizio;Fine\n' +
        '2;INVALID_REQUEST;the cell E2 #N/;Z-1;EX111EX;S1;2026-03-07 17:44:00;#N/A\n' +
        "3;INVALID_REQUEST;the cell E3 = h;Z-2;EX111EX;S1;2026-03-07 17:44:00;'=\n" +
        '5;INVALID_REQUEST;Codice: 42 is a;;EX111EX;S1;2026-03-07 17:44:00;2026-03-07 19:00:00\n',
    );
    // Sent again as they are, they are no sessions without an end.
    expect(sumOf(await asOperator(importing(rejected, '--json')))).toMatchObject({ rejected: 3 });
    const corrected = readFileSync(rejected, 'utf8').replace(/#N\/A$|'=$/gm, '2026-03-07 19:00');
    const again = await asOperator(importing(desk.write('corrette.csv', corrected), '--json'));
    expect(sumOf(again)).toMatchObject({ received: 3, created: 2, rejected: 1 });
  });

  it('that is none is not taken, nor is one a form of a file of rejected rows', async () => {
    const none = await asOperator(importing(desk.write('wrong.xlsx', 'Codice;Targa')));
    expect([none.code, none.err]).toEqual([
      EXIT.usage,
      expect.stringContaining('cannot be read as an Excel'),
    ]);
    const file = desk.write('form.csv', csv({ name: 'form', count: 1 }));
    const { code, err } = await asOperator(importing(file, '--rejected', desk.path('x.xlsx')));
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('would be no workbook')]);
  });
});
