import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/exit-codes.ts';
import { asAdministrator, asOperator, desk, openOffice } from './opened-office.ts';

openOffice();

describe('Everything that is held on a plate', () => {
  it('is exported into a file, erased, and then no longer there', async () => {
    const line = {
      session_id: 'X-1',
      plate: 'XX111XX',
      area_code: 'S1',
      starts_at: new Date().toISOString(),
    };
    const imported = await asOperator(['import', 'sessions', '-', '--source', 'app1'], {
      input: JSON.stringify(line),
    });
    expect(imported.code).toBe(0);

    const file = desk.path('export.json');
    const exported = await asAdministrator([
      'plate',
      'export',
      'xx 111 xx',
      '--tenant',
      'acme',
      '--out',
      file,
    ]);
    expect(exported).toMatchObject({ code: 0, out: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      sessions: [{ session_id: 'X-1' }],
      history: [{}],
    });

    expect((await asAdministrator(['plate', 'erase', 'XX111XX', '--tenant', 'acme'])).code).toBe(2);
    const erased = await asAdministrator([
      'plate',
      'erase',
      'XX111XX',
      '--tenant',
      'acme',
      '--yes',
      '--json',
    ]);
    expect(JSON.parse(erased.out)).toMatchObject({ erased: { sessions: 1, subscriptions: 0 } });
    const again = await asAdministrator(['plate', 'export', 'XX111XX', '--tenant', 'acme']);
    expect(JSON.parse(again.out)).toMatchObject({ sessions: [], history: [] });
  });

  it('of an unknown tenant is refused, and leaves no file', async () => {
    const file = desk.path('nobody.json');
    const { code, err } = await asAdministrator([
      'plate',
      'export',
      'A1',
      '--tenant',
      'nobody',
      '--out',
      file,
    ]);
    expect(code).toBe(1);
    expect(err).toContain('tenant');
    expect(existsSync(file)).toBe(false);
  });
});

describe('Databases', () => {
  it('are listed with what is in them', async () => {
    const { code, out } = await asAdministrator(['database', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^database +size +municipalities\nDB +[\d.]+ MiB +\w{4}/);
  });

  it('that are not there take no municipality: those that are there are named', async () => {
    const { code, err } = await asAdministrator(['database', 'move', 'H501', '--to', 'DB_9']);
    expect(code).toBe(1);
    expect(err).toMatch(/to: .*\bDB\b/);
  });

  it('of which none is being moved to have no move to call off', async () => {
    const { code, err } = await asAdministrator(['database', 'move', 'H501', '--call-off']);
    expect(code).toBe(1);
    expect(err).toContain('No move of this municipality is under way.');
  });

  it.each([[[]], [['--to', 'DB', '--call-off']]])(
    'are not asked where %j says neither or both',
    async (options) => {
      const { code, err } = await asAdministrator(['database', 'move', 'H501', ...options]);
      expect([code, err]).toEqual([EXIT.usage, expect.stringMatching(/--to .*--call-off/)]);
    },
  );
});
