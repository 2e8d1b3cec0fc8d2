import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { importLines } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { CITY, ROME, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { watchedLog } from './watched-log.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const DAYS = { ANONYMIZE_SESSIONS_AFTER_DAYS: '30' };
const ago = (days: number) => NOW - days * DAY_MS;
const session = { municipalityId: 1, sourceCode: 'app1', areaId: 2, plate: 'AB123CD', startsAt: ago(40) };

const run = (bindings: object = {}, now = NOW, most?: { statements: number; ms: number }) =>
  runRetention({ ...env, ...DAYS, ...bindings }, instant(now), most);

/** The ids of the sessions that have a plate yet. */
async function withPlate(): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    "select session_id from parking_sessions where plate not like '*%' order by session_id",
  ).all<{ session_id: string }>();
  return results.map(({ session_id }) => session_id);
}

async function plates(table = 'parking_sessions', by = 'id'): Promise<string[]> {
  const { results } = await env.DB.prepare(`select plate from ${table} order by ${by}`).all<{
    plate: string;
  }>();
  return results.map(({ plate }) => plate);
}
const pastPlates = () => plates('past_parking_sessions', 'id, replaced_at');

/** Versions of the session that was stored last, each replaced by the next one. */
const storePast = (...versions: readonly string[]) =>
  env.DB.prepare(
    `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
     select (select max(id) from parking_sessions), 1, 2, value, ?2, ?3 + key, ?3 + key + 1 from json_each(?1)`,
  )
    .bind(JSON.stringify(versions), ago(40), ago(5))
    .run();

const pastSince = () =>
  env.DB.prepare('select past_since from municipalities where id = 1').first('past_since');

beforeAll(async () => {
  await seed({
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'L219' }],
    areas: [...CITY.areas, { ...CITY.areas[1], id: 9, municipalityId: 2 }],
    sources: [...CITY.sources, { ...CITY.sources[0], id: 9, municipalityId: 2 }],
  });
});

beforeEach(empty);

async function empty(): Promise<void> {
  await env.DB.batch(
    [
      'delete from parking_sessions',
      'delete from anonymizations',
      'update municipalities set past_since = 0',
    ].map((text) => env.DB.prepare(text)),
  );
}

