import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import {
  ERASE,
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const NOW = Date.now();
const PLATE = 'ERASE1';
const OTHER = 'OTHER1';
const DIGEST = /^\*[0-9a-f]{64}$/;
const NEW_KEY = 'a-new-key-of-more-than-thirty-two-characters';
const service = new Service();
let headers: Record<string, string>;

const text = (at: number): string => new Date(at).toISOString();
const session = (session_id: string, plate: string, changed: object = {}) => ({
  ...{ session_id, plate, area_code: 'P1', starts_at: text(NOW - HOUR_MS), ends_at: text(NOW + HOUR_MS) },
  ...changed,
});
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
    expect(await sessions([session('ÉRASE 1 corrected', PLATE)])).toMatchObject({ updated: 1 });
    expect(await sessions([session('ÉRASE 1 corrected', OTHER)])).toMatchObject({ updated: 1 });
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
      ...{ created: 0, updated: 1, unchanged: 1 },
    });
    expect(await holding()).toEqual([]);
  });

  it('keeps what was made with a digest key that is no longer the first', async () => {
    await eraseAll(service, PLATE);
    const rotated = new Service({ DIGEST_KEY: `${NEW_KEY},${env.DIGEST_KEY}` });
    expect(await sessions([session('app/erase-1/7', PLATE)], rotated)).toMatchObject({ unchanged: 1 });
    const title = subscription('2026-Erase.1', [PLATE, OTHER]);
    expect(await subscriptions([title], rotated)).toMatchObject({ unchanged: 1 });
    expect(await eraseAll(rotated, OTHER)).toMatchObject({ sessions: 1, subscriptions: 1 });
    expect(await sessions([session('ÉRASE 1 corrected', OTHER)], rotated)).toMatchObject({ unchanged: 1 });
    expect(await subscriptions([title], rotated)).toMatchObject({ unchanged: 1 });
    expect([...(await holding()), ...(await holding(OTHER))]).toEqual([]);
  });

  it('takes a new session and a new subscription with it, under their own keys', async () => {
    await eraseAll(service, PLATE);
    expect(await sessions([session('erase1/8', PLATE)])).toMatchObject({ created: 1 });
    expect(await subscriptions([subscription('erase1/9', [PLATE])])).toMatchObject({ created: 1 });
    expect(await keysOf(PLATE)).toMatchObject({ sessions: ['erase1/8'], subscriptions: ['erase1/9'] });
    expect(await eraseAll(service, PLATE)).toMatchObject({ sessions: 1, subscriptions: 1 });
    expect(await holding()).toEqual([]);
  });

  it('is completed by the same again, wherever it was cut off', async () => {
    for (let cutAt = 1, isCut = true; isCut; cutAt += 2) {
      isCut = false;
      let trips = 0;
      const DB = databaseDouble({
        around: async (run) => {
          trips += 1;
          if (trips < cutAt) return run();
          isCut = true;
          throw new Error('cut off');
        },
      });
      const { status } = await new Service({ DB }).post(ERASE, { tenant: 'acme', plate: PLATE }, ADMIN);
      expect(status).toBe(isCut ? 500 : 200);
    }
    await eraseAll(service, PLATE);
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });
});

