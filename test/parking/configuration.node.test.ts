import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { asAdministrator, desk, openOffice } from './opened-office.ts';

openOffice();

describe('The configuration', () => {
  it('is printed as YAML, ready to be put again, and as JSON', async () => {
    const yaml = await asAdministrator('config get H501');
    expect(yaml).toMatchObject({ code: 0, err: '' });
    expect(yaml.out).toContain('      - code: P1\n        name: Centro\n');
    const { code, out } = await asAdministrator('config get H501 --json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { municipalities: [{ code: 'H501' }] }]);
    const same = await asAdministrator(`config diff ${desk.write('same.yaml', yaml.out)}`);
    expect(same).toMatchObject({ code: 0, out: '0 created, 0 updated, 7 unchanged\n' });
  });

  it('is put only when somebody says yes, after what it changes was shown', async () => {
    const file = desk.write(
      'more.yaml',
      'municipalities: [{ code: H501, areas: [{ code: S1, capacity: 45 }] }]\n',
    );
    const unasked = await asAdministrator(`config put ${file}`);
    expect([unasked.code, unasked.err]).toEqual([EXIT.usage, expect.stringContaining('pass --yes')]);
    expect(unasked.err).toMatch(/ capacity +40 +45$/m);
    expect((await asAdministrator(`config diff ${file}`)).out).toMatch(/ capacity +40 +45$/m);
  });

  it('that has changed since it was printed is not put: the other change would be undone', async () => {
    const printed = (await asAdministrator('config get H501')).out;
    const [one, another] = ['one', 'another'].map((name) =>
      desk.write(`${name}.yaml`, printed.replace('name: Centro', `name: ${name}`)),
    );
    expect((await asAdministrator(`config put ${one} --yes`)).code).toBe(0);
    for (const words of [`config put ${another} --yes`, `config diff ${another}`]) {
      const { code, err } = await asAdministrator(words);
      expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('(CONFIGURATION_CONFLICT)')]);
    }
    expect((await asAdministrator('config get H501')).out).toContain('name: one');
    const unversioned = desk.write('another.yaml', printed.replace(/^# version.*$/m, ''));
    expect((await asAdministrator(`config put ${unversioned} --yes`)).code).toBe(0);
  });

  it('that is wrong is reported issue by issue, each at its line', async () => {
    const file = desk.write(
      'wrong.yaml',
      'municipalities:\n  - code: H501\n    timezone: Rome\n    areas:\n      - code: S1\n        capacity: many\n',
    );
    const { code, out, err } = await asAdministrator(`config put --yes ${file}`);
    expect({ code, out }).toEqual({ code: EXIT.refused, out: '' });
    expect(err).toContain(`${file}:3:15: municipalities.0.timezone: must be the IANA name`);
    expect(err).toContain(`${file}:6:19: municipalities.0.areas.0.capacity: must be a number`);
    expect(err).toContain('request_id ');
  });

  it('that is no YAML, or not there, is reported before anything is sent', async () => {
    const file = desk.write('torn.yaml', 'municipalities: [\n');
    const torn = await desk.run(['config', 'put', file]);
    expect([torn.code, torn.err]).toEqual([EXIT.usage, expect.stringMatching(/torn\.yaml:2:1: /)]);
    expect((await desk.run(['config', 'diff', desk.path('none.yaml')])).code).toBe(EXIT.usage);
  });
});
