import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

openOffice();

const table = (name: string, count: number, lost: number): string =>
  desk.write(`${name}.csv`, csv({ name, count, lost }));

describe('Rejected lines', () => {
  it('are all in their file with their reasons, and can be imported from it once corrected', async () => {
    const text = csv({ name: 'many', count: 1_000, lost: 3 }).replace('07/03/2026 10:05', 'domani');
    const out = desk.path('rejected.csv');
    const done = await asOperator(importing(desk.write('many.csv', text), '--rejected', out, '--json'));
    expect([done.code, sumOf(done)]).toMatchObject([EXIT.refused, { created: 665, rejected: 335 }]);
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const [header, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(header).toBe('line;code;message;Codice;Targa;Zona;Inizio;Fine');
    expect(rows).toHaveLength(335);
    expect(rows[0]).toMatch(/^2;AREA_NOT_FOUND;.*;many-0;M0;NOWHERE;07\/03\/2026 10:00;/);
    expect(rows.filter((row) => row.includes('domani'))).toEqual([
      expect.stringMatching(/^7;INVALID_REQUEST;Inizio: domani is not a time.*;many-5;M5;S1;domani;/),
    ]);
    const numbers = rows.map((row) => Number(row.split(';')[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));

    const corrected = `${header}\n${rows.join('\n')}\n`
      .replaceAll('NOWHERE', 'S1')
      .replaceAll('domani;', '07/03/2026 10:05;');
    const again = await asOperator(importing(desk.write('corrected.csv', corrected), '--json'));
    expect(sumOf(again)).toMatchObject({ received: 335, created: 335, rejected: 0 });
  });

  it('never overwrite the file that is imported, by whatever path it is named, nor a file of something else', async () => {
    const file = table('same', 2, 1);
    const text = readFileSync(file, 'utf8');
    symlinkSync(file, desk.path('link.csv'));
    for (const out of [file, desk.path('./x/../same.csv'), desk.path('link.csv')]) {
      const { code, err } = await asOperator(importing(file, '--rejected', out));
      expect([code, err]).toEqual([
        EXIT.usage,
        expect.stringContaining('is being imported: name another file'),
      ]);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    for (const theirs of ['Dear all,\n', '{"session_id": "no"}\n']) {
      const out = desk.write('letter.txt', theirs);
      const { code, err } = await asOperator(importing(file, '--rejected', out));
      expect([code, err]).toEqual([
        EXIT.usage,
        expect.stringContaining('something else than rejected lines'),
      ]);
      expect(readFileSync(out, 'utf8')).toBe(theirs);
    }
  });

  it('that find no room on their disk end the import as a refusal, with what is stored', async () => {
    const { mode } = statSync('/dev/full');
    const lines = desk.write('full.ndjson', '{"session_id": "no"}\n');
    const { code, out, err } = await asOperator(
      `import sessions ${lines} --source app1 --rejected /dev/full`,
    );
    expect([code, out]).toEqual([EXIT.refused, expect.stringMatching(/^rejected +1$/m)]);
    expect(err).toContain(
      'Not all rejected lines are in /dev/full, which cannot be written any more: ENOSPC',
    );
    expect(err).toContain('run the same command again');
    expect(statSync('/dev/full').mode).toBe(mode);
    // With no room for the titles either, nothing is sent.
    const titles = await asOperator(importing(table('full', 2, 2), '--rejected', '/dev/full'));
    expect([titles.code, titles.out, titles.err]).toEqual([1, '', expect.stringContaining('ENOSPC')]);
  });

  it('of a later run take the place of those of an earlier one, for their owner alone', async () => {
    const out = desk.path('again-rejected.csv');
    await asOperator(importing(table('again', 4, 2), '--rejected', out));
    chmodSync(out, 0o644);
    await asOperator(importing(table('next', 1, 1), '--rejected', out));
    expect(readFileSync(out, 'utf8')).toMatch(/^[^\n]*\n2;AREA_NOT_FOUND;[^\n]*next-0;[^\n]*\n$/);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('past the first thousand of a part are counted, and said to be missing', async () => {
    const lines = Array.from({ length: 1_300 }, (_, index) =>
      JSON.stringify({
        ...{ subscription_number: `L-${index}`, approval: 'approved', plates: [], periods: [] },
        ...{ type: 'RES', areas: ['S1', `X${index}`] },
      }),
    );
    const out = desk.path('lost-rejected.ndjson');
    const file = desk.write('lost.ndjson', `${lines.join('\n')}\n`);
    const done = await asOperator(`import subscriptions ${file} --rejected ${out}`);
    expect(done.out).toMatch(/^rejected +1300$/m);
    expect(done.err).toContain(`300 more rejected lines are not in ${out}`);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(1_000);
  });

  it('are on standard error where no file takes them: the first ten, and how many more; in JSON, too', async () => {
    const file = table('few', 30, 2);
    const first = `${file}:2: Zona: NOWHERE – the municipality has no area`;
    const { code, err } = await asOperator(importing(file));
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining(first)]);
    expect(err).toContain('… and 5 more: --rejected FILE writes them.');
    const { exit_code, notes } = JSON.parse((await asOperator(importing(file, '--json'))).err);
    expect([exit_code, notes.length, notes[0]]).toEqual([EXIT.refused, 11, expect.stringContaining(first)]);
  });
});

describe('The file of rejected lines in a spreadsheet', () => {
  const TITLES = 'Codice;Targa;Zona;Inizio;Fine';
  const rest = 'NOWHERE;07/03/2026 10:00;07/03/2026 12:00';

  it('calculates nothing of what was imported, and is imported from it as it was', async () => {
    const file = desk.write('live.csv', `${TITLES}\n=1+1;AB1;${rest}\n`);
    const out = desk.path('live-rejected.csv');
    await asOperator(importing(file, '--rejected', out));
    const whole = readFileSync(out, 'utf8');
    expect(whole).toContain(";'=1+1;AB1;NOWHERE;");
    const corrected = desk.write('live-corrected.csv', whole.replace(';NOWHERE;', ';S1;'));
    expect(sumOf(await asOperator(importing(corrected, '--json')))).toMatchObject({ created: 1 });
    const held = await asAdministrator('plate export AB1 --tenant acme');
    expect(JSON.parse(held.out).sessions).toMatchObject([{ session_id: '=1+1' }]);
  });

  it('has accents, and a mark by which it is read as UTF-8, whatever the encoding of the table', async () => {
    const text = `${TITLES}\nForlì;x;${rest}\n`;
    const out = desk.path('accents-rejected.csv');
    const file = desk.write('accents.csv', Buffer.from(text, 'latin1'));
    await asOperator(importing(file, '--rejected', out));
    const whole = readFileSync(out, 'utf8');
    expect(whole).toMatch(/^\ufeffline;code;message;Codice;.*\n.*;Forlì;x;/);
    const corrected = desk.write('marked.csv', whole.replaceAll('NOWHERE', 'S1'));
    const again = await asOperator(importing(corrected, '--json'));
    expect(sumOf(again)).toMatchObject({ received: 1, rejected: 0 });
  });
});
