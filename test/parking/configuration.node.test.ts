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
      'municipalities:\n  - code: H501\n    areas:\n      - { code: S1, capacity: 45 }\n      - { code: S2, name: Via Po, area_type: street }\n',
    );
    const diff = await asAdministrator(['config', 'diff', file]);
    expect(diff.out).toMatch(/^municipalities\.0\.areas\.0 +capacity +40 +45$/m);
    expect(diff.out).toMatch(/^municipalities\.0\.areas\.1 +new +– +Via Po \(S2\)$/m);
    expect(diff.out).toMatch(/^1 created, 1 updated, 1 unchanged$/m);

    const unasked = await asAdministrator(['config', 'put', file]);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('pass --yes')]);
    expect((await asAdministrator(['config', 'diff', file])).out).toBe(diff.out);

    const put = await asAdministrator(['config', 'put', file, '--yes']);
    expect(put).toMatchObject({ code: 0, out: 'Done: 1 created, 1 updated, 1 unchanged.\n' });
    expect(put.err).toMatch(/ capacity +40 +45$/m);
  });

  it('is judged with the rights of an office where its token is used', async () => {
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

  it.each([
    ['diff', []],
    ['put', ['--yes']],
  ])('that is wrong is reported by %s issue by issue, each at its line', async (name, options) => {
    const file = desk.write(
      'wrong.yaml',
      'municipalities:\n  - code: H501\n    timezone: Rome\n    areas:\n      - code: S1\n        capacity: many\n',
    );
    const { code, out, err } = await asAdministrator(['config', name, file, ...options]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${file}:3:15: municipalities.0.timezone: must be the IANA name`);
    expect(err).toContain(`${file}:6:19: municipalities.0.areas.0.capacity: must be a number`);
    expect(err).toContain('request_id ');
  });

  it('that is no YAML, or not there, is reported before anything is sent', async () => {
    const file = desk.write('torn.yaml', 'municipalities: [\n');
    const torn = await desk.run(['config', 'put', file]);
    expect([torn.code, torn.err]).toEqual([2, expect.stringMatching(/torn\.yaml:2:1: /)]);
    expect((await desk.run(['config', 'diff', desk.path('none.yaml')])).code).toBe(2);
  });
});