describe('Anonymization', () => {
  it('takes the plates of sessions that ended or were cancelled longer ago, a forgotten stop by its longest time', async () => {
    const decade = { startsAt: ago(40), endsAt: ago(-3_650) };
    await seed({
      parkingSessions: [
        { ...session, sessionId: 'ended past', endsAt: ago(30) - 1 },
        { ...session, sessionId: 'ended at the bound', endsAt: ago(30) },
        { ...session, sessionId: 'cancelled past', ...decade, cancelledAt: ago(30) - 1 },
        { ...session, sessionId: 'cancelled at the bound', ...decade, cancelledAt: ago(30) },
        { ...session, sessionId: 'forgotten past', startsAt: ago(30) - 72 * HOUR_MS - 1 },
        { ...session, sessionId: 'forgotten at the bound', startsAt: ago(30) - 72 * HOUR_MS },
      ],
    });
    await run();
    expect(await withPlate()).toEqual([
      'cancelled at the bound',
      'ended at the bound',
      'forgotten at the bound',
    ]);
    const [one = ''] = (await plates()).filter((plate) => plate !== 'AB123CD');
    expect(normalizePlate(one)).not.toBe(one);
  });

  it('takes the plates of what stays only because it was recorded of late, however much of that there is', async () => {
    const dates = { startsAt: ago(2_001), endsAt: ago(2_000), recordedAt: ago(1) };
    await seed({
      parkingSessions: Array.from({ length: 600 }, (_, i) => ({
        ...{ ...session, ...dates, sessionId: `s${i}`, plate: `P${i}` },
      })),
    });
    await env.DB.prepare(
      `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
       select id, 1, 2, plate || 'X', starts_at, 0, recorded_at from parking_sessions`,
    ).run();
    for (let hour = 0; hour < 4; hour++)
      await run({}, instant(NOW + hour * HOUR_MS), { statements: 60, ms: 60_000 });
    const kept = [await plates(), await pastPlates()];
    expect(kept.map(({ length }) => length)).toEqual([600, 600]);
    expect(kept[0]).toEqual(kept[1]);
    expect(kept.flat().filter((plate) => !plate.startsWith('*'))).toEqual([]);
  });

  it('never happens while the variable is not set', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'old', endsAt: ago(39) }] });
    await runRetention(env, NOW);
    expect(await withPlate()).toEqual(['old']);
  });

  it('gives each session a pseudonym of its own', async () => {
    const old = { ...session, endsAt: ago(31) };
    await seed({
      parkingSessions: [
        { ...old, sessionId: 'a' },
        { ...old, sessionId: 'b' },
        { ...old, sessionId: 'c', plate: 'OTHER1' },
        { ...old, sessionId: 'd', municipalityId: 2, areaId: 9 },
      ],
    });
    await run();
    expect(new Set(await plates()).size).toBe(4);
  });

  it('takes the plates of their past versions too, each plate that a session ever had, under the session’s pseudonym', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'other', endsAt: ago(29), plate: 'RIGHT1' }] });
    await storePast('WRONG1');
    await seed({ parkingSessions: [{ ...session, sessionId: 'S', endsAt: ago(31), plate: 'RIGHT1' }] });
    await storePast('WRONG1', 'WRONG2', 'RIGHT1');
    await run();
    const [other, pseudonym = ''] = await plates();
    expect(other).toBe('RIGHT1');
    expect(pseudonym.startsWith('*')).toBe(true);
    expect(await pastPlates()).toEqual(['WRONG1', pseudonym, pseudonym, pseudonym]);
  });

  it('takes from past versions what an erasure of another plate has left there', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'S', endsAt: ago(31), plate: '*erased' }] });
    await storePast('WRONG1');
    await run();
    expect([await plates(), await pastPlates()]).toEqual([['*erased'], ['*erased']]);
  });

  it('gives a session the pseudonym that an erasure of another plate has left in a past version', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'S', endsAt: ago(31), plate: 'RIGHT1' }] });
    await storePast('*erased', 'WRONG1');
    await run();
    expect(new Set([...(await plates()), ...(await pastPlates())])).toEqual(new Set(['*erased']));
  });

  it('changes no instant of a version, and forgets for lists what was known before the newest that it took', async () => {
    await seed({
      parkingSessions: [
        { ...session, sessionId: 'S', endsAt: ago(31), recordedAt: ago(3) },
        { ...session, sessionId: 'kept', endsAt: ago(29), recordedAt: ago(2) },
      ],
    });
    await storePast('WRONG1');
    await run();
    const { results } = await env.DB.prepare('select recorded_at from parking_sessions order by id').all();
    expect(results).toEqual([{ recorded_at: ago(3) }, { recorded_at: ago(2) }]);
    const past = await env.DB.prepare('select recorded_at, replaced_at from past_parking_sessions').all();
    expect(past.results).toEqual([{ recorded_at: ago(5), replaced_at: ago(5) + 1 }]);
    expect(await pastSince()).toBe(ago(3));
  });

  it('takes what comes late, or has its plate again, behind where it had come to', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'a', endsAt: ago(31) }] });
    await run();
    await seed({
      parkingSessions: [
        { ...session, sessionId: 'late', endsAt: ago(35) },
        { ...session, sessionId: 'late, open', startsAt: ago(100) },
      ],
    });
    await env.DB.prepare("update parking_sessions set plate = 'BACK1' where session_id = 'a'").run();
    await run();
    expect(await withPlate()).toEqual([]);
  });

  it('takes a past plate of a session that has a pseudonym, and ends behind where it had come to', async () => {
    await seed({
      parkingSessions: [
        { ...session, sessionId: 'a', endsAt: ago(31) },
        { ...session, sessionId: 'b', endsAt: ago(-1), plate: '*erased' },
      ],
    });
    await storePast('WRONG1');
    await run();
    await env.DB.prepare("update parking_sessions set ends_at = ? where session_id = 'b'")
      .bind(ago(35))
      .run();
    await run();
    expect(await pastPlates()).toEqual(['*erased']);
  });

  it('goes on where it was, over several runs and a longer bound between', async () => {
    const old = Array.from({ length: 600 }, (_, i) => ({
      ...session,
      sessionId: `s${String(i).padStart(3, '0')}`,
      endsAt: ago(31 + (i % 7)),
      plate: `P${i}`,
    }));
    await seed({ parkingSessions: old });
    const log = watchedLog();
    await run({}, NOW, { statements: 50, ms: 60_000 });
    const left = (await withPlate()).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(600);
    expect(log.lines).toContainEqual({
      event: 'retention',
      deletion: 'plates',
      deleted: 600 - left,
      backlog: true,
    });
    await run({ ANONYMIZE_SESSIONS_AFTER_DAYS: '60' });
    expect((await withPlate()).length).toBe(left);
    await run();
    log.restore();
    expect(await withPlate()).toEqual([]);
  });

  it('reads no session again that it has been at, and none that is not due', async () => {
    const many = (count: number, name: string, endsAt: number) =>
      env.DB.prepare(
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
         select 1, 'app1', ?2 || i, 2, 'X' || i, ?3, ?4, ?3 from n`,
      ).bind(count, name, ago(390), endsAt);
    await many(3_000, 'done ', ago(60)).run();
    await many(3_000, 'kept ', ago(10)).run();
    await run();
    await many(100, 'due ', ago(30) - 1).run();
    const { cost, bindings } = countedBindings();
    await run(bindings);
    expect(await withPlate()).toHaveLength(3_000);
    expect(cost.rowsRead).toBeLessThan(100 * 24 + 100);
  });

  it('leaves a session alone that has been extended since it was read', async () => {
    await seed({ parkingSessions: [{ ...session, sessionId: 'extended', endsAt: ago(31) }] });
    const DB = databaseDouble({
      around: async (run, _, sql) => {
        const result = await run();
        if (sql.includes('as past')) {
          await env.DB.prepare('update parking_sessions set ends_at = ?, recorded_at = ?')
            .bind(ago(-1), NOW)
            .run();
        }
        return result;
      },
    });
    await run({ DB });
    expect(await withPlate()).toEqual(['extended']);
  });

  it('may be cut off at every round trip, and is completed by the next run', async () => {
    for (let cutAt = 1; ; cutAt++) {
      await empty();
      await seed({ parkingSessions: [{ ...session, sessionId: 'S', endsAt: ago(31) }] });
      await storePast('WRONG1');
      let trips = 0;
      let isCut = false;
      const DB = databaseDouble({
        around: (run, _, sql) => {
          if (!/as past|as line|with found/.test(sql)) return run();
          trips += 1;
          isCut ||= trips === cutAt;
          return isCut ? run().then(() => Promise.reject(new Error('cut off'))) : run();
        },
      });
      await run({ DB }).catch(() => {});
      await run();
      expect(await withPlate()).toEqual([]);
      expect((await pastPlates()).map((plate) => plate.startsWith('*'))).toEqual([true]);
      if (!isCut) break;
    }
  });

  it('outlasts the same file again, and an import that brings the session back to our days names the plate again', async () => {
    const { headers } = await issueCredential();
    const service = new Service(DAYS);
    const now = Date.now();
    const day = (days: number) => new Date(now - days * DAY_MS).toISOString();
    const line = { session_id: 'S', plate: 'AB123CD', area_code: 'P1', starts_at: day(40), ends_at: day(39) };
    const open = { ...line, session_id: 'open', ends_at: null };
    const send = (...lines: object[]) => importLines(service, headers, 'sessions', lines);
    expect(await send(line, open)).toMatchObject({ created: 2 });
    await run({}, instant(now));
    expect(await withPlate()).toEqual([]);
    expect(await send(line, open)).toMatchObject({ unchanged: 2 });
    expect(await send({ ...line, ends_at: day(38) })).toMatchObject({ updated: 1 });
    expect(await withPlate()).toEqual([]);
    expect(await send({ ...line, ends_at: day(1) })).toMatchObject({ updated: 1 });
    expect(await withPlate()).toEqual(['S']);
  });
});
