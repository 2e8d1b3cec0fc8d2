import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { check, moveWhole, putDocument } from '../databases/nation.ts';
import { Random } from '../domain/random.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import {
  afterFirst,
  answersOf,
  backUpInSteps,
  backUpPart,
  change,
  codeOf,
  discardOf,
  failingWithout,
  iso,
  keepMoment,
  nextPart,
  restoreOf,
  restoreWhole,
  serviceWithout,
} from './backups.ts';
import { beginMoving, idOf, type Mover, placesOf, send, session, settle, subscription } from './movers.ts';
import { PLATES } from './twin-changes.ts';
import { FAULTS } from './twins.ts';

const random = new Random(RUN_SEED);
let service: Service;
let cities = 0;
let lost: Service;

beforeAll(async () => {
  service = await beginMoving();
  lost = serviceWithout('DB_2');
  return () => vi.restoreAllMocks();
});

let mover: Mover;
/** A new city in a database that is lost later. */
const begin = (): Promise<Mover> => {
  cities += 1;
  return settle(service, `LOST${cities}`, 'DB_2');
};
beforeEach(async () => {
  mover = await begin();
});

describe(`A municipality whose database is lost (TEST_SEED=${RUN_SEED})`, () => {
  it.each<DatabaseName>(['DB', 'DB_3'])(
    'answers from %s as it did when its backup began, though imports went on meanwhile',
    async (to) => {
      const moments: number[] = [];
      await change(mover, random, shortOrThorough(10, 150));
      await keepMoment(moments);
      const before = await answersOf(service, mover, moments);
      const parts = await backUpInSteps(service, mover.code, () =>
        change(mover, random, shortOrThorough(3, 12)),
      );
      expect(parts.length).toBeGreaterThan(3);
      for (const part of parts.slice(0, -1)) {
        expect(codeOf(await restoreOf(lost, mover.code, part, { to }))).toEqual([200, 'restoring']);
        const { status } = await check(lost, mover.headers, { plate: PLATES[0] });
        expect(status, 'nothing can be read yet').toBe(500);
      }
      const last = parts.at(-1) ?? expect.fail('no part');
      expect(codeOf(await restoreOf(lost, mover.code, last, { to }))).toEqual([200, 'done']);
      expect(codeOf(await restoreOf(lost, mover.code, last, { to })), 'once more').toEqual([200, 'done']);
      expect(await answersOf(lost, mover, moments)).toEqual(before);
      const taken = await send({ ...mover, service: lost }, 'sessions', session('NEW', 'AA000AA'));
      expect([taken.status, taken.body.rejected]).toEqual([200, 0]);
    },
    240_000,
  );

  it('is restored whole, whichever round trip of a call fails', async () => {
    await change(mover, random, 8);
    const parts = await backUpInSteps(service, mover.code);
    const before = await answersOf(service, mover, [Date.now()]);
    let tried = 0;
    for (const [index, part] of parts.entries()) {
      // In the short run every other one, of the next part those between.
      for (
        let at = shortOrThorough(1 + (index % 2), 1), isThrough = false;
        !isThrough;
        at += shortOrThorough(2, 1)
      ) {
        const { killed, trips } = failingWithout('DB_2', at, random.pick(FAULTS));
        const answer = await restoreOf(killed, mover.code, part);
        tried += 1;
        isThrough = trips() < at;
        if (answer.status !== 200) expect(answer.status, `part ${index + 1}, trip ${at}`).toBe(500);
      }
    }
    const last = parts.at(-1) ?? expect.fail('no part');
    expect(codeOf(await restoreOf(lost, mover.code, last))).toEqual([200, 'done']);
    expect(await answersOf(lost, mover, [Date.now()])).toMatchObject({ list: before.list });
    expect(tried).toBeGreaterThan(parts.length * shortOrThorough(2, 4));
  }, 240_000);

  it('does not pass for the copy that was lost, whose cursors name rows of their own numbers', async () => {
    const moved = await settle(service, `${mover.code}M`, 'DB');
    await moveWhole(service, moved.code, 'DB_2');
    const stayIn = (db: D1Database) =>
      db.prepare('select stay from municipalities where code = ?').bind(moved.code).first<number>('stay');
    await restoreWhole(lost, moved.code, await backUpInSteps(service, moved.code), 'DB_3');
    expect(await stayIn(env.THIRD)).toBeGreaterThan((await stayIn(env.SECOND)) ?? 0);
  });

  it('keeps the numbers of its areas and sources', async () => {
    const numbers = async (db: D1Database) =>
      (
        await db
          .prepare(
            `select 'area' as kind, id, code from areas where municipality_id = (select id from municipalities where code = ?1)
             union all select 'source', id, code from sources where municipality_id = (select id from municipalities where code = ?1)
             order by 1, 3`,
          )
          .bind(mover.code)
          .all()
      ).results;
    await restoreWhole(lost, mover.code, await backUpInSteps(service, mover.code), 'DB_3');
    expect(await numbers(env.THIRD)).toEqual(await numbers(env.SECOND));
  });

  it('gets new numbers where another has them by now, wherever they stand', async () => {
    await send(mover, 'sessions', session('S-1', 'AA000AA'));
    await send(mover, 'subscriptions', subscription('R-1', ['AA000AA'], { areas: ['P1'] }));
    const moments: number[] = [];
    await keepMoment(moments);
    const parts = await backUpInSteps(service, mover.code);
    const before = await answersOf(service, mover, moments);
    const other = await settle(service, `${mover.code}O`, 'DB');
    const numberOf = (code: string, db: D1Database, table: string) =>
      db
        .prepare(
          `select t.id from ${table} t join municipalities m on m.id = t.municipality_id where m.code = ? order by t.code limit 1`,
        )
        .bind(code)
        .first<number>('id');
    for (const table of ['areas', 'sources']) {
      await env.DB.prepare(`update ${table} set id = ? where id = ?`)
        .bind(await numberOf(mover.code, env.SECOND, table), await numberOf(other.code, env.DB, table))
        .run();
    }
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    for (const table of ['areas', 'sources']) {
      const number = await numberOf(mover.code, env.THIRD, table);
      expect(number).not.toBe(await numberOf(mover.code, env.SECOND, table));
      // The recorded configuration has it too: else it would differ, and be recorded once more.
      const recorded = await env.THIRD.prepare(
        `select record ->> '$.${table}[0].id' from configuration_versions where municipality_id = ${idOf(mover.code)}`,
      ).raw();
      expect(recorded).toEqual([[number]]);
    }
    expect(await answersOf(lost, mover, moments)).toEqual(before);
  });
});

