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

  it('is compared with its object, as all are, and the rows that are corrected are counted', async () => {
    const all = JSON.parse((await asAdministrator(['credential', 'list', '--json'])).out);
    const { code, out } = await asAdministrator(['credential', 'reconcile', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { checked: all.length, mended: 0 }]);
  });
});
