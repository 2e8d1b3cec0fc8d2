import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { PATH as CONFIGURATION } from '../configuration/support.ts';
import { Random } from '../domain/random.ts';
import { Holder } from '../entitlement-list/support.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';
import {
  afterFirst,
  answersOf,
  backUpInSteps,
  backUpPart,
  change,
  codeOf,
  discardOf,
  FAULTS,
  failingThere,
  keepMoment,
  nextPart,
  restoreOf,
  restoreWhole,
  serviceAround,
} from './backups.ts';
import {
  beginCells,
  type City,
  check,
  HERE,
  idOf,
  iso,
  send,
  session,
  settle,
  subscription,
  THERE,
} from './cells.ts';

const random = new Random(RUN_SEED);
let cities = 0;
let city: City;

beforeAll(async () => {
  await beginCells();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  city = await settle(`CITY${cities}`);
});

const progressOf = (code: string): Promise<string | null> =>
  env.OTHER_CELL.prepare('select restoring from municipalities where code = ?').bind(code).first('restoring');

const configurationThere = (code: string): Promise<Answer> =>
  THERE.call(`${CONFIGURATION}?municipality_code=${code}`, { headers: ADMIN });

describe(`A restored municipality (TEST_SEED=${RUN_SEED})`, () => {
  it('answers as it did when its backup began, by the same numbers, though imports went on meanwhile', async () => {
    const moments: number[] = [];
    await change(city, random, shortOrThorough(10, 150));
    await keepMoment(moments);
    const before = await answersOf(HERE, city, moments);
    const parts = await backUpInSteps(city.code, () => change(city, random, shortOrThorough(3, 12)));
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts.slice(0, -1)) {
      expect(codeOf(await restoreOf(city.code, part))).toEqual([200, 'restoring']);
      expect(codeOf(await check(THERE, city.headers, { plate: 'AA000AA' })), 'it cannot be read').toEqual([
        403,
        'MUNICIPALITY_NOT_ALLOWED',
      ]);
      expect((await configurationThere(city.code)).status).toBe(404);
      // How far it has come: positions, and no key or plate of anybody.
      expect(await progressOf(city.code)).toMatch(/^[0-9a-f-]{36}(\.\d+)+$/);
    }
    const last = parts.at(-1) ?? expect.fail('no part');
    expect(codeOf(await restoreOf(city.code, last))).toEqual([200, 'done']);
    expect(await progressOf(city.code)).toBeNull();
    for (const part of [last, parts[0] ?? '']) {
      expect(codeOf(await restoreOf(city.code, part)), 'once more').toEqual([200, 'done']);
    }
    expect(await answersOf(THERE, city, moments)).toEqual(before);
    const taken = await send({ ...city, service: THERE }, 'sessions', session('NEW', 'AA000AA'));
    expect([taken.status, taken.body.rejected]).toEqual([200, 0]);
  }, 240_000);

  it('is restored whole, whichever round trip of a call fails', async () => {
    await change(city, random, 8);
    const parts = await backUpInSteps(city.code);
    const before = await answersOf(HERE, city, [Date.now()]);
    let tried = 0;
    for (const [index, part] of parts.entries()) {
      // In the short run every other one, of the next part those between.
      for (
        let at = shortOrThorough(1 + (index % 2), 1), isThrough = false;
        !isThrough;
        at += shortOrThorough(2, 1)
      ) {
        const { killed, trips } = failingThere(at, random.pick(FAULTS));
        const answer = await restoreOf(city.code, part, { service: killed });
        tried += 1;
        isThrough = trips() < at;
        if (answer.status !== 200)
          expect([500, 409], `part ${index + 1}, trip ${at}`).toContain(answer.status);
      }
    }
    const last = parts.at(-1) ?? expect.fail('no part');
    expect(codeOf(await restoreOf(city.code, last))).toEqual([200, 'done']);
    expect(await answersOf(THERE, city, [Date.now()])).toMatchObject({ list: before.list });
    // A part without rows takes two round trips, any other one more for each kind of row; and one call is through.
    expect(tried).toBeGreaterThan(parts.length * shortOrThorough(2, 3));
  }, 240_000);

  it('takes another version’s backup, which has what the database makes itself', async () => {
    await send(city, 'sessions', session('S-1', 'AA000AA'));
    const parts = await backUpInSteps(city.code);
    const before = await answersOf(HERE, city, [Date.now()]);
    const widened = parts.map((part) =>
      part.replace(/.+/g, (text) => {
        const line = JSON.parse(text);
        line.columns?.parking_sessions.push('runs_until', 'id');
        if (line.kind === 'parking_sessions') line.values.push(1, 1);
        return JSON.stringify(line);
      }),
    );
    expect(widened.join()).not.toBe(parts.join());
    await restoreWhole(city.code, widened);
    expect(await answersOf(THERE, city, [Date.now()])).toMatchObject({ list: before.list });
  });

  it('lists checks since its restore alone, and says so', async () => {
    const parts = await backUpInSteps(city.code);
    await restoreWhole(city.code, parts.slice(0, -1), 'restoring');
    const restoredAt = Math.trunc(Date.now() / 1000) * 1000 + HOUR_MS;
    vi.useFakeTimers({ toFake: ['Date'], now: restoredAt });
    await restoreWhole(city.code, parts.slice(-1));
    const { body } = await THERE.post(EVIDENCE, { plate: 'AA000AA', at: iso(restoredAt) }, city.headers);
    vi.useRealTimers();
    expect(Date.parse(String(body.checks_since))).toBe(restoredAt);
  });

  it('has the doubts of rejected lines still, by digests that no erasure has taken meanwhile', async () => {
    const [first, second] = ['RE111JE', 'RE222JE'] as const;
    for (const plate of [first, second])
      await send(city, 'sessions', { ...session(plate, plate), area_code: 'NO' });
    const doubtsOf = async (service: Service, plate: string): Promise<string[]> => {
      const sighting = { id: '1', plate, area_code: 'S1', seen_at: iso(Date.now() - 2 * HOUR_MS) };
      const { body } = await service.post('/api/v2/patrol/checks', { checks: [sighting] }, city.headers);
      const [result] = body.results as { doubts: { code: string }[] }[];
      return result?.doubts.map(({ code }) => code) ?? [];
    };
    const parts = await backUpInSteps(city.code, async (part) => {
      if (part === 15) await eraseAll(HERE, second);
    });
    await restoreWhole(city.code, parts);
    expect(await doubtsOf(THERE, first)).toEqual(await doubtsOf(HERE, first));
    expect(await doubtsOf(THERE, first)).toContain('LINE_REJECTED');
    expect(await doubtsOf(THERE, second)).not.toContain('LINE_REJECTED');
  });

  it('takes no cursor of a list from before', async () => {
    const holder = new Holder(HERE, city.headers);
    await holder.refresh();
    await restoreWhole(city.code, await backUpInSteps(city.code));
    const query = new URLSearchParams({ municipality_code: city.code, cursor: holder.cursor ?? '' });
    const answer = await THERE.call(`/api/v2/facilities/P1/entitlement-list?${query}`, {
      headers: city.headers,
    });
    expect(codeOf(answer)).toEqual([410, 'CURSOR_GONE']);
  });
});