describe('The configuration of a restored municipality', () => {
  it('is recorded as it stands there, though the last call was cut off before it was', async () => {
    const tenant = `off-${mover.code}`;
    const switchTenant = (active: boolean) => putDocument(service, { tenants: [{ code: tenant, active }] });
    await putDocument(service, { tenants: [{ code: tenant, name: 'Off' }] });
    const { code } = await settle(service, `${mover.code}V`, 'DB_2', { tenant });
    await switchTenant(false);
    const parts = await backUpInSteps(service, code);
    await switchTenant(true);
    const last = parts.pop() ?? expect.fail('no part');
    for (const part of parts) await restoreOf(lost, code, part, { tenant });
    const { DB_2: _, ...left } = SEVERAL;
    const DB_3 = databaseDouble(
      {
        around: (run, sql) =>
          /^insert into "changes"/.test(sql.trim()) ? Promise.reject(new Error('D1_ERROR: killed')) : run(),
      },
      SEVERAL.DB_3,
    );
    const dying = new Service({ ...left, DB_3, SNAPSHOTS: noSnapshots() });
    expect((await restoreOf(dying, code, last, { tenant })).status).toBe(500);
    expect(codeOf(await restoreOf(lost, code, last, { tenant }))).toEqual([200, 'done']);
    const isActive = await env.THIRD.prepare(
      `select record ->> '$.tenant_active' as active from configuration_versions
       where municipality_id = ${idOf(code)} order by recorded_at desc limit 1`,
    ).first<number>('active');
    expect(isActive).toBe(1);
  });
});

