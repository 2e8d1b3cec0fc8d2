import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { asAdministrator, by, desk, openOffice, tokenWith } from './opened-office.ts';

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

  it('is compared before it is put, and put only when somebody says yes', async () => {
    const file = desk.write(
      'more.yaml',
      'municipalities:\n  - code: H501\n    areas:\n      - { code: S1, capacity: 45 }\n      - { code: S2, name: Via Po, area_type: street }\n',
    );
    const diff = await asAdministrator(`config diff ${file}`);
    expect(diff.out).toMatch(/^municipalities\.0\.areas\.0 +capacity +40 +45$/m);
    expect(diff.out).toMatch(/^municipalities\.0\.areas\.1 +new +– +Via Po \(S2\)$/m);
    expect(diff.out).toMatch(/^1 created, 1 updated, 1 unchanged$/m);

    const unasked = await asAdministrator(`config put ${file}`);
    expect([unasked.code, unasked.err]).toEqual([EXIT.usage, expect.stringContaining('pass --yes')]);
    expect((await asAdministrator(`config diff ${file}`)).out).toBe(diff.out);

    const put = await asAdministrator(`config put ${file} --yes`);
    expect(put).toMatchObject({ code: 0, out: 'Done: 1 created, 1 updated, 1 unchanged.\n' });
    expect(put.err).toMatch(/ capacity +40 +45$/m);
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

  it('is judged with the rights of an office where its token is used', async () => {
    const office = await tokenWith('office');
    const file = desk.write('off.yaml', 'municipalities:\n  - code: H501\n    active: false\n');
    for (const words of [`config diff ${file}`, `config put ${file} --yes`]) {
      const { code, err } = await by(office, words);
      expect(code).toBe(EXIT.refused);
      expect(err).toContain('municipalities.0.active: only the administrator may change this');
    }
    expect((await asAdministrator(`config diff ${file}`)).code).toBe(0);
  });

  it.each(['diff', 'put --yes'])(
    'that is wrong is reported by %s issue by issue, each at its line',
    async (name) => {
      const file = desk.write(
        'wrong.yaml',
        'municipalities:\n  - code: H501\n    timezone: Rome\n    areas:\n      - code: S1\n        capacity: many\n',
      );
      const { code, out, err } = await asAdministrator(`config ${name} ${file}`);
      expect({ code, out }).toEqual({ code: EXIT.refused, out: '' });
      expect(err).toContain(`${file}:3:15: municipalities.0.timezone: must be the IANA name`);
      expect(err).toContain(`${file}:6:19: municipalities.0.areas.0.capacity: must be a number`);
      expect(err).toContain('request_id ');
    },
  );

  it('that is no YAML, or not there, is reported before anything is sent', async () => {
    const file = desk.write('torn.yaml', 'municipalities: [\n');
    const torn = await desk.run(['config', 'put', file]);
    expect([torn.code, torn.err]).toEqual([EXIT.usage, expect.stringMatching(/torn\.yaml:2:1: /)]);
    expect((await desk.run(['config', 'diff', desk.path('none.yaml')])).code).toBe(EXIT.usage);
  });
});
