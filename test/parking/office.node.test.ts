import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { ADMIN_TOKEN } from './office.ts';
import { asAdministrator, by, desk, openOffice, service, tokenWith } from './opened-office.ts';

openOffice();

let [office, reader] = ['', ''];
beforeAll(async () => {
  [office, reader] = [await tokenWith('office'), await tokenWith('office_read')];
});

describe('An office’s token', () => {
  it('works for the administration of its tenant, and not for what stays the administrator’s', async () => {
    const file = desk.path('gate.json');
    const issued = await by(office, `credential issue --name Gate --scope plate_check -m H501 --out ${file}`);
    expect(issued).toMatchObject({ code: 0 });
    expect((await by(office, 'plate erase NEVERSEEN --yes')).code).toBe(0);
    expect((await by(office, 'config get L219')).code).toBe(EXIT.refused);
    const { code, err } = await by(office, 'status');
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('parking login')]);
  });

  it('only reads where it is a reader’s', async () => {
    expect((await by(reader, 'credential list')).code).toBe(0);
    expect((await by(reader, 'plate erase NEVERSEEN --yes')).err).toContain('SCOPE_NOT_ALLOWED');
  });
});

it('A login says which rights the token has: an office’s, a reader’s, the administrator’s', async () => {
  const login = async (input: string) =>
    (await asAdministrator(`login --url ${service.address} --stdin`, { input })).out;
  expect(await login(office)).toMatch(/^rights\.scopes +office$/m);
  expect(await login(reader)).toMatch(/^rights\.scopes +office_read$/m);
  expect(await login(ADMIN_TOKEN)).toMatch(/^rights +the administrator’s/m);
});
