import { existsSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { BadRoad } from './bad-road.ts';
import { CITY, type Done, type RunningService, startService } from './office.ts';
import { asAdministrator, desk, importSession, openOffice, START_MS, service } from './opened-office.ts';

openOffice();
/** Another account's, with what a restore needs: the tenant. */
let other: RunningService;
const road = new BadRoad(() => service.address);
const otherRoad = new BadRoad(() => other.address);
let [roadUrl, otherUrl] = ['', ''];

/** Rows that nobody asks for, so large that a backup has several parts. */
const fillPast = () =>
  service.db
    .prepare(
      `insert into configuration_versions (municipality_id, recorded_at, record)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 126)
       select (select id from municipalities where code = 'H501'), i, json_object('filling', hex(zeroblob(50000)))
       from n`,
    )
    .run();

beforeAll(async () => {
  other = await startService();
  await other.administrate('PUT', 'configuration', { tenants: CITY.tenants });
  [roadUrl, otherUrl] = [await road.open(), await otherRoad.open()];
  await importSession({ session_id: 'A-1', plate: 'AB123CD' });
  await fillPast();
}, START_MS);
afterAll(async () => {
  road.close();
  otherRoad.close();
  await other.stop();
});

const backUp = (name: string, url = roadUrl): Promise<Done> =>
  asAdministrator(['backup', 'H501', '--out', desk.path(name), '--json'], {
    environment: { PARKING_URL: url },
  });
const restore = (name: string, ...more: readonly string[]): Promise<Done> =>
  asAdministrator(['restore', desk.path(name), '--json', ...more], {
    environment: { PARKING_URL: otherUrl },
  });
const partsIn = (name: string): string[] =>
  gunzipSync(readFileSync(desk.path(name)))
    .toString()
    .split(/(?<=^\{"type":"part",.*\n)/m);
const modeOf = (name: string): number => statSync(desk.path(name)).mode & 0o777;

describe('A backup', () => {
  it('whose connection is cut at each part is whole, and restores over one that is cut as often', async () => {
    // One of two calls comes through, or one of five.
    const every = shortOrThorough(2, 5);
    void road.will((call) => (call % every === 0 ? 'answered' : 'half_heard'));
    const done = await backUp('h501.gz');
    expect(done).toMatchObject({ code: 0, err: '' });
    const { parts, rows, municipality_code } = JSON.parse(done.out);
    expect({ municipality_code, parts }).toEqual({
      municipality_code: 'H501',
      parts: partsIn('h501.gz').length,
    });
    expect(parts).toBeGreaterThan(2);
    expect(Math.max(...partsIn('h501.gz').map(({ length }) => length))).toBeLessThan(8 * 1_024 * 1_024);
    expect(rows).toBeGreaterThan(126);
    expect(road.calls).toBeGreaterThanOrEqual(every * parts);
    expect([modeOf('h501.gz'), existsSync(desk.path('h501.gz.unfinished'))]).toEqual([0o600, false]);

    void otherRoad.will((call) => (call >= 2 ? 'turned_away' : 'answered'));
    const begun = await restore('h501.gz', '--yes');
    expect([begun.code, JSON.parse(begun.err).advice]).toEqual([
      EXIT.unavailable,
      expect.stringMatching(/the municipality cannot be read.*`parking restore --discard H501`/),
    ]);
    void otherRoad.will((call) => (call % every === 0 ? 'answered' : 'half_heard'));
    const discarded = await asAdministrator(['restore', '--discard', 'H501', '--yes'], {
      environment: { PARKING_URL: other.address },
    });
    expect(discarded).toMatchObject({ code: 0, out: expect.stringMatching(/^state +discarded$/m) });

    const restored = await restore('h501.gz', '--yes');
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(restored.out)).toMatchObject({ state: 'done', tenant: 'acme', parts });
    expect(otherRoad.calls).toBeGreaterThanOrEqual(every * parts);
    const issued = await other.administrate('POST', 'credentials', {
      ...{ tenant: 'acme', name: 'Office', municipalities: ['H501'], scopes: ['plate_check'] },
    });
    const asked = await desk.run(['check', 'AB123CD', '--area', 'S1'], {
      environment: { PARKING_URL: other.address, PARKING_TOKEN: String(issued.access_token) },
    });
    expect(asked.out).toMatch(/^A-1 .*Via Roma \(S1\).* valid +true$/m);
  }, 120_000);

  it.each([
    ['of a city that nobody knows', 'NONE', 'none.gz', EXIT.refused, 'NOT_FOUND'],
    ['into a file that is there', 'H501', 'there.gz', EXIT.usage, 'is not overwritten'],
    ['into no folder', 'H501', 'no/folder.gz', EXIT.refused, 'cannot be written'],
  ])('%s leaves nothing behind', async (_, code, file, exit, words) => {
    desk.write('there.gz', 'kept');
    const done = await asAdministrator(['backup', code, '--out', desk.path(file)]);
    expect([done.code, done.err]).toEqual([exit, expect.stringContaining(words)]);
    expect(existsSync(desk.path(`${file}.unfinished`))).toBe(false);
    expect(readFileSync(desk.path('there.gz'), 'utf8')).toBe('kept');
  });
});

describe('A restore', () => {
  let whole: Buffer;
  beforeAll(async () => {
    void road.will(() => 'answered');
    await backUp('good.gz');
    whole = readFileSync(desk.path('good.gz'));
  });

  it.each([
    ['cut in a part', () => whole.subarray(0, -80)],
    ['cut between two parts', () => gzipSync(partsIn('good.gz').slice(0, 2).join(''))],
    // The last bytes are gzip's own sum.
    ['changed', () => Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)])],
    ['not packed', () => gunzipSync(whole)],
  ])('of a file that is %s is refused before anything is sent', async (_, file) => {
    desk.write('bad.gz', file());
    void otherRoad.will(() => 'answered');
    const { code, out, err } = await restore('bad.gz', '--yes');
    expect([code, out, otherRoad.calls]).toEqual([EXIT.usage, '', 0]);
    expect(JSON.parse(err)).toMatchObject({
      message: expect.stringContaining('cannot be read as a whole backup'),
      advice: expect.stringContaining('use another backup'),
    });
  });

  it('is asked about first, and refused over a city that can be read', async () => {
    void otherRoad.will(() => 'answered');
    const unasked = await restore('good.gz');
    expect([unasked.code, unasked.err]).toEqual([EXIT.usage, expect.stringContaining('--yes')]);
    expect(otherRoad.calls).toBe(0);
    const command = ['restore', desk.path('good.gz'), '--yes'];
    const readable = await asAdministrator(command);
    expect(readable).toMatchObject({
      code: EXIT.refused,
      err: expect.stringContaining('can be read: nothing is restored over it'),
    });
    // Nothing has begun: there is nothing to go on with, or to throw away.
    expect(readable.err).not.toContain('--discard');
    expect((await asAdministrator([...command, '--discard', 'H501'])).code).toBe(EXIT.usage);
    const discard = await asAdministrator(['restore', '--discard', 'H501', '--yes']);
    expect(discard).toMatchObject({ code: EXIT.refused, err: expect.stringContaining('(NOT_FOUND)') });
  });
});