describe('An erasure masks the strings of whole calls that contain a key', () => {
  const OPTIONS = '/api/v2/parking-meters/subscription-options';
  const say = (text: string) =>
    service.settle(OPTIONS, { method: 'POST', body: { plate: OTHER, terminal_code: text }, headers });
  const codes = async () => {
    const { results } = await env.DB.prepare(
      "select request ->> '$.terminal_code' as code from logged_calls where request is not null order by at, request_id",
    ).all<{ code: string }>();
    return results.map(({ code }) => code).sort();
  };

  it('made from the plate, wherever it stands in them, and no other', async () => {
    await sessions([session('app ERASE 1', PLATE), session('x-ERASE1', OTHER)]);
    for (const text of ['see app ERASE 1.', 'x-ERASE1', 'park ERASE-1', 'erase 1']) await say(text);
    expect(await eraseAll(service, PLATE)).toMatchObject({ calls: 2 });
    expect(await codes()).toEqual(['***', '***', 'park ERASE-1', 'x-ERASE1']);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it('though they were logged once it had ended', async () => {
    await sessions([session('app/ERASE1', PLATE), session('x-ERASE1', OTHER)]);
    await eraseAll(service, PLATE);
    for (const text of ['see app/ERASE1', 'x-ERASE1']) await say(text);
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls: 1 });
    expect(await codes()).toEqual(['***', 'x-ERASE1']);
    expect((await env.DB.prepare('select * from erasure_keys').all()).results).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
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
  it('gives way to what has come since when it is erased again', async () => {
    await sessions([session('ERASE1-a', PLATE)]);
    await eraseAll(service, PLATE);
    const forgetful = new Service({ DIGEST_KEY: NEW_KEY });
    expect(await sessions([session('ERASE1-a', PLATE)], forgetful)).toMatchObject({ created: 1 });
    expect(await eraseAll(service, PLATE)).toMatchObject({ sessions: 1 });
    expect(await sessions([session('ERASE1-a', PLATE)])).toMatchObject({ unchanged: 1 });
    expect(await holding()).toEqual([]);
  });

  it('fails to be imported while there is no digest key', async () => {
    await sessions([session('ERASE1-a', PLATE)]);
    await eraseAll(service, PLATE);
    const broken = new Service({ DIGEST_KEY: 'short' });
    expect(await sessions([session('ERASE1-a', PLATE)], broken)).toMatchObject({
      error: { code: 'TEMPORARY_ERROR' },
    });
  });
});

describe('What keeps plates erased', () => {
  const LINE = session('x-1', PLATE);
  const keys = async () => {
    const read = env.DB.prepare('select key from erased_plates order by id');
    return (await read.all<{ key: string }>()).results.map(({ key }) => key);
  };
  const retain = (days: number) => runRetention(env, instant(NOW + days * DAY_MS));

  it.each([
    ['a session', async () => sessions([LINE]), 400],
    ['a subscription', async () => subscriptions([subscription('y-1', [PLATE])]), 1_825],
  ])(
    'from %s goes when the retention of that is over, and the newest row stays blank',
    async (_, store, days) => {
      await store();
      await eraseAll(service, PLATE);
      await retain(days - 1);
      expect(await keys()).toEqual([expect.stringMatching(DIGEST)]);
      await retain(days + 1);
      expect(await keys()).toEqual(['']);
      await sessions([session('z-1', OTHER, { ends_at: text(NOW + 9_000 * DAY_MS) })]);
      await eraseAll(service, OTHER);
      await retain(days + 2);
      expect(await keys()).toEqual([expect.stringMatching(DIGEST)]);
    },
  );

  it('stays as long as a session that is sent again with dates of long ago', async () => {
    await sessions([LINE]);
    await eraseAll(service, PLATE);
    await sessions([session('x-1', PLATE, { starts_at: text(0), ends_at: text(1) })]);
    await retain(399);
    expect(await sessions([LINE])).toMatchObject({ updated: 1 });
    expect(await holding()).toEqual([]);
  });

  it('is not a key in clear of an erasure that nobody has gone on with for as long as calls are kept', async () => {
    await sessions([session('ERASE1-a', PLATE)]);
    const DB = databaseDouble({
      around: (run, sql) => (/"calls"|call_log/.test(sql) ? Promise.reject(new Error('cut off')) : run()),
    });
    expect((await new Service({ DB }).post(ERASE, { tenant: 'acme', plate: PLATE }, ADMIN)).status).toBe(500);
    await retain(89);
    expect((await holding()).map(([where]) => where)).toEqual(['erasure_keys.key']);
    await retain(91);
    expect(await holding()).toEqual([]);
    expect((await env.DB.prepare('select * from erasures').all()).results).toEqual([]);
  });
});
