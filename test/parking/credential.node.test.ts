import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { BadRoad } from './bad-road.ts';
import { administrator, asAdministrator, by, desk, openOffice, service, tokenWith } from './opened-office.ts';

openOffice();

const issueTo = (file: string) =>
  `credential issue --tenant acme --name Barrier --scope plate_check,report -m H501 --out ${desk.path(file)}`;
const secretsIn = (file: string): Record<string, string> => JSON.parse(readFileSync(desk.path(file), 'utf8'));
/** Issues a credential into a file, and returns its id. */
async function issued(file: string): Promise<string> {
  expect(await asAdministrator(issueTo(file))).toMatchObject({ code: 0 });
  return secretsIn(file).credential_id ?? '';
}
const answerTo = async (words: string) => JSON.parse((await asAdministrator(`${words} --json`)).out);

describe('A credential', () => {
  it('is not issued where nobody would see its secrets', async () => {
    const before = await answerTo('credential list');
    const { code, out, err } = await asAdministrator(issueTo('x').replace(/ --out .*/, ''));
    expect([code, out, err]).toEqual([EXIT.usage, '', expect.stringContaining('nothing was issued')]);
    expect(await answerTo('credential list')).toEqual(before);
  });

  it('is issued into a file for its owner alone, and shown without its secrets ever after', async () => {
    const done = await asAdministrator(`${issueTo('barrier.json')} --json`);
    expect([done.code, statSync(desk.path('barrier.json')).mode & 0o777]).toEqual([0, 0o600]);
    const { access_token = '', credential_id: id = '' } = secretsIn('barrier.json');
    expect([access_token, id]).toEqual([
      expect.stringMatching(/^pev_at_/),
      expect.stringMatching(/^[0-9a-f]{24}$/),
    ]);
    const shown = await asAdministrator(`credential show ${id}`);
    const list = await asAdministrator('credential list --tenant acme');
    expect([shown.out, list.out]).toEqual([expect.stringContaining('Barrier'), expect.stringContaining(id)]);
    for (const { out, err } of [done, shown, list]) expect(out + err).not.toMatch(/pev_a[tk]_/);
    expect((await by(access_token, 'check AB123CD')).code).toBe(0);
  });

  it('leaves a file that is there alone, and no file behind when it is refused, or no service is known', async () => {
    desk.write('kept.json', 'kept');
    const kept = await asAdministrator(issueTo('kept.json'));
    expect([kept.code, kept.err]).toEqual([EXIT.usage, expect.stringContaining('nothing was done')]);
    expect(readFileSync(desk.path('kept.json'), 'utf8')).toBe('kept');
    const refused = await asAdministrator(`${issueTo('none.json')} --source nothing`);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('source_code')]);
    const nowhere = await desk.run(issueTo('none.json').split(' '));
    expect([nowhere.code, nowhere.err]).toEqual([EXIT.usage, expect.stringContaining('No service is known')]);
    expect(existsSync(desk.path('none.json'))).toBe(false);
  });

  it('is changed, property by property, bound to areas and freed, and revoked', async () => {
    const id = await issued('old.json');
    const change = (words: string) => answerTo(`credential change ${id} ${words}`);
    expect(await change('--rate-limit 600/60s --historical-days unlimited')).toMatchObject({
      ...{ rate_limit: { limit: 600, window_seconds: 60 }, historical_days_allowed: null },
      ...{ name: 'Barrier', scopes: ['plate_check', 'report'] },
    });
    expect(await change('--area P1,S1 --ip 192.0.2.0/24 --scope plate_check')).toMatchObject({
      ...{ areas: ['P1', 'S1'], ip_allowlist: ['192.0.2.0/24'] },
    });
    expect(await change('--all-areas --any-ip')).toMatchObject({ areas: null, ip_allowlist: null });
    expect((await asAdministrator(`credential revoke ${id}`)).code).toBe(EXIT.usage);
    expect((await asAdministrator(`credential revoke ${id} --yes`)).out).toContain('revoked');
    const after = await by(secretsIn('old.json').access_token ?? '', 'check A1');
    expect([after.code, after.err]).toEqual([EXIT.refused, expect.stringContaining('TOKEN_REVOKED')]);
  });

  it.each([
    ['24 hours more where nothing is said', '', 24],
    ['so long as is said', ' --overlap 2h', 2],
    ['no longer at all with --now', ' --now', null],
  ])('keeps its old pair %s, when it is rotated', async (_, options, hours) => {
    const id = await issued(`kept-${hours}.json`);
    const before = Date.now();
    const rotate = `credential rotate ${id}${options} --out ${desk.path(`rotated-${hours}.json`)}`;
    const unasked = await asAdministrator(rotate);
    expect([unasked.code, unasked.err]).toEqual([
      EXIT.usage,
      expect.stringContaining('Nothing was changed.'),
    ]);
    const { overlap_ends_at: ends } = await answerTo(`${rotate} --yes`);
    expect(ends === null ? null : Math.round((Date.parse(ends) - before) / 3_600_000)).toBe(hours);
    const codes = [`kept-${hours}.json`, `rotated-${hours}.json`].map(async (file) => {
      const { code } = await by(secretsIn(file).access_token ?? '', 'check A1');
      return code;
    });
    expect(await Promise.all(codes)).toEqual([hours === null ? EXIT.refused : 0, 0]);
  });

  it('whose new secrets were lost on the way leaves no file, and a word on what to do', async () => {
    const id = await issued('first.json');
    const road = new BadRoad(() => service.address);
    const PARKING_URL = await road.open();
    void road.will(() => 'half_heard');
    const { code, err } = await asAdministrator(
      `credential rotate ${id} --yes --out ${desk.path('lost.json')}`,
      { environment: { PARKING_URL } },
    );
    road.close();
    expect([code, err]).toEqual([
      EXIT.unavailable,
      expect.stringContaining('Whether it was done is not known.'),
    ]);
    expect([road.calls, existsSync(desk.path('lost.json'))]).toEqual([1, false]);
  });

  it('is rotated to its end when somebody presses Ctrl-C meanwhile', async () => {
    const id = await issued('second.json');
    const road = new BadRoad(() => service.address);
    const environment = { ...administrator(), PARKING_URL: await road.open() };
    const asked = road.will(() => 'late');
    const { code, out } = await desk.run(
      ['credential', 'rotate', id, '--yes', '--out', desk.path('third.json'), '--json'],
      { environment, started: (keys) => void asked.then(() => keys.signal('SIGINT')) },
    );
    road.close();
    expect([code, JSON.parse(out).credential_id]).toEqual([0, id]);
    expect(secretsIn('third.json').access_token).toMatch(/^pev_at_/);
  });

  it.each(['rotate x --now --overlap 1d --yes --out x.json', 'issue --name x', 'change x'])(
    'is refused for wrong usage before anything is sent: %s',
    async (words) => {
      expect((await asAdministrator(`credential ${words}`)).code).toBe(EXIT.usage);
    },
  );

  it('is written again to the database, as all are, or some', async () => {
    const all: { credential_id: string }[] = await answerTo('credential list');
    expect(await answerTo('credential refresh')).toEqual({ written: all.length });
    expect(await answerTo(`credential refresh ${all[0]?.credential_id}`)).toEqual({ written: 1 });
  });

  it('is written again by an office, unless it is an office’s', async () => {
    const token = await tokenWith('office');
    await tokenWith('office_read');
    await issued('last.json');
    const { length }: unknown[] = await answerTo('credential list');
    const { code, out, err } = await by(token, 'credential refresh');
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`written +${length - 2}\\b`)),
      expect.stringContaining('2 credentials of offices'),
    ]);
  });
});
