import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type Done } from './office.ts';
import { asAdministrator, desk, openOffice, service } from './opened-office.ts';

openOffice();

let office: string;
let reader: string;

beforeAll(async () => {
  office = await tokenWith('office');
  reader = await tokenWith('office_read');
});

async function tokenWith(scope: string): Promise<string> {
  const file = desk.path(`${scope}.json`);
  await asAdministrator([
    ...['credential', 'issue', '--tenant', 'acme', '--name', `A clerk’s ${scope}`, '--scope', scope],
    ...['-m', 'H501', '--out', file],
  ]);
  const { access_token }: { access_token: string } = JSON.parse(readFileSync(file, 'utf8'));
  return access_token;
}

const by = (token: string, ...args: string[]): Promise<Done> =>
  desk.run(args, { environment: { PARKING_URL: service.address, PARKING_TOKEN: token } });

describe('An office’s token', () => {
  it('does with the command what the administrator’s does for its tenant', async () => {
    const configuration = desk.write('roma.yaml', (await by(office, 'config', 'get', 'H501')).out);
    const file = desk.path('gate.json');
    const issue = ['credential', 'issue', '--name', 'Gate', '--scope', 'plate_check', '-m', 'H501'];
    for (const args of [
      ['config', 'diff', configuration],
      ['config', 'put', configuration, '--yes'],
      [...issue, '--area', 'P1', '--out', file],
      ['credential', 'list'],
      ['plate', 'export', 'AB123CD'],
      ['plate', 'erase', 'NEVERSEEN', '--yes'],
    ]) {
      const { code, err } = await by(office, ...args);
      expect({ args, code, err }).toMatchObject({ args, code: 0 });
    }
    const { credential_id: id }: { credential_id: string } = JSON.parse(readFileSync(file, 'utf8'));
    for (const args of [
      ['credential', 'show', id],
      ['credential', 'change', id, '--name', 'Barrier'],
      ['credential', 'rotate', id, '--yes', '--out', desk.path('gate-2.json')],
      ['credential', 'revoke', id, '--yes'],
    ]) {
      expect({ args, code: (await by(office, ...args)).code }).toEqual({ args, code: 0 });
    }
  });

  it('does not do what stays the administrator’s', async () => {
    for (const args of [
      ['credential', 'issue', '--name', 'X', '--scope', 'office', '-m', 'H501', '--out', desk.path('x.json')],
      ['plate', 'export', 'AB123CD', '--tenant', 'other'],
      ['config', 'get', 'L219'],
    ]) {
      expect({ args, code: (await by(office, ...args)).code }).toEqual({ args, code: 1 });
    }
    const { code, err } = await by(office, 'status');
    expect(code).toBe(2);
    expect(err).toContain('parking login');
  });

  it('only reads where it is a reader’s', async () => {
    expect((await by(reader, 'credential', 'list')).code).toBe(0);
    const refused = await by(reader, 'plate', 'erase', 'NEVERSEEN', '--yes');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('SCOPE_NOT_ALLOWED')]);
  });
});

describe('A login says which rights the token has', () => {
  const login = async (token: string, ...options: string[]) =>
    desk.run(['login', '--url', service.address, '--stdin', ...options], { input: token });

  it('of an office, a reader and the administrator', async () => {
    expect((await login(office)).out).toMatch(/^rights\.scopes +office$/m);
    expect((await login(reader)).out).toMatch(/^rights\.scopes +office_read$/m);
    expect((await login(ADMIN_TOKEN)).out).toMatch(/^rights +the administrator’s/m);
  });

  it('as JSON too', async () => {
    const { out } = await login(office, '--json');
    expect(JSON.parse(out).rights).toMatchObject({
      ...{ tenant: 'acme', scopes: ['office'], municipalities: ['H501'], areas: null },
    });
  });
});
