import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadRoad } from './bad-road.ts';
import { ADMIN_TOKEN, Desk, openCity, type RunningService, startService } from './office.ts';

const START_MS = 60_000;
const ID = /^[0-9a-f]{24}$/;

let service: RunningService;
let desk: Desk;
let token: string;

beforeAll(async () => {
  service = await startService();
  token = await openCity(service);
  desk = new Desk();
}, START_MS);
afterAll(async () => {
  desk.leave();
  await service.stop();
});

const administrator = (): Record<string, string> => ({
  PARKING_URL: service.address,
  PARKING_TOKEN: ADMIN_TOKEN,
});
const asAdministrator = (args: readonly string[], more: Record<string, string> = {}) =>
  desk.run(args, { environment: { ...administrator(), ...more } });

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
    expect(unasked.err).toContain('say --yes');
    expect((await asAdministrator(['config', 'diff', file])).out).toBe(diff.out);

    const put = await asAdministrator(['config', 'put', file, '--yes']);
    expect(put).toMatchObject({ code: 0, out: 'Done: 0 created, 1 updated, 1 unchanged.\n' });
    expect(put.err).toContain('capacity: 40 → 45');
  });

  it('that is wrong is told issue by issue, each at its line, and nothing is put', async () => {
    const file = desk.write(
      'wrong.yaml',
      'municipalities:\n  - code: H501\n    timezone: Rome\n    areas:\n      - code: S1\n        capacity: many\n',
    );
    const { code, out, err } = await asAdministrator(['config', 'put', file, '--yes']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${file}:3:5: municipalities.0.timezone: must be the IANA name`);
    expect(err).toContain(`${file}:6:9: municipalities.0.areas.0.capacity: must be a number`);
  });

  it('that only the service can judge is told at its line too', async () => {
    const file = desk.write(
      'tenant.yaml',
      'municipalities:\n  - code: F205\n    name: Milano\n    timezone: Europe/Rome\n    tenant: nobody\n',
    );
    const { code, err } = await asAdministrator(['config', 'put', file, '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(`${file}:5:5: municipalities.0.tenant: there is no tenant of this code`);
    expect(err).toContain('request_id ');
  });

  it('is told in Italian where the environment speaks it, messages of the service too', async () => {
    const file = desk.write(
      'ente.yaml',
      'municipalities:\n  - code: F205\n    name: Milano\n    timezone: Europe/Rome\n    tenant: nobody\n',
    );
    const { err } = await asAdministrator(['config', 'put', file, '--yes'], { LANG: 'it_IT.UTF-8' });
    expect(err).toContain('municipalities.0.tenant: non c’è un ente con questo codice');
    expect(err).toContain('Nulla è stato cambiato.');
  });
});

describe('A credential', () => {
  const issue = [
    'credential',
    'issue',
    '--tenant',
    'acme',
    '--name',
    'Barrier',
    '--scope',
    'plate_check,report',
    '-m',
    'H501',
  ];

  it('is not issued where nobody would see its secrets', async () => {
    const before = await asAdministrator(['credential', 'list', '--json']);
    const { code, out, err } = await asAdministrator(issue);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('nothing was issued');
    expect((await asAdministrator(['credential', 'list', '--json'])).out).toBe(before.out);
  });

  it('is issued into a file for its owner alone, and shown without its secrets ever after', async () => {
    const file = desk.path('barrier.json');
    const issued = await asAdministrator([...issue, '--out', file, '--json']);
    expect(issued.code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secrets: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
    expect(secrets.access_token).toMatch(/^pev_at_/);
    const id = secrets.credential_id ?? '';
    expect(id).toMatch(ID);

    const shown = await asAdministrator(['credential', 'show', id]);
    const list = await asAdministrator(['credential', 'list', '--tenant', 'acme']);
    expect(shown.out).toContain('Barrier');
    expect(list.out).toContain(id);
    for (const { out, err } of [issued, shown, list]) expect(out + err).not.toMatch(/pev_a[tk]_/);

    const checked = await desk.run(['check', 'AB123CD', '--json'], {
      environment: { PARKING_URL: service.address, PARKING_TOKEN: secrets.access_token ?? '' },
    });
    expect(checked.code).toBe(0);
  });

  it('leaves a file that is there alone, and no file behind when it is refused', async () => {
    const file = desk.write('kept.json', 'kept');
    const refused = await asAdministrator([...issue, '--out', file]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('nothing was issued');
    expect(readFileSync(file, 'utf8')).toBe('kept');

    const none = await asAdministrator([...issue, '--source', 'nothing', '--out', desk.path('none.json')]);
    expect(none.code).toBe(1);
    expect(none.err).toContain('source_code');
    expect(existsSync(desk.path('none.json'))).toBe(false);
  });

  it('is changed, rotated with an overlap, and revoked', async () => {
    await asAdministrator([...issue, '--out', desk.path('old.json')]);
    const old: Record<string, string> = JSON.parse(readFileSync(desk.path('old.json'), 'utf8'));
    const id = old.credential_id ?? '';

    const changed = await asAdministrator([
      'credential',
      'change',
      id,
      '--rate-limit',
      '600/60s',
      '--historical-days',
      'unlimited',
      '--json',
    ]);
    expect(JSON.parse(changed.out)).toMatchObject({
      rate_limit: { limit: 600, window_seconds: 60 },
      historical_days_allowed: null,
    });

    const rotated = await asAdministrator([
      'credential',
      'rotate',
      id,
      '--overlap',
      '7d',
      '--out',
      desk.path('new.json'),
      '--json',
    ]);
    expect(JSON.parse(rotated.out).overlap_ends_at).not.toBeNull();
    const check = (secret: string | undefined) =>
      desk.run(['check', 'A1'], {
        environment: { PARKING_URL: service.address, PARKING_TOKEN: secret ?? '' },
      });
    const fresh: Record<string, string> = JSON.parse(readFileSync(desk.path('new.json'), 'utf8'));
    expect([(await check(old.access_token)).code, (await check(fresh.access_token)).code]).toEqual([0, 0]);

    expect((await asAdministrator(['credential', 'revoke', id])).code).toBe(2);
    expect((await asAdministrator(['credential', 'revoke', id, '--yes'])).out).toContain('revoked');
    const after = await check(fresh.access_token);
    expect(after.code).toBe(1);
    expect(after.err).toContain('TOKEN_REVOKED');
  });

  it('whose new secrets were lost on the way leaves no file, and a word on what to do', async () => {
    await asAdministrator([...issue, '--out', desk.path('first.json')]);
    const { credential_id: id }: { credential_id: string } = JSON.parse(
      readFileSync(desk.path('first.json'), 'utf8'),
    );
    const road = new BadRoad(() => service.address);
    const url = await road.open();
    road.failing(() => true);
    const { code, err } = await asAdministrator(
      ['credential', 'rotate', id, '--out', desk.path('lost.json')],
      {
        PARKING_URL: url,
      },
    );
    road.close();
    expect(code).toBe(3);
    expect(err).toContain('Whether it was done is not known.');
    expect(road.calls).toBe(1);
    expect(existsSync(desk.path('lost.json'))).toBe(false);
  });

  it('is rotated to its end when somebody presses Ctrl-C meanwhile', async () => {
    await asAdministrator([...issue, '--out', desk.path('second.json')]);
    const { credential_id: id }: { credential_id: string } = JSON.parse(
      readFileSync(desk.path('second.json'), 'utf8'),
    );
    const road = new BadRoad(() => service.address);
    const url = await road.open();
    const asked = road.slow(1_000);
    const { code, out } = await desk.run(
      ['credential', 'rotate', id, '--out', desk.path('third.json'), '--json'],
      {
        environment: { ...administrator(), PARKING_URL: url },
        started: (keys) => void asked.then(() => keys.signal('SIGINT')),
      },
    );
    road.close();
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ credential_id: id });
    expect(readFileSync(desk.path('third.json'), 'utf8')).toContain('pev_at_');
  });

  it('is refused for wrong usage before anything is sent', async () => {
    for (const args of [
      ['credential', 'rotate', 'x', '--overlap', 'soon', '--out', desk.path('x.json')],
      ['credential', 'issue', '--name', 'x'],
      ['credential', 'change', 'x'],
      ['credential', 'lst'],
    ]) {
      expect({ args, code: (await asAdministrator(args)).code }).toEqual({ args, code: 2 });
    }
  });
});

describe('Everything that is held on a plate', () => {
  it('is exported into a file, erased, and then no longer there', async () => {
    const line = {
      session_id: 'X-1',
      plate: 'XX111XX',
      area_code: 'S1',
      starts_at: new Date().toISOString(),
    };
    const imported = await desk.run(['import', 'sessions', '-', '--source', 'app1'], {
      input: JSON.stringify(line),
      environment: { PARKING_URL: service.address, PARKING_TOKEN: token },
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
});
