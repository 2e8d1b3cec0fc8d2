import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { asAdministrator, desk, importSession, openOffice } from './opened-office.ts';

openOffice();

describe('Everything that is held on a plate', () => {
  it('is exported into a file, erased, and then no longer there', async () => {
    await importSession({ session_id: 'X-1', plate: 'XX111XX' });
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
    const held = JSON.parse(readFileSync(file, 'utf8'));
    expect(held).toMatchObject({ sessions: [{ session_id: 'X-1' }], history: [{}] });

    const erase = 'plate erase XX111XX --tenant acme';
    expect((await asAdministrator(erase)).code).toBe(EXIT.usage);
    const erased = await asAdministrator(`${erase} --yes --json`);
    expect(JSON.parse(erased.out)).toMatchObject({ erased: { sessions: 1, subscriptions: 0, payments: 0 } });
    const again = await asAdministrator('plate export XX111XX --tenant acme');
    expect(JSON.parse(again.out)).toMatchObject({ sessions: [], history: [] });
  });

  it('of an unknown tenant is refused, and leaves no file', async () => {
    const file = desk.path('nobody.json');
    const { code, err } = await asAdministrator(`plate export A1 --tenant nobody --out ${file}`);
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('tenant')]);
    expect(existsSync(file)).toBe(false);
  });
});