/** The plates that the other cell has in any row of sessions, subscriptions and their past. */
async function isHeldThere(plate: string): Promise<boolean> {
  const tables = [
    'parking_sessions',
    'past_parking_sessions',
    'subscription_plates',
    'past_subscription_plates',
  ];
  const held = await env.OTHER_CELL.prepare(
    tables.map((table) => `select plate from ${table} where plate = ?1`).join(' union all '),
  )
    .bind(plate)
    .all();
  return held.results.length > 0;
}

describe('A plate that is erased', () => {
  const plate = 'ER453ED';
  const hold = async () => {
    await send(city, 'sessions', session('S-1', plate), session(`${plate}-1`, plate));
    await send(city, 'subscriptions', subscription('R-1', [plate, 'AA000AA']));
  };

  it('after the backup stays erased, also where it was while the parts were restored', async () => {
    await hold();
    const [first = '', ...parts] = await backUpInSteps(city.code);
    expect([first, ...parts].join('')).toContain(plate);
    await restoreOf(city.code, first);
    await eraseAll(THERE, plate);
    await restoreWhole(city.code, parts);
    expect(await isHeldThere(plate)).toBe(false);
    const { status, body } = await check(THERE, city.headers, { plate });
    expect([status, body.sessions_count, body.subscriptions_count]).toEqual([200, 0, 0]);
    const other = await check(THERE, city.headers, { plate: 'AA000AA' });
    expect(other.body.subscriptions_count).toBe(1);
    // And no import brings it back.
    await send({ ...city, service: THERE }, 'sessions', session('S-1', plate));
    expect(await isHeldThere(plate)).toBe(false);
  });

  it('is looked for some at a time: the last part is sent again until it is done', async () => {
    const last = 'ZZ999ZZ';
    await send(city, 'sessions', session('S-1', last));
    const parts = await backUpInSteps(city.code, async (part) => {
      if (part === 14) await eraseAll(HERE, last);
    });
    await restoreWhole(city.code, parts.slice(0, -1), 'restoring');
    await env.OTHER_CELL.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, recorded_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       select municipality_id, source_code, i, area_id, 'A' || i, starts_at, recorded_at from parking_sessions, n
       where municipality_id = ${idOf(city.code)}`,
    ).run();
    expect(await isHeldThere(last)).toBe(true);
    const end = parts.at(-1) ?? expect.fail('no part');
    expect(codeOf(await restoreOf(city.code, end))).toEqual([200, 'restoring']);
    expect(codeOf(await restoreOf(city.code, end))).toEqual([200, 'done']);
    expect(await isHeldThere(last)).toBe(false);
  });

  it('before the backup is not in it, and what the car did since stays', async () => {
    await hold();
    // An erasure of the last minute counts as one that may not have been over yet.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 61_000 });
    await eraseAll(HERE, plate);
    vi.useRealTimers();
    await send(city, 'sessions', { ...session('S-2', plate), starts_at: iso(Date.now()) });
    await restoreWhole(city.code, await backUpInSteps(city.code));
    const { body } = await check(THERE, city.headers, { plate });
    expect([body.sessions_count, body.subscriptions_count]).toEqual([1, 0]);
  });

  it('while the backup is made is in its last part, and is applied to those before', async () => {
    const plate = 'WH111LE';
    await send(city, 'sessions', session('S-1', plate));
    await send(city, 'subscriptions', subscription('R-1', [plate, 'AA000AA']));
    const parts = await backUpInSteps(city.code, async (part) => {
      if (part === 9) await eraseAll(HERE, plate);
    });
    expect(parts.join('')).toContain(plate);
    await restoreWhole(city.code, parts);
    expect(await isHeldThere(plate)).toBe(false);
    expect((await check(THERE, city.headers, { plate: 'AA000AA' })).body.subscriptions_count).toBe(1);
  });

  it('while the backup is made, with keys that other rows name, lets it begin again', async () => {
    await hold();
    await send(city, 'sessions', { ...session(`${plate}-1`, plate), ends_at: null });
    const after = await afterFirst(city.code);
    await eraseAll(HERE, plate);
    let answer = await nextPart(city.code, after);
    for (let at = after; answer.status === 200; ) {
      const part = await backUpPart(city.code, at);
      if (!part.more) break;
      at = part.after;
      answer = await nextPart(city.code, at);
    }
    expect(codeOf(answer)).toEqual([410, 'CURSOR_GONE']);
    const { text } = await backUpPart(city.code, null);
    expect(text).not.toContain(plate);
  });
});

describe('A restore', () => {
  const other = (code: string, part: string): string => part.replaceAll(city.code, code);
  const otherKey = (part: string): string =>
    part.replace(/"digest_keys":\[[^\]]*\]/, '"digest_keys":["0123456789abcdef"]');

  it('is refused where it must not be', async () => {
    const [first = '', second = ''] = await backUpInSteps(city.code);
    const tries: readonly (readonly [string, Promise<Answer>, unknown])[] = [
      ['readable', restoreOf(city.code, first, { service: HERE }), [422, 'INVALID_REQUEST']],
      ['tenant', restoreOf(city.code, first, { tenant: 'nobody' }), [422, 'INVALID_REQUEST']],
      ['other city', restoreOf(city.code, other('ELSE', first)), [422, 'INVALID_REQUEST']],
      ['other key', restoreOf(city.code, otherKey(first)), [422, 'INVALID_REQUEST']],
      ['cut', restoreOf(city.code, first.slice(0, -20)), [422, 'INVALID_REQUEST']],
      ['no backup', restoreOf(city.code, '{}'), [422, 'INVALID_REQUEST']],
      ['second first', restoreOf(city.code, second), [409, 'RESTORE_CONFLICT']],
      ['none to discard', discardOf(city.code), [404, 'NOT_FOUND']],
    ];
    for (const [what, answer, expected] of tries) expect(codeOf(await answer), what).toEqual(expected);
    const unknown = await restoreOf(city.code, first.replaceAll('"areas"', '"zones"'));
    expect(codeOf(unknown), 'unknown rows').toEqual([422, 'INVALID_REQUEST']);
    expect(codeOf(await restoreOf(city.code, first))).toEqual([200, 'restoring']);
    expect(codeOf(await nextPart(city.code, null, THERE)), 'backed up before').toEqual([404, 'NOT_FOUND']);
    const document = { municipalities: [{ code: city.code, name: 'Other' }] };
    const put = await THERE.call(CONFIGURATION, { method: 'PUT', headers: ADMIN, body: document });
    expect(codeOf(put), 'configured before').toEqual([422, 'INVALID_REQUEST']);
    expect(JSON.stringify(put.body.error)).toContain('is being restored');
  });

  it.each(['before the document', 'while the document is judged'])(
    'is not configured either where its first part was cut off at its begin, %s',
    async (when) => {
      const [first = ''] = await backUpInSteps(city.code);
      const killed = serviceAround((run, sql) => {
        if (sql.includes('insert into "areas"')) throw new Error('D1_ERROR: the step was killed');
        return run();
      });
      const begin = async () => {
        const answer = await restoreOf(city.code, first, { service: killed });
        expect(codeOf(answer)).toEqual([500, 'TEMPORARY_ERROR']);
        expect((await configurationThere(city.code)).status).toBe(404);
      };
      if (when === 'before the document') await begin();
      let trips = 0;
      const overtaken = serviceAround(async (run) => {
        trips += 1;
        if (trips === 2 && when !== 'before the document') await begin();
        return run();
      });
      const { body: here } = await HERE.call(`${CONFIGURATION}?municipality_code=${city.code}`, {
        headers: ADMIN,
      });
      const document = { method: 'PUT', headers: ADMIN, body: here.configuration };
      const put = await overtaken.call(CONFIGURATION, document);
      expect(codeOf(put)).toEqual([422, 'INVALID_REQUEST']);
      expect(JSON.stringify(put.body.error)).toContain('is being restored');
      expect(codeOf(await restoreOf(city.code, first))).toEqual([200, 'restoring']);
    },
  );

  it('takes the parts of one backup in their order, and one again at any time', async () => {
    const [first = '', second = '', third = ''] = await backUpInSteps(city.code);
    const [another = ''] = await backUpInSteps(city.code);
    const take = async (part: string) => codeOf(await restoreOf(city.code, part));
    expect(await take(first)).toEqual([200, 'restoring']);
    expect(await take(first), 'again').toEqual([200, 'restoring']);
    expect(await take(third), 'too early').toEqual([409, 'RESTORE_CONFLICT']);
    expect(await take(another), 'of another backup').toEqual([409, 'RESTORE_CONFLICT']);
    expect(await take(second)).toEqual([200, 'restoring']);
    expect(await take(first), 'long ago').toEqual([200, 'restoring']);
  });

  it('can be thrown away, and begun again from another backup', async () => {
    await change(city, random, 8);
    const [first = '', second = ''] = await backUpInSteps(city.code);
    await send(city, 'sessions', session('S-1', 'DI888SC'));
    const parts = await backUpInSteps(city.code);
    for (const part of [first, second]) await restoreOf(city.code, part);
    expect(codeOf(await discardOf(city.code))).toEqual([200, 'done']);
    expect(codeOf(await discardOf(city.code))).toEqual([404, 'NOT_FOUND']);
    expect(await env.OTHER_CELL.prepare(`select ${idOf(city.code)} as id`).first('id')).toBeNull();
    await restoreWhole(city.code, parts);
    expect((await check(THERE, city.headers, { plate: 'DI888SC' })).body.sessions_count).toBe(1);
    expect(codeOf(await discardOf(city.code)), 'once it is readable').toEqual([404, 'NOT_FOUND']);
  });

  it.each([
    ['writes nothing any more', 'insert into "parking_sessions"', 0],
    ['is left alone by one that discards another', 'delete from "parking_sessions"', 1],
  ])('that is taken over meanwhile %s', async (_, statement, left) => {
    await send(city, 'sessions', session('S-1', 'AA000AA'));
    const parts = await backUpInSteps(city.code);
    const restoring = () =>
      env.OTHER_CELL.prepare(
        `update municipalities set restoring = 'another' where id = ${idOf(city.code)}`,
      ).run();
    const overtaken = serviceAround(async (run, sql) => {
      if (sql.includes(statement)) await restoring();
      return run();
    });
    for (const part of parts.slice(0, -1)) await restoreOf(city.code, part, { service: overtaken });
    if (left > 0) await discardOf(city.code, overtaken);
    const rows = await env.OTHER_CELL.prepare(
      `select count(*) as rows from parking_sessions where municipality_id = ${idOf(city.code)}`,
    ).first('rows');
    expect(rows).toBe(left);
  });

  it('gives the municipality to the tenant that it names', async () => {
    await env.OTHER_CELL.prepare(
      "insert or ignore into tenants (id, code, name, active) values (77, 'heir', 'Heir', true)",
    ).run();
    for (const part of await backUpInSteps(city.code)) await restoreOf(city.code, part, { tenant: 'heir' });
    const { body } = await configurationThere(city.code);
    expect(body.configuration).toMatchObject({ municipalities: [{ code: city.code, tenant: 'heir' }] });
  });

  it('that is under way is part of an erasure, and of no export', async () => {
    const plate = 'EX999PO';
    await send(city, 'sessions', session('S-1', plate));
    const parts = await backUpInSteps(city.code);
    for (const part of parts.slice(0, -1)) await restoreOf(city.code, part);
    expect(await isHeldThere(plate)).toBe(true);
    const body = { tenant: 'acme', plate };
    const exported = await THERE.post('/api/v2/admin/plates/export', body, ADMIN);
    expect([exported.status, exported.body.sessions]).toEqual([200, []]);
    expect(await eraseAll(THERE, plate)).toMatchObject({ sessions: 1 });
    expect(await isHeldThere(plate)).toBe(false);
  });
});
