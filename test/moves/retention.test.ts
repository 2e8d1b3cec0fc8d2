import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { clockNow } from '../../src/base/platform/clock.ts';
import { runCron } from '../../src/crons.ts';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { callOffOf, check, moveOf, moveWhole } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { beginMoving, idOf, type Mover, placesOf, send, session, settle } from './movers.ts';
import { holding, type IsTrip, refusing, sends } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

/** Runs the retention as if so many days had gone by: twice, since rows go after their history. */
async function retain(days = 0, variables: object = {}): Promise<void> {
  for (let runs = 0; runs < 2; runs += 1) {
    await runRetention({ ...env, ...SEVERAL, ...variables }, instant(Date.now() + days * DAY_MS));
  }
}

async function cutOff(isIt: IsTrip, { code }: Mover): Promise<void> {
  expect((await moveOf(refusing(isIt), code, 'DB_3')).status).toBe(500);
}

/** The move was begun a day earlier. */
const waitADay = ({ code }: Mover) =>
  env.SECOND.prepare(
    `update moves set begun_at = begun_at - ${DAY_MS} where municipality_id = ${idOf(code)}`,
  ).run();

describe('The retention', () => {
  /** A session that had another plate first, and all of it is copied but what is written meanwhile. */
  async function copyHalf(code: string): Promise<Mover> {
    const mover = await settle(service, code, 'DB_2');
    const neighbour = await settle(service, `${code}-NEXT`, 'DB_2');
    await send(mover, 'sessions', session('S-1', `${code}1`));
    await cutOff(sends('stopWrites'), mover);
    await send(mover, 'sessions', session('S-1', `${code}2`));
    await send(neighbour, 'sessions', session('S-2', `${code}3`));
    expect(await placesOf(`${code}1`)).toContain('DB_3 parking_sessions.plate');
    expect(await placesOf(`${code}2`)).not.toContain('DB_3 parking_sessions.plate');
    return mover;
  }

  it('waits for a move, so that no history stays without its session where that is half copied', async () => {
    const mover = await copyHalf('HALF');
    await retain(500);
    expect(await placesOf('HALF2')).toContain('DB_2 parking_sessions.plate');
    expect(await placesOf('HALF3')).toEqual([]);
    await moveWhole(service, mover.code, 'DB_3');
    await retain(500);
    for (const plate of ['HALF1', 'HALF2']) expect(await placesOf(plate)).toEqual([]);
  });

  it('leaves no history without its session either where it has waited long enough', async () => {
    const mover = await copyHalf('LATE');
    await waitADay(mover);
    await retain(500);
    expect(await placesOf('LATE2')).toEqual([]);
    await moveWhole(service, mover.code, 'DB_3');
    await retain(500);
    expect(await placesOf('LATE1')).toEqual([]);
  });

  it('waits a day at most', async () => {
    const mover = await settle(service, 'LONG', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'LONG1'));
    await cutOff(sends('stopWrites'), mover);
    await retain(500);
    expect(await placesOf('LONG1')).toContain('DB_2 parking_sessions.plate');
    await waitADay(mover);
    await retain(500);
    expect((await placesOf('LONG1')).filter((place) => place.startsWith('DB_2'))).toEqual([]);
    await moveWhole(service, mover.code, 'DB_3');
    await retain(500);
    expect(await placesOf('LONG1')).toEqual([]);
  });
});

describe('A move that is continued after more than a day', () => {
  it('takes along each history whose session the retention would delete where it goes', async () => {
    const mover = await settle(service, 'AGAIN', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'AGAIN1'));
    await send(mover, 'sessions', session('S-1', 'AGAIN2'));
    // More than one part reads, so that the history comes in a later one than its session.
    await env.SECOND.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000)
       select municipality_id, source_code, 'M-' || value, area_id, 'AGAIN3', starts_at, ends_at, recorded_at
       from parking_sessions, n where municipality_id = ${idOf(mover.code)}`,
    ).run();
    await cutOff(sends('stopWrites'), mover);
    for (const db of [env.SECOND, env.THIRD]) {
      await db
        .prepare(
          `update moves set begun_at = begun_at - ${DAY_MS} where municipality_id = ${idOf(mover.code)}`,
        )
        .run();
    }
    const held = holding(({ sql }) => sql.includes('insert into "past_parking_sessions"'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    for (let runs = 0; runs < 3; runs += 1) await retain(500);
    held.release();
    expect((await moving).status).toBe(200);
    await moveWhole(service, mover.code, 'DB_3');
    expect(await placesOf('AGAIN1')).toEqual(['DB_3 past_parking_sessions.plate']);
  });
});

describe('A copy that a called-off move has left, since its database was not bound,', () => {
  it('is deleted in bounded parts once the database is bound again, and no other copy', async () => {
    const [left, underWay] = [
      await settle(service, 'LEFT', 'DB_2'),
      await settle(service, 'UNDERWAY', 'DB_2'),
    ];
    for (const mover of [left, underWay]) {
      await send(mover, 'sessions', session('S-1', mover.code));
      await cutOff(sends('stopWrites'), mover);
    }
    // More than one run takes.
    await env.THIRD.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       select municipality_id, source_code, 'more ' || n, area_id, plate, starts_at, ends_at from parking_sessions,
         (with recursive c (n) as (select 1 union all select n + 1 from c where n < 4000) select n from c)
       where municipality_id = ${idOf(left.code)}`,
    ).run();
    const unbound = new Service({ DB: SEVERAL.DB, DB_2: SEVERAL.DB_2, SNAPSHOTS: noSnapshots() });
    expect((await callOffOf(unbound, left.code)).body).toMatchObject({ state: 'called_off' });

    const isLeft = async () =>
      (await placesOf(left.code)).some((place) => place.startsWith('DB_3 parking_sessions.plate'));
    let runs = 0;
    for (; runs < 10 && (await isLeft()); runs += 1)
      await runCron('*/10 * * * *', { ...env, ...SEVERAL }, clockNow);
    expect([runs > 1, await isLeft()]).toEqual([true, false]);
    await runCron('*/10 * * * *', { ...env, ...SEVERAL }, clockNow);
    const arriving = await env.THIRD.prepare('select code from municipalities where arriving').all();
    expect(arriving.results).toEqual([{ code: underWay.code }]);
    for (const mover of [underWay, left]) {
      await moveWhole(service, mover.code, 'DB_3');
      const { body } = await check(service, mover.headers, {
        plate: mover.code,
        municipality_code: mover.code,
      });
      expect(body.sessions_count).toBe(1);
    }
  });
});
