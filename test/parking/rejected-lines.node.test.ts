import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

openOffice();

describe('Rejected lines', () => {
  it('are all in their file with their reasons, and can be imported from it once corrected', async () => {
    const text = csv({ name: 'many', count: 1_000, lost: 3 }).replace('07/03/2026 10:05', 'domani');
    const file = desk.write('many.csv', text);
    const out = desk.path('rejected.csv');
    const args = importing(file);
    const done = await asOperator([...args, '--rejected', out, '--json']);
    expect(done.code).toBe(1);
    expect(sumOf(done)).toMatchObject({ received: 1_000, created: 665, rejected: 335 });
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const [header, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(header).toBe('line;code;message;Codice;Targa;Zona;Inizio;Fine');
    expect(rows).toHaveLength(335);
    expect(rows[0]).toMatch(/^2;AREA_NOT_FOUND;.*;many-0;M0;NOWHERE;07\/03\/2026 10:00;/);
    expect(rows.filter((row) => row.includes('domani'))).toEqual([
      '7;INVALID_REQUEST;Inizio: domani is not a time: write 2026-03-07 17:44, 07/03/2026 17:44 or 2026-03-07T17:44:00+01:00;many-5;M5;S1;domani;07/03/2026 12:00',
    ]);
    const numbers = rows.map((row) => Number(row.split(';')[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));

    const corrected = desk.write(
      'corrected.csv',
      `${header}\n${rows.join('\n')}\n`
        .replaceAll('NOWHERE', 'S1')
        .replaceAll('domani;', '07/03/2026 10:05;'),
    );
    const again = await asOperator(importing(corrected, '--json'));
    expect(sumOf(again)).toMatchObject({ received: 335, created: 335, rejected: 0 });
  });

  it('never overwrite the file that is imported, by whatever path it is named', async () => {
    const text = csv({ name: 'same', count: 2, lost: 1 });
    const file = desk.write('same.csv', text);
    symlinkSync(file, desk.path('link.csv'));
    const args = importing(file, '--rejected');
    for (const out of [file, desk.path('./x/../same.csv'), desk.path('link.csv')]) {
      const { code, err } = await asOperator([...args, out]);
      expect(code).toBe(2);
      expect(err).toContain('is being imported: choose another file for the rejected lines');
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  it('that find no room on their disk end the import as a refusal, with what is stored', async () => {
    const file = desk.write('full.ndjson', '{"session_id": "no"}\n');
    const { mode } = statSync('/dev/full');
    const args = ['--source', 'app1', '--rejected', '/dev/full'];
    const { code, out, err } = await asOperator(['import', 'sessions', file, ...args]);
    expect(code).toBe(1);
    expect(out).toMatch(/^rejected +1$/m);
    expect(err).toContain(
      'Not all rejected lines are in /dev/full, which cannot be written any more: ENOSPC',
    );
    expect(err).toContain('run the same command again');
    expect(statSync('/dev/full').mode).toBe(mode);
  });

  it('for which not even the titles find room on the disk stop the import before anything is sent', async () => {
    const file = desk.write('full.csv', csv({ name: 'full', count: 2, lost: 2 }));
    const { code, out, err } = await asOperator(importing(file, '--rejected', '/dev/full'));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('/dev/full, which cannot be written any more: ENOSPC');
  });

  it('of a later run take the place of those of an earlier one, for their owner alone', async () => {
    const out = desk.path('again-rejected.csv');
    await asOperator(
      importing(desk.write('again.csv', csv({ name: 'again', count: 4, lost: 2 })), '--rejected', out),
    );
    chmodSync(out, 0o644);
    await asOperator(
      importing(desk.write('next.csv', csv({ name: 'next', count: 1, lost: 1 })), '--rejected', out),
    );
    expect(readFileSync(out, 'utf8')).toMatch(/^[^\n]*\n2;AREA_NOT_FOUND;[^\n]*next-0;[^\n]*\n$/);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('are never written into a file of something else', async () => {
    const file = desk.write('other.csv', csv({ name: 'other', count: 2, lost: 1 }));
    const lines = desk.write('other.ndjson', '{"session_id": "no"}\n');
    for (const [command, text] of [
      [importing(file), 'Dear all,\n'],
      [['import', 'sessions', lines, '--source', 'app1'], '{"session_id": "no"}\n'],
    ] as const) {
      const out = desk.write('letter.txt', text);
      const { code, err } = await asOperator([...command, '--rejected', out]);
      expect(code).toBe(2);
      expect(err).toContain('holds something else than rejected lines');
      expect(readFileSync(out, 'utf8')).toBe(text);
    }
  });

  it('past the first thousand of a part are counted, and said to be missing', async () => {
    const lines = Array.from({ length: 1_300 }, (_, index) =>
      JSON.stringify({
        ...{ subscription_number: `L-${index}`, approval: 'approved', plates: [], periods: [] },
        ...{ type: 'RES', areas: ['S1', `X${index}`] },
      }),
    );
    const file = desk.write('lost.ndjson', `${lines.join('\n')}\n`);
    const out = desk.path('lost-rejected.ndjson');
    const done = await asOperator(['import', 'subscriptions', file, '--rejected', out]);
    expect(done.out).toMatch(/^rejected +1300$/m);
    expect(done.err).toContain(`300 more rejected lines are not in ${out}`);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(1_000);
  });

  it('are on standard error where no file takes them: the first ten, and how many more', async () => {
    const file = desk.write('few.csv', csv({ name: 'few', count: 30, lost: 2 }));
    const { code, err } = await asOperator(importing(file));
    expect(code).toBe(1);
    expect(err).toContain(`${file}:2: Zona: NOWHERE – the municipality has no area`);
    expect(err).toContain('… and 5 more: --rejected FILE writes them.');
  });

  it('are within the failure where that is JSON', async () => {
    const file = desk.write('json.csv', csv({ name: 'json', count: 30, lost: 2 }));
    const { code, err } = await asOperator(importing(file, '--json'));
    expect(code).toBe(1);
    const { exit_code, notes } = JSON.parse(err);
    expect([exit_code, notes.length, notes[0]]).toEqual([
      1,
      11,
      expect.stringContaining(`${file}:2: Zona: NOWHERE – the municipality has no area`),
    ]);
  });
});

describe('The file of rejected lines in a spreadsheet', () => {
  const TITLES = 'Codice;Targa;Zona;Inizio;Fine';
  const rest = 'NOWHERE;07/03/2026 10:00;07/03/2026 12:00';

  it('calculates nothing of what was imported, and is imported from it as it was', async () => {
    const cells = ['=HYPERLINK("http://x.example")', '+1', '-1', '@SUM(A1)', "'=1", "''=1", "'A"];
    const rows = cells.map((cell, index) => `"${cell.replaceAll('"', '""')}";AB${index};${rest};\t-5`);
    const file = desk.write('live.csv', `${TITLES};=1+1\n${rows.join('\n')}\n`);
    const out = desk.path('live-rejected.csv');
    await asOperator(importing(file, '--rejected', out));
    const [titles, ...written] = readFileSync(out, 'utf8').trim().split('\n');
    expect(titles).toBe(`line;code;message;${TITLES};'=1+1`);
    expect(written.map((row) => row.split(';').at(3))).toEqual([
      ...[`"'=HYPERLINK(""http://x.example"")"`, "'+1", "'-1", "'@SUM(A1)"],
      ...["''=1", "'''=1", "'A"],
    ]);
    expect(written.map((row) => row.split(';').at(-1))).toEqual(cells.map(() => "'\t'-5"));

    // Nothing is corrected but the street: what is stored has the codes of the first file.
    const corrected = desk.write('live-corrected.csv', readFileSync(out, 'utf8').replaceAll('NOWHERE', 'S1'));
    const again = await asOperator(importing(corrected, '--json'));
    expect(sumOf(again)).toMatchObject({ received: 7, created: 7 });
    for (const [index, cell] of cells.entries()) {
      const held = await asAdministrator(['plate', 'export', `AB${index}`, '--tenant', 'acme']);
      expect(JSON.parse(held.out).sessions).toMatchObject([{ session_id: cell }]);
    }

    const whole = readFileSync(out, 'utf8');
    await asOperator(importing(file, '--rejected', out));
    expect(readFileSync(out, 'utf8')).toBe(whole);
  });

  it.each([
    ['Windows-1252', (text: string) => Buffer.from(text, 'latin1')],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-8', (text: string) => Buffer.from(text)],
  ])('has its accents, and a mark by which it is read as UTF-8: of %s', async (_, encode) => {
    const file = desk.write('accents.csv', encode(`${TITLES}\nForlì;x;${rest}\n`));
    const out = desk.path('accents-rejected.csv');
    await asOperator(importing(file, '--rejected', out));
    const whole = readFileSync(out, 'utf8');
    expect(whole).toMatch(/^\ufeffline;code;message;Codice;.*\n.*;Forlì;x;/);
    const corrected = desk.write('marked.csv', whole.replaceAll('NOWHERE', 'S1'));
    const again = await asOperator(importing(corrected, '--json'));
    expect(sumOf(again)).toMatchObject({ received: 1, rejected: 0 });
  });
});

describe('A list of residents as an office keeps it', () => {
  const TABLE = [
    'Elenco residenti 2026;;;;;;',
    ';;;;;;',
    'Numero;Targa;Tipo;Stato;Dal;Al;Zone',
    'L-1;LA111LA, LB111LB;RES;Approvato;01/01/2026;31/12/2026;tutte',
    'L-2;Lß1;NONE;aprovato;31/02/2026;31/12/2026;S1, S9',
    '',
  ].join('\n');
  const MAP =
    'subscription_number=Numero,plates=Targa,type=Tipo,approval=Stato,areas=Zone,period_starts_at=Dal,period_ends_at=Al';
  const options = [
    ...['--map', MAP, '--value', 'approval.approvato=approved,approval.in attesa=pending'],
    ...['--header-row', '3', '--end-dates', 'included', '-m', 'H501'],
  ];

  it('is imported with its title row and its own words; a rejected row names its faults by its own columns', async () => {
    const file = desk.write('residenti.csv', TABLE);
    const done = await asOperator(['import', 'subscriptions', file, ...options]);
    expect(done.out).toMatch(/^created +1$/m);
    expect(done.err).toContain(`${file}:5: Dal: 31/02/2026 is no date`);
    expect((await asOperator(['check', 'LB111LB', '--area', 'S1', '-m', 'H501'])).out).toMatch(
      /^has_valid_subscription +true$/m,
    );
  });

  it('has its columns named where only the service knows a code to be wrong', async () => {
    const unknown = TABLE.replace('Lß1;NONE;aprovato;31/02/2026', 'LC111LC;NONE;approvato;01/02/2026');
    const file = desk.write('codici.csv', unknown);
    const { err } = await asOperator(['import', 'subscriptions', file, ...options]);
    expect(err).toContain('Tipo: NONE – the municipality has no subscription type with this code');
  });

  it('keeps its words and its title row in a mapping; its rejected rows have their own titles', async () => {
    const mapping = desk.write(
      'residenti.yaml',
      `map: { ${MAP.replaceAll('=', ': ').replaceAll(',', ', ')} }
values: { approval: { approvato: approved, in attesa: pending } }
header-row: 3
end-dates: included
`,
    );
    const file = desk.write('residenti-2.csv', TABLE);
    const rejected = desk.path('residenti-rifiutati.csv');
    const args = ['--mapping', mapping, '-m', 'H501'];
    await asOperator(['import', 'subscriptions', file, ...args, '--rejected', rejected]);
    const text = readFileSync(rejected, 'utf8');
    const corrected = text.replace(
      'Lß1;NONE;aprovato;31/02/2026;31/12/2026;S1, S9',
      'LD111LD;RES;in attesa;01/02/2026;31/12/2026;S1',
    );
    expect(corrected).not.toBe(text);
    const again = await asOperator([
      ...['import', 'subscriptions', desk.write('corretti.csv', corrected), ...args, '--json'],
    ]);
    expect(sumOf(again)).toMatchObject({ received: 1, created: 1, rejected: 0 });
  });
});
