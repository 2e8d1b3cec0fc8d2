import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { error, ScriptedService } from '../client/scripted-service.ts';
import { Desk, type Done, type How } from './office.ts';

const ACCESS = 'pev_at_0123456789abcdef01234567_x';

let desk: Desk;
let roma: ScriptedService;
let elsewhere: ScriptedService;

beforeAll(async () => {
  desk = new Desk();
  [roma, elsewhere] = [await ScriptedService.start(), await ScriptedService.start()];
});
afterAll(async () => {
  desk.leave();
  await Promise.all([roma.stop(), elsewhere.stop()]);
});

const path = () => desk.path('config/parking/profiles.json');

beforeEach(() => {
  mkdirSync(desk.path('config/parking'), { recursive: true });
  const profiles = {
    roma: { url: roma.address, access_token: ACCESS, admin_token: 'admin-of-roma', municipality: 'H501' },
    demo: { url: elsewhere.address, access_token: `${ACCESS}demo` },
  };
  writeFileSync(path(), JSON.stringify({ current: 'roma', profiles }), { mode: 0o600 });
});

/** Asks with each service refusing, and tells the token and the body that reached it. */
async function asked(service: ScriptedService, args: readonly string[] = [], how: How = {}) {
  service.script(error(403, 'IP_NOT_ALLOWED'));
  const before = service.seen.length;
  await desk.run(['check', 'AB123CD', ...args], how);
  const [seen] = service.seen.slice(before);
  return { token: seen?.headers.authorization, body: seen?.body };
}

const check = (environment: Record<string, string>, ...args: string[]): Promise<Done> =>
  desk.run(['check', 'AB123CD', ...args], { environment });

describe('The service and its secrets', () => {
  it('are the current profile’s, with its municipality', async () => {
    const { token, body } = await asked(roma);
    expect(token).toBe(`Bearer ${ACCESS}`);
    expect(JSON.parse(body ?? '')).toMatchObject({ municipality_code: 'H501' });
  });

  it('are those of the profile that was named', async () => {
    expect((await asked(elsewhere, ['--profile', 'demo'])).token).toBe(`Bearer ${ACCESS}demo`);
    for (const name of ['milano', 'toString']) {
      const { code, err } = await check({}, '--profile', name);
      expect([code, err]).toEqual([2, expect.stringContaining(`There is no profile ${name}`)]);
    }
  });

  it('are PARKING_TOKEN alone where that is set: no secret of a profile is used as well', async () => {
    const environment = { PARKING_TOKEN: `${ACCESS}other` };
    expect((await asked(roma, [], { environment })).token).toBe(`Bearer ${ACCESS}other`);
    const { code, err } = await check({ PARKING_TOKEN: 'an-administrator' });
    expect([code, err]).toEqual([2, expect.stringContaining('TOKEN_NOT_SET')]);
  });

  it('never go to another service than the profile’s', async () => {
    const { code, err } = await check({ PARKING_URL: elsewhere.address });
    expect([code, err]).toEqual([2, expect.stringContaining('TOKEN_NOT_SET')]);
    const environment = { PARKING_URL: `${roma.address}/` };
    expect((await asked(roma, [], { environment })).token).toBe(`Bearer ${ACCESS}`);
  });

  it('are in the file that PARKING_PROFILES names, and no other is touched', async () => {
    const PARKING_PROFILES = desk.path('own/profiles.json');
    const before = readFileSync(path(), 'utf8');
    const none = await check({ PARKING_PROFILES });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('No service is known.')]);
    mkdirSync(desk.path('own'));
    writeFileSync(PARKING_PROFILES, before.replace(ACCESS, `${ACCESS}own`));
    const { token } = await asked(roma, [], { environment: { PARKING_PROFILES } });
    expect(token).toBe(`Bearer ${ACCESS}own`);
    expect(readFileSync(path(), 'utf8')).toBe(before);
  });

  it('are not at what is no address', async () => {
    const { code, err } = await check({ PARKING_URL: 'parking.example' });
    expect([code, err]).toEqual([2, expect.stringContaining('An address looks like https://')]);
  });
});

describe('The file of profiles', () => {
  it('is its owner’s alone when it is written, and closed to others where somebody opened it', async () => {
    chmodSync(path(), 0o644);
    await desk.run(['profiles']);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(await desk.run(['profiles', 'demo'])).toMatchObject({ code: 0 });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(readdirSync(desk.path('config/parking'))).toEqual(['profiles.json']);
    expect((await asked(elsewhere)).token).toBe(`Bearer ${ACCESS}demo`);
  });

  it('that cannot be read is never taken for an empty one', async () => {
    writeFileSync(path(), '{"profiles":');
    const { code, err } = await desk.run(['logout']);
    expect([code, err]).toEqual([2, expect.stringContaining(`The profiles in ${path()} cannot be read.`)]);
    expect(readFileSync(path(), 'utf8')).toBe('{"profiles":');
  });

  it('is listed without its secrets', async () => {
    const { out } = await desk.run(['profiles']);
    expect(out).toMatch(/^roma +true +http:\S+ +H501 +access, admin$/m);
    expect(out).not.toContain(ACCESS);
    expect(out).not.toContain('admin-of-roma');
  });
});
