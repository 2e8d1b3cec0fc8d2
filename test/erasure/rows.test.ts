import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import {
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = Date.now();
const PLATE = 'ERASE1';
const OTHER = 'OTHER1';
const DIGEST = /^\*[0-9a-f]{64}$/;
const NEW_KEY = 'a-new-key-of-more-than-thirty-two-characters';
const service = new Service({ SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;

const text = (at: number): string => new Date(at).toISOString();
const session = (session_id: string, plate: string, changed: object = {}) => ({
  ...{ session_id, plate, area_code: 'P1', starts_at: text(NOW - HOUR_MS), ends_at: text(NOW + HOUR_MS) },
  ...changed,
});
const extended = { ends_at: text(NOW + 2 * HOUR_MS) };
const subscription = (subscription_number: string, plates: string[], changed: object = {}) => ({
  ...{ subscription_number, type: 'RES', plates: plates.map((plate) => ({ plate })) },
  ...{ approval: 'approved', areas: 'all', periods: [], ...changed },
});
const sessions = (lines: object[], by = service) => importLines(by, headers, 'sessions', lines);
const subscriptions = (lines: object[], by = service) => importLines(by, headers, 'subscriptions', lines);
const holding = async (plate = PLATE) => (await textsOfAllTables()).filter(([, kept]) => spells(kept, plate));
const keysOf = async (plate: string) => {
  const { sessions: ofPlate, subscriptions: titles, history } = await exportOf(service, plate);
  return {
    sessions: (ofPlate as { session_id: string }[]).map(({ session_id }) => session_id),
    subscriptions: (titles as { subscription_number: string }[]).map((title) => title.subscription_number),
    history: (history as { record: Record<string, unknown> | null }[]).map(
      ({ record }) => record?.session_id ?? record?.subscription_number,
    ),
  };
};

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
});

describe('An erasure of a plate from which keys are made', () => {
  beforeEach(async () => {
    await sessions([session('app/erase-1/7', PLATE), session('ÉRASE 1 corrected', PLATE)]);
    await sessions([session('ÉRASE 1 corrected', OTHER)]);
    await subscriptions([subscription('2026-Erase.1', [PLATE, OTHER])]);
  });

  it('leaves it in no key of any table, nor in what it keeps', async () => {
    await eraseAll(service, PLATE);
    expect(await holding()).toEqual([]);
    const kept = await keysOf(OTHER);
    expect(kept.sessions).toEqual([expect.stringMatching(DIGEST)]);
    expect(kept.subscriptions).toEqual([expect.stringMatching(DIGEST)]);
    expect(new Set(kept.history)).toEqual(new Set([...kept.sessions, ...kept.subscriptions]));
  });

  it('lets the old keys meet what they were of, which keeps its digest, corrections too', async () => {
    await eraseAll(service, PLATE);
    const before = await textsOfAllTables();
    const lines = [session('app/erase-1/7', PLATE), session('ÉRASE 1 corrected', OTHER)];
    const title = subscription('2026-Erase.1', [PLATE, OTHER]);
    expect(await sessions(lines)).toMatchObject({ unchanged: 2, created: 0, updated: 0 });
    expect(await subscriptions([title])).toMatchObject({ unchanged: 1, created: 0, updated: 0 });
    expect(await sessions([session('ÉRASE 1 corrected', PLATE)])).toMatchObject({ unchanged: 1, erased: 1 });
    expect((await textsOfAllTables()).filter(([where]) => where.startsWith('erased_plates'))).toEqual(
      before.filter(([where]) => where.startsWith('erased_plates')),
    );
    const corrected = [session('app/erase-1/7', 'THIRD3')];
    expect(await sessions(corrected)).toMatchObject({ created: 0, updated: 1 });
    expect(await subscriptions([subscription('2026-Erase.1', ['THIRD3'])])).toMatchObject({ updated: 1 });
    expect(await keysOf('THIRD3')).toMatchObject({
      sessions: [expect.stringMatching(DIGEST)],
      subscriptions: [expect.stringMatching(DIGEST)],
    });
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it('is met by lines that name the digest, or both in one file', async () => {
    await eraseAll(service, PLATE);
    const [key = ''] = (await keysOf(OTHER)).sessions;
    expect(await sessions([session(key, PLATE), session('ÉRASE 1 corrected', PLATE)])).toMatchObject({
      ...{ created: 0, updated: 0, unchanged: 2, erased: 2 },
    });
    expect(await holding()).toEqual([]);
  });
});

describe('An erasure leaves the key', () => {
  it.each([
    [
      'of what only contains the plate and was never its',
      () => sessions([session('x-ERASE1', OTHER)]),
      OTHER,
    ],
    ['of what held it and does not contain it', () => sessions([session('x-ERASE', PLATE)]), null],
  ])('%s, and keeps none of it in clear', async (_, store, plate) => {
    await store();
    const before = plate === null ? null : await keysOf(plate);
    await eraseAll(service, PLATE);
    if (plate !== null) expect(await keysOf(plate)).toEqual(before);
    const { results } = await env.DB.prepare('select session_id as id from parking_sessions').all();
    expect(results).toEqual([{ id: expect.stringMatching(/^x-ERASE/) }]);
    const kept = (await textsOfAllTables()).filter(([where]) => where.startsWith('erased_plates'));
    expect(kept.filter(([, value]) => value.includes('x-ERASE'))).toEqual([]);
  });
});

describe('A session that came again while its digest could not be known', () => {
  it('is erased again, under a key of its own', async () => {
    await sessions([session('ERASE1-a', PLATE)]);
    await eraseAll(service, PLATE);
    const forgetful = new Service({ DIGEST_KEY: NEW_KEY });
    expect(await sessions([session('ERASE1-a', PLATE)], forgetful)).toMatchObject({ created: 1 });
    expect(await eraseAll(service, PLATE)).toMatchObject({ sessions: 1 });
    expect(await sessions([session('ERASE1-a', PLATE)])).toMatchObject({ unchanged: 1 });
    expect(await holding()).toEqual([]);
  });
});

describe('What keeps plates erased', () => {
  const digests = async () =>
    (await env.DB.prepare('select municipality_id as city, digest from erased_plates').all()).results;
  const retain = (days: number) => runRetention(env, instant(NOW + days * DAY_MS));

  it('is one digest in the municipality, as long as the longest retention', async () => {
    await sessions([session('x-1', PLATE)]);
    await subscriptions([subscription('y-1', [PLATE])]);
    await eraseAll(service, PLATE);
    await eraseAll(service, PLATE);
    const kept = [{ city: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }];
    expect(await digests()).toEqual(kept);
    await retain(1_824);
    expect(await digests()).toEqual(kept);
    await retain(1_826);
    expect(await digests()).toEqual([]);
  });
});

describe('The pseudonym of an erased person', () => {
  beforeEach(async () => {
    await sessions([session('a', PLATE), session('b', PLATE, { area_code: 'S1' }), session('c', 'WRONG1')]);
    await sessions([session('a', PLATE, extended), session('c', PLATE), session('d', PLATE)]);
    await sessions([session('c', PLATE, extended), session('d', 'RIGHT1')]);
  });

  it('is another one in each session, whose versions share it, and none in a subscription, which goes without', async () => {
    await subscriptions([subscription('N1', [PLATE, OTHER]), subscription('N2', [PLATE])]);
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
    await eraseAll(service, OTHER);
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
    expect(await sessions(lines)).toMatchObject({ unchanged: 2 });
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
