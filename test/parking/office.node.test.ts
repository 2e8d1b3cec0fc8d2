import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { ADMIN_TOKEN } from './office.ts';
import { asAdministrator, by, desk, openOffice, service, tokenWith, type Words } from './opened-office.ts';

openOffice();

let [office, reader] = ['', ''];
beforeAll(async () => {
  [office, reader] = [await tokenWith('office'), await tokenWith('office_read')];
});

describe('An office’s token', () => {
  const works = async (words: Words) => {
    const { code, err } = await by(office, words);
    expect({ words, code, err }).toMatchObject({ words, code: 0 });
  };

  it('does with the command what the administrator’s does for its tenant', async () => {
    const configuration = desk.write('roma.yaml', (await by(office, 'config get H501')).out);
    const file = desk.path('gate.json');
    await works(`config put ${configuration} --yes`);
    await works(`credential issue --name Gate --scope plate_check -m H501 --area P1 --out ${file}`);
    const { credential_id: id }: { credential_id: string } = JSON.parse(readFileSync(file, 'utf8'));
    await works(`credential show ${id}`);
    await works(`credential change ${id} --name Barrier`);
    await works(`credential rotate ${id} --yes --out ${desk.path('gate-2.json')}`);
    await works(`credential revoke ${id} --yes`);
    await works('plate export AB123CD');
    await works('plate erase NEVERSEEN --yes');
  });

  it('does not do what stays the administrator’s', async () => {
    for (const words of [
      `credential issue --name X --scope office -m H501 --out ${desk.path('x.json')}`,
      'plate export AB123CD --tenant other',
      'config get L219',
    ]) {
      expect({ words, code: (await by(office, words)).code }).toEqual({ words, code: EXIT.refused });
    }
    const { code, err } = await by(office, 'status');
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('parking login')]);
  });

  it('only reads where it is a reader’s', async () => {
    expect((await by(reader, 'credential list')).code).toBe(0);
    const refused = await by(reader, 'plate erase NEVERSEEN --yes');
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('SCOPE_NOT_ALLOWED')]);
  });
});

it('A login says which rights the token has: an office’s, a reader’s, the administrator’s', async () => {
  const login = async (input: string) =>
    (await asAdministrator(`login --url ${service.address} --stdin`, { input })).out;
  expect(await login(office)).toMatch(/^rights\.scopes +office$/m);
  expect(await login(reader)).toMatch(/^rights\.scopes +office_read$/m);
  expect(await login(ADMIN_TOKEN)).toMatch(/^rights +the administrator’s/m);
});