describe('A plate that is erased', () => {
  const plate = 'ER453ED';
  const hold = async () => {
    await send(mover, 'sessions', session('S-1', plate));
    await send(mover, 'sessions', session(`${plate}-1`, plate));
    await send(mover, 'subscriptions', subscription('R-1', [plate, 'AA000AA']));
  };
  const placesIn = async (name: DatabaseName, of = plate) =>
    (await placesOf(of)).filter((place) => place.startsWith(`${name} `) && !place.includes('calls'));

  it('after the backup stays erased, also where it was while the parts were restored', async () => {
    await hold();
    const parts = await backUpInSteps(service, mover.code);
    expect(parts.join('')).toContain(plate);
    await eraseAll(service, plate);
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    expect(await placesIn('DB_3')).toEqual([]);
    const { status, body } = await check(lost, mover.headers, { plate });
    expect([status, body.sessions_count, body.subscriptions_count]).toEqual([200, 0, 0]);
    const other = await check(lost, mover.headers, { plate: 'AA000AA' });
    expect(other.body.subscriptions_count).toBe(1);
    // And no import brings it back.
    await send({ ...mover, service: lost }, 'sessions', session('S-1', plate));
    expect(await placesIn('DB_3')).toEqual([]);
  });

  it('after the backup stays erased, though the tenant had another code when the backup was made', async () => {
    // Of its own: other tests erase theirs by the present code, within the minute that clocks may differ.
    const erased = 'FO123RM';
    await send(mover, 'sessions', session('S-1', erased));
    const parts = await backUpInSteps(service, mover.code);
    await putDocument(service, { tenants: [{ code: 'former', name: 'Former' }] });
    await eraseAll(service, erased, 'former');
    const former = parts.map((part) => part.replace('"tenant":"acme"', '"tenant":"former"'));
    await restoreWhole(lost, mover.code, former, 'DB_3');
    expect(await placesIn('DB_3', erased)).toEqual([]);
  });

  it('before the backup is not in it, and what the car did since stays', async () => {
    await hold();
    await eraseAll(service, plate);
    await env.DB.prepare('update erasures_for_backups set at = at - 600000').run();
    await send(mover, 'sessions', session('S-2', plate));
    await restoreWhole(lost, mover.code, await backUpInSteps(service, mover.code), 'DB_3');
    const { body } = await check(lost, mover.headers, { plate });
    expect([body.sessions_count, body.subscriptions_count]).toEqual([1, 0]);
  });

  it('while the backup is made lets it begin again', async () => {
    await hold();
    const after = await afterFirst(service, mover.code);
    await eraseAll(service, plate);
    expect(codeOf(await nextPart(service, mover.code, after))).toEqual([410, 'CURSOR_GONE']);
    const { text } = await backUpPart(service, mover.code, null);
    expect(text).not.toContain(plate);
  });
});

