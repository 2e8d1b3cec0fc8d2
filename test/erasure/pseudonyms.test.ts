import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import {
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { City } from '../support/city.ts';
import { databaseDouble } from '../support/doubles.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { session, subscription, text } from './lines.ts';

const PLATE = 'ERASE1';
const OTHER = 'OTHER1';
const DIGEST = /^\*[0-9a-f]{64}$/;
const extended = { ends_at: text(Date.now() + 2 * HOUR_MS) };

const city = new City(CITY, { anew: true });
const sessions = (...lines: object[]) => importLines(city.service, city.headers, 'sessions', lines);
const subscriptions = (...lines: object[]) => importLines(city.service, city.headers, 'subscriptions', lines);
const erase = (plate: string, by = city.service) => eraseAll(by, plate);
const holding = async () => (await textsOfAllTables()).filter(([, kept]) => spells(kept, PLATE));

describe('The pseudonym of an erased person', () => {
  /** Every one that is kept anywhere. */
  const pseudonyms = async () =>
    new Set(
      (await textsOfAllTables()).flatMap(([, kept]) => kept.match(/\*[0-9a-f]{14}(?![0-9a-f])/g) ?? []),
    );
  const plates = async () => {
    const { results } = await env.DB.prepare('select session_id, plate from parking_sessions').all();
    return Object.fromEntries(results.map(({ session_id, plate }) => [session_id, String(plate)]));
  };

  beforeEach(async () => {
    await sessions(session('a', PLATE), session('b', PLATE, { area_code: 'S1' }), session('c', 'WRONG1'));
    await sessions(session('a', PLATE, extended), session('c', PLATE), session('d', PLATE));
    await sessions(session('c', PLATE, extended), session('d', 'RIGHT1'));
  });

  it('is another one in each session, whose versions share it, and none in a subscription, which goes without', async () => {
    await subscriptions(subscription('N1', PLATE, OTHER), subscription('N2', PLATE));
    await erase(PLATE);
    const { a = '', b = '', c = '', d } = await plates();
    expect([new Set([a, b, c]).size, d]).toEqual([3, 'RIGHT1']);
    for (const pseudonym of [a, b, c]) expect(normalizePlate(pseudonym)).not.toBe(pseudonym);
    // Four sessions, of which one has a new plate by now.
    const kept = await pseudonyms();
    expect(kept.size).toBe(4);
    for (const plate of ['WRONG1', 'RIGHT1', OTHER]) await erase(plate);
    expect(await pseudonyms()).toEqual(kept);
    expect(kept).toContain((await plates()).d);
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
    await Promise.all([erase(PLATE, eraser()), erase(PLATE, eraser())]);
    const lines = [session('a', PLATE, extended), session('c', PLATE, extended)];
    expect(await sessions(...lines)).toMatchObject({ unchanged: 2 });
    expect((await pseudonyms()).size).toBe(4);
    expect(await holding()).toEqual([]);
    expect(await erase(PLATE)).toEqual(NOTHING);
  });
});

describe('A key that spells an erased plate', () => {
  it('becomes a digest in every table, and what is sent again meets it, also with another plate', async () => {
    await sessions(session('app/erase-1/7', PLATE), session('ÉRASE 1 corrected', PLATE));
    await sessions(session('ÉRASE 1 corrected', OTHER));
    const title = subscription('2026-Erase.1', PLATE, OTHER);
    await subscriptions(title);
    await erase(PLATE);
    expect(await holding()).toEqual([]);
    const digest = expect.stringMatching(DIGEST);
    expect(await exportOf(city.service, OTHER)).toMatchObject({
      sessions: [{ session_id: digest }],
      subscriptions: [{ subscription_number: digest }],
      history: [{ key: digest, record: { session_id: digest } }, { key: digest }],
    });
    const again = await sessions(session('app/erase-1/7', PLATE), session('ÉRASE 1 corrected', OTHER));
    expect(again).toMatchObject({ unchanged: 2 });
    expect(await subscriptions(title)).toMatchObject({ unchanged: 1 });
    expect(await sessions(session('app/erase-1/7', 'THIRD3'))).toMatchObject({ created: 0, updated: 1 });
    expect(await subscriptions(subscription('2026-Erase.1', 'THIRD3'))).toMatchObject({ updated: 1 });
    expect(await holding()).toEqual([]);
  });
});
