import { beforeAll, describe, expect, it } from 'vitest';
import { check, moveOf, moveWhole } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { beginMoving, type Mover, send, session, settle, subscription } from './movers.ts';
import { refusing, sends, serviceAround } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

const sessionsOf = async ({ service: by, headers, code }: Mover): Promise<unknown> =>
  (await check(by, headers, { plate: 'ONWARD', municipality_code: code })).body.sessions_count;

describe('An isolate that has asked before a municipality moved', () => {
  it('follows it from database to database, however far it has gone, and writes where it lives', async () => {
    const mover = await settle(service, 'FAR', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'ONWARD'));
    const isolate = { ...mover, service: new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() }) };
    for (const [index, journey] of (
      [['DB_3', 'DB'], ['DB_2'], ['DB', 'DB_3', 'DB_2', 'DB_3']] as const
    ).entries()) {
      expect(await sessionsOf(isolate)).toBe(index + 1);
      for (const to of journey) await moveWhole(service, mover.code, to);
      expect(await sessionsOf(isolate)).toBe(index + 1);
      const sent = await send(isolate, 'sessions', session(`S-${index + 2}`, 'ONWARD'));
      expect(sent.body).toMatchObject({ created: 1 });
    }
  });
});

describe('A move that was cut off', () => {
  it('while its old copy was cleaned up has to be finished before another one, also one back', async () => {
    const mover = await settle(service, 'BACK', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'ONWARD'));
    expect((await moveOf(refusing(sends('cleanUp')), mover.code, 'DB_3')).status).toBe(500);
    for (const to of ['DB_2', 'DB'] as const) {
      const { status, body } = await moveOf(service, mover.code, to);
      expect([status, body.error]).toMatchObject([409, { code: 'MOVE_IN_PROGRESS' }]);
    }
    await moveWhole(service, mover.code, 'DB_3');
    await moveWhole(service, mover.code, 'DB_2');
    expect(await sessionsOf(mover)).toBe(1);
  });

  it('behind its copy goes on there, and does not copy it again', async () => {
    const mover = await settle(service, 'GOES-ON', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'ONWARD'));
    await send(mover, 'subscriptions', subscription('R-1', ['ONWARD']));
    expect((await moveOf(refusing(sends('stopWrites')), mover.code, 'DB_3')).status).toBe(500);
    const written: string[] = [];
    const watched = serviceAround((run, { sql }) => {
      const tables = sql.matchAll(/insert into "(parking_sessions|subscriptions|changes)"/g);
      written.push(...[...tables].map(([, table = '']) => table));
      return run();
    });
    await moveWhole(watched, mover.code, 'DB_3');
    expect(written.filter((table) => table !== 'changes')).toEqual([]);
    expect(await sessionsOf(mover)).toBe(1);
  });
});
