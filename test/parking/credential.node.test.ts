import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BadRoad } from './bad-road.ts';
import { administrator, asAdministrator, desk, openOffice, service } from './opened-office.ts';

const ID = /^[0-9a-f]{24}$/;

openOffice();

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
    expect(refused.err).toContain('nothing was done');
    expect(readFileSync(file, 'utf8')).toBe('kept');

    const none = await asAdministrator([...issue, '--source', 'nothing', '--out', desk.path('none.json')]);
    expect(none.code).toBe(1);
    expect(none.err).toContain('source_code');
    expect(existsSync(desk.path('none.json'))).toBe(false);
  });

  it('leaves no file behind where no service is known', async () => {
    const { code, err } = await desk.run([...issue, '--out', desk.path('nowhere.json')]);
    expect(code).toBe(2);
    expect(err).toContain('No service is known');
    expect(existsSync(desk.path('nowhere.json'))).toBe(false);
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
      '--yes',
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

  it.each([
    ['24 hours more where nothing is said', [], 24],
    ['so long as is said', ['--overlap', '2h'], 2],
    ['no longer at all with --now', ['--now'], null],
  ])('keeps its old pair %s, when it is rotated', async (_, options, hours) => {
    const file = desk.path(`kept-${hours}.json`);
    await asAdministrator([...issue, '--out', file]);
    const { credential_id: id }: { credential_id: string } = JSON.parse(readFileSync(file, 'utf8'));
    const before = Date.now();
    const rotate = [
      'credential',
      'rotate',
      id,
      ...options,
      '--out',
      desk.path(`rotated-${hours}.json`),
      '--json',
    ];
    const unasked = await asAdministrator(rotate);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain('Nothing was changed.');
    const { overlap_ends_at: ends } = JSON.parse((await asAdministrator([...rotate, '--yes'])).out);
    const lasts = ends === null ? null : Math.round((Date.parse(ends) - before) / 3_600_000);
    expect(lasts).toBe(hours);
  });

  it('is not rotated at once and later in one', async () => {
    const rotate = ['credential', 'rotate', 'x', '--now', '--overlap', '1d', '--yes'];
    expect((await asAdministrator([...rotate, '--out', desk.path('x.json')])).code).toBe(2);
  });

  it('is bound to areas, bound to others, and freed', async () => {
    const file = desk.path('bound.json');
    const bound = ['credential', 'issue', '--tenant', 'acme', '--name', 'Gate', '--scope', 'plate_check'];
    await asAdministrator([...bound, '-m', 'H501', '--area', 'P1', '--out', file]);
    const { credential_id: id, areas }: { credential_id: string; areas: unknown } = JSON.parse(
      readFileSync(file, 'utf8'),
    );
    expect(areas).toEqual(['P1']);
    expect((await asAdministrator(['credential', 'show', id])).out).toMatch(/areas +P1/);
    const change = async (...options: string[]) =>
      JSON.parse((await asAdministrator(['credential', 'change', id, ...options, '--json'])).out).areas;
    expect(await change('--area', 'P1,S1')).toEqual(['P1', 'S1']);
    expect(await change('--all-areas')).toBeNull();
    expect((await asAdministrator(['credential', 'show', id])).out).toMatch(/areas +–/);
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
      ['credential', 'rotate', id, '--yes', '--out', desk.path('lost.json')],
      { environment: { PARKING_URL: url } },
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
      ['credential', 'rotate', id, '--yes', '--out', desk.path('third.json'), '--json'],
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

  it('is written again to the database, as all are, or some', async () => {
    const all = JSON.parse((await asAdministrator(['credential', 'list', '--json'])).out);
    const refresh = async (...ids: string[]) => {
      const { code, out } = await asAdministrator(['credential', 'refresh', ...ids, '--json']);
      return [code, JSON.parse(out)];
    };
    expect(await refresh()).toEqual([0, { written: all.length }]);
    expect(await refresh(all[0].credential_id)).toEqual([0, { written: 1 }]);
  });
});
