import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { eraseAll, importLines, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = Date.now();
const PLATE = 'ERASE1';
const service = new Service({ SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;

const text = (at: number): string => new Date(at).toISOString();
const session = (session_id: string, plate: string, changed: object = {}) => ({
  ...{ session_id, plate, area_code: 'P1', starts_at: text(NOW - HOUR_MS), ends_at: text(NOW + HOUR_MS) },
  ...changed,
});
const extended = { ends_at: text(NOW + 2 * HOUR_MS) };
const sessions = (...lines: object[]) => importLines(service, headers, 'sessions', lines);
const subscriptions = (...lines: object[]) => importLines(service, headers, 'subscriptions', lines);
const subscription = (subscription_number: string, ...plates: string[]) => ({
  ...{ subscription_number, type: 'RES', plates: plates.map((plate) => ({ plate })) },
  ...{ approval: 'approved', areas: 'all', periods: [] },
});

/** Every pseudonym that is kept anywhere. */
async function pseudonyms(): Promise<Set<string>> {
  const found = await textsOfAllTables();
  return new Set(found.flatMap(([, kept]) => kept.match(/\*[0-9a-f]{14}(?![0-9a-f])/g) ?? []));
}

async function plates(): Promise<Record<string, string>> {
  const { results } = await env.DB.prepare('select session_id, plate from parking_sessions').all<{
    session_id: string;
    plate: string;
  }>();
  return Object.fromEntries(results.map(({ session_id, plate }) => [session_id, plate]));
}

beforeEach(async () => {
  await freshDatabase({ ...CITY, subscriptionTypes: [RESIDENTS] });
  ({ headers } = await issueCredential());
  await sessions(session('a', PLATE), session('b', PLATE, { area_code: 'S1' }), session('c', 'WRONG1'));
  await sessions(session('a', PLATE, extended), session('c', PLATE), session('d', PLATE));
  await sessions(session('c', PLATE, extended), session('d', 'RIGHT1'));
});

describe('The pseudonym of an erased person', () => {
  it('is another one in each session, whose versions share it, and none in a subscription, which goes without', async () => {
    await subscriptions(subscription('N1', PLATE, 'OTHER1'), subscription('N2', PLATE));
    await eraseAll(service, PLATE);
    const { a = '', b = '', c = '', d } = await plates();
    expect([new Set([a, b, c]).size, d]).toEqual([3, 'RIGHT1']);
    for (const pseudonym of [a, b, c]) expect(normalizePlate(pseudonym)).not.toBe(pseudonym);
    // Four sessions, of which one has a new plate by now.
    const kept = await pseudonyms();
    expect(kept.size).toBe(4);
    await eraseAll(service, 'WRONG1');
    await eraseAll(service, 'RIGHT1');
    expect(await pseudonyms()).toEqual(kept);
    expect(kept).toContain((await plates()).d);
    await eraseAll(service, 'OTHER1');
    expect(await pseudonyms()).toEqual(kept);
  });

  it('is one though two calls erase at once: the same lines are unchanged then', async () => {
    let reading = 2;
    const bothHaveRead = Promise.withResolvers<void>();
    const eraser = () =>
      new Service({
        DB: databaseDouble({
          around: async (run, sql) => {
            if (/insert into "?erased_plates/.test(sql)) {
              reading -= 1;
              if (reading === 0) bothHaveRead.resolve();
              await bothHaveRead.promise;
            }
            return run();
          },
        }),
      });
    await Promise.all([eraseAll(eraser(), PLATE), eraseAll(eraser(), PLATE)]);
    const lines = [session('a', PLATE, extended), session('c', PLATE, extended)];
    expect(await sessions(...lines)).toMatchObject({ unchanged: 2 });
    expect((await pseudonyms()).size).toBe(4);
    const kept = await textsOfAllTables();
    expect(kept.filter(([, one]) => spells(one, PLATE))).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
    expect(await textsOfAllTables()).toEqual(kept);
  });

  it('makes two vehicles, in the report, of one that had two sessions at once in an area', async () => {
    const vehicles = async () => {
      const path = '/api/v2/parking/reports/active-by-area';
      const { body } = await service.post(path, { area_type: 'facility' }, headers);
      return (body.totals as { active_now: number }).active_now;
    };
    // a and c are one vehicle, d is another.
    expect(await vehicles()).toBe(2);
    await eraseAll(service, PLATE);
    // A report that was computed on the spot is kept for 30 s.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect(await vehicles()).toBe(3);
    vi.useRealTimers();
  });
});