describe('A restore', () => {
  const other = (code: string, part: string): string => part.replaceAll(mover.code, code);
  const older = (part: string, days: number): string =>
    part.replace(/"begun_at":"[^"]*"/, `"begun_at":"${iso(Date.now() - days * DAY_MS)}"`);

  it('is refused where it must not be', async () => {
    const parts = await backUpInSteps(service, mover.code);
    const [first = '', second = ''] = parts;
    await putDocument(service, { tenants: [{ code: 'twin', name: 'Twin' }] });
    const tries: readonly (readonly [string, Promise<Answer>, unknown])[] = [
      ['readable', restoreOf(service, mover.code, first), [409, 'MUNICIPALITY_READABLE']],
      ['tenant', restoreOf(lost, mover.code, first, { tenant: 'nobody' }), [422, 'INVALID_REQUEST']],
      ['another’s', restoreOf(lost, mover.code, first, { tenant: 'twin' }), [422, 'INVALID_REQUEST']],
      ['database', restoreOf(lost, mover.code, first, { to: 'DB_2' }), [422, 'INVALID_REQUEST']],
      ['other city', restoreOf(lost, mover.code, other('ELSE', first)), [422, 'INVALID_REQUEST']],
      ['too old', restoreOf(lost, mover.code, older(first, 401)), [422, 'INVALID_REQUEST']],
      ['cut', restoreOf(lost, mover.code, first.slice(0, -20)), [422, 'INVALID_REQUEST']],
      ['no backup', restoreOf(lost, mover.code, '{}'), [422, 'INVALID_REQUEST']],
      ['second first', restoreOf(lost, mover.code, second), [409, 'PART_OUT_OF_ORDER']],
      ['none to discard', discardOf(lost, mover.code), [404, 'NOT_FOUND']],
    ];
    for (const [what, answer, expected] of tries) expect(codeOf(await answer), what).toEqual(expected);
    const unbound = await restoreOf(lost, mover.code, first, { to: 'DB_2 pev_at_0123' });
    expect(unbound.body.error).toMatchObject({
      details: {
        issues: [{ path: 'to', message: 'DB_2 pev_*** is not a known database: choose one of DB, DB_3' }],
      },
    });
    expect(codeOf(await restoreOf(lost, mover.code, older(first, 399)))).toEqual([200, 'restoring']);
  });

  it('takes the parts of one backup in their order, into one database, and one again at any time', async () => {
    const parts = await backUpInSteps(service, mover.code);
    const [another = ''] = await backUpInSteps(service, mover.code);
    const [first = '', second = '', third = ''] = parts;
    const take = async (part: string, to?: string) =>
      codeOf(await restoreOf(lost, mover.code, part, to === undefined ? {} : { to }));
    expect(await take(first)).toEqual([200, 'restoring']);
    expect(await take(first), 'again').toEqual([200, 'restoring']);
    expect(await take(third), 'too early').toEqual([409, 'PART_OUT_OF_ORDER']);
    expect(await take(another), 'of another backup').toEqual([409, 'PART_OUT_OF_ORDER']);
    expect(await take(second, 'DB'), 'into another database').toEqual([409, 'PART_OUT_OF_ORDER']);
    expect(await take(second)).toEqual([200, 'restoring']);
    expect(await take(first), 'long ago').toEqual([200, 'restoring']);
  });

  it('can be thrown away, and begun again from another backup', async () => {
    await send(mover, 'sessions', session('S-1', 'AA000AA'));
    const [first = ''] = await backUpInSteps(service, mover.code);
    const parts = await backUpInSteps(service, mover.code);
    await restoreOf(lost, mover.code, first);
    expect(codeOf(await discardOf(lost, mover.code))).toEqual([200, 'discarded']);
    expect(codeOf(await discardOf(lost, mover.code))).toEqual([404, 'NOT_FOUND']);
    expect((await check(service, mover.headers, { plate: 'AA000AA' })).body.sessions_count).toBe(1);
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    expect((await check(lost, mover.headers, { plate: 'AA000AA' })).body.sessions_count).toBe(1);
  });

  it('into a new home, once thrown away, holds up no erasure and no export of its tenant', async () => {
    const tenant = `new-${mover.code}`;
    await putDocument(service, { tenants: [{ code: tenant, name: 'New' }] });
    const { code } = await settle(service, `${mover.code}N`, 'DB_2', { tenant });
    const [first = ''] = await backUpInSteps(service, code);
    await env.DB.batch([
      env.DB.prepare(`delete from credential_municipalities where municipality_id = ${idOf(code)}`),
      env.DB.prepare(`delete from municipalities where code = '${code}'`),
    ]);
    const tried = async () => {
      const body = { tenant, plate: 'AA000AA' };
      const erased = await lost.post('/api/v2/admin/plates/erase', body, ADMIN);
      let [status, after]: [number, unknown] = [200, null];
      do {
        const exported = await lost.post('/api/v2/admin/plates/export', { ...body, after }, ADMIN);
        [status, after] = [exported.status, exported.body.next];
      } while (status === 200 && after !== null);
      return [erased.status, status];
    };
    expect(codeOf(await restoreOf(lost, code, first, { tenant, to: 'DB' }))).toEqual([200, 'restoring']);
    expect(await tried(), 'it cannot be read yet').toEqual([500, 500]);
    expect(codeOf(await discardOf(lost, code))).toEqual([200, 'discarded']);
    expect(await tried()).toEqual([200, 200]);
  });

  it.each<DatabaseName>(['DB', 'DB_3'])(
    'into %s that is under way is named to a move and a backup',
    async (to) => {
      const [first = ''] = await backUpInSteps(service, mover.code);
      await restoreOf(lost, mover.code, first, { to });
      const path = `/api/v2/admin/municipalities/${mover.code}/move`;
      const tries = [
        await lost.post(path, { to: 'DB_3' }, ADMIN),
        await lost.call(path, { method: 'DELETE', headers: ADMIN }),
        await nextPart(lost, mover.code, null),
      ];
      for (const answer of tries) {
        expect(codeOf(answer)).toEqual([409, 'MOVE_IN_PROGRESS']);
        expect(JSON.stringify(answer.body.error)).toContain(`being restored to the database ${to}`);
      }
    },
  );

  it('is not done while its database is back', async () => {
    const parts = await backUpInSteps(service, mover.code);
    for (const part of parts.slice(0, -1)) await restoreOf(lost, mover.code, part);
    const last = parts.at(-1) ?? expect.fail('no part');
    expect(codeOf(await restoreOf(service, mover.code, last))).toEqual([409, 'MUNICIPALITY_READABLE']);
    expect((await check(service, mover.headers, { plate: 'AA000AA' })).status).toBe(200);
    expect(codeOf(await discardOf(service, mover.code))).toEqual([200, 'discarded']);
    expect((await check(service, mover.headers, { plate: 'AA000AA' })).status).toBe(200);
  });
});
