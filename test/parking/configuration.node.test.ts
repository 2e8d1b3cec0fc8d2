import { describe, expect, it } from 'vitest';
import { asAdministrator, desk, openOffice, service } from './opened-office.ts';

openOffice();

describe('The configuration', () => {
  it('is printed as YAML, ready to be put again, and as JSON', async () => {
    const yaml = await asAdministrator(['config', 'get', 'H501']);
    expect(yaml).toMatchObject({ code: 0, err: '' });
    expect(yaml.out).toContain('      - code: P1\n        name: Centro\n');

    const { code, out } = await asAdministrator(['config', 'get', 'H501', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ municipalities: [{ code: 'H501', timezone: 'Europe/Rome' }] });

    const same = await asAdministrator(['config', 'diff', desk.write('same.yaml', yaml.out)]);
    expect(same).toMatchObject({ code: 0, out: '0 created, 0 updated, 7 unchanged\n' });
  });

  it('is compared before it is put, and put only when somebody says yes', async () => {
    const file = desk.write(
      'more.yaml',
      'municipalities:\n  - code: H501\n    areas:\n      - { code: S1, capacity: 45 }\n',
    );
    const diff = await asAdministrator(['config', 'diff', file]);
    expect(diff.out).toBe('~ H501 area S1\n    capacity: 40 → 45\n0 created, 1 updated, 1 unchanged\n');

    const unasked = await asAdministrator(['config', 'put', file]);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain('pass --yes');
    expect((await asAdministrator(['config', 'diff', file])).out).toBe(diff.out);

    const put = await asAdministrator(['config', 'put', file, '--yes']);
    expect(put).toMatchObject({ code: 0, out: 'Done: 0 created, 1 updated, 1 unchanged.\n' });
    expect(put.err).toContain('capacity: 40 → 45');
  });

  it('is compared with the rights of an office where its token is used, as the service would judge it', async () => {
    const issued = await service.administrate('POST', 'credentials', {
      ...{ tenant: 'acme', name: 'Clerk', scopes: ['office'], municipalities: ['H501'] },
    });
    const PARKING_TOKEN = String(issued.access_token);
    const file = desk.write('off.yaml', 'municipalities:\n  - code: H501\n    active: false\n');
    for (const args of [
      ['diff', file],
      ['put', file, '--yes'],
    ]) {
      const { code, err } = await asAdministrator(['config', ...args], { environment: { PARKING_TOKEN } });
      expect(code).toBe(1);
      expect(err).toContain('municipalities.0.active: only the administrator may change this');
    }
    expect((await asAdministrator(['config', 'diff', file])).code).toBe(0);
  });

  it('of a great city is summed up before it is put, item by item where somebody asks for it', async () => {
    const areas = Array.from(
      { length: 70 },
      (_, index) => `{ code: N${index}, name: Nova ${index}, area_type: street }`,
    );
    const file = desk.write('great.yaml', `municipalities: [{ code: H501, areas: [${areas.join(', ')}] }]\n`);
    const summed = await asAdministrator(['config', 'put', file]);
    expect(summed.err).toContain(
      '+ H501 area: 70\n70 created, 0 updated, 1 unchanged\nEvery item: --full, or parking config diff.\n',
    );
    const full = await asAdministrator(['config', 'put', file, '--full']);
    expect(full.err.match(/^\+ H501 area N\d+/gm)).toHaveLength(70);
  });

  it('that is wrong is reported issue by issue, each at its line, and nothing is put', async () => {
    const file = desk.write(
      'wrong.yaml',
      'municipalities:\n  - code: H501\n    timezone: Rome\n    areas:\n      - code: S1\n        capacity: many\n',
    );
    const { code, out, err } = await asAdministrator(['config', 'put', file, '--yes']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${file}:3:5: municipalities.0.timezone: must be the IANA name`);
    expect(err).toContain(`${file}:6:9: municipalities.0.areas.0.capacity: must be a number`);
  });

  it('that only the service can judge is reported at its line too', async () => {
    const file = desk.write(
      'tenant.yaml',
      'municipalities:\n  - code: F205\n    name: Milano\n    timezone: Europe/Rome\n    tenant: nobody\n',
    );
    const { code, err } = await asAdministrator(['config', 'put', file, '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(`${file}:5:5: municipalities.0.tenant: there is no tenant with this code`);
    expect(err).toContain('request_id ');
  });

  it('is in Italian where the environment speaks it, messages of the service too', async () => {
    const file = desk.write(
      'ente.yaml',
      'municipalities:\n  - code: F205\n    name: Milano\n    timezone: Europe/Rome\n    tenant: nobody\n',
    );
    const { err } = await asAdministrator(['config', 'put', file, '--yes'], {
      environment: { LANG: 'it_IT.UTF-8' },
    });
    expect(err).toContain('municipalities.0.tenant: non c’è un ente con questo codice');
    expect(err).toContain('Nulla è stato cambiato.');
  });
});
