import { beforeAll, describe, expect, it } from 'vitest';
import { check, moveOf, moveWhole, putDocument } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { beginMoving, historyIn, idOf, type Mover, send, session, settle, subscription } from './movers.ts';
import { refusing, sends, serviceAround } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

const sessionsOf = async ({ service: by, headers, code }: Mover, plate = 'ONWARD'): Promise<unknown> =>
  (await check(by, headers, { plate, municipality_code: code })).body.sessions_count;

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

describe('A move whose old database is put back to an earlier time', () => {
  const inOld = (sql: string) => SEVERAL.DB_2.prepare(sql);

  it.each([
    ['before it began', true, 0],
    ['before it began, and then goes on', true, 3],
    ['when it had begun', false, 0],
    ['when it had begun, and then goes on', false, 3],
  ])('%s, brings nothing that was lost to the new one', async (_, isBefore, imports) => {
    const mover = await settle(service, `LOST${imports}${Number(isBefore)}`, 'DB_2');
    const of = `where municipality_id = ${idOf(mover.code)}`;
    await send(mover, 'sessions', session('S-1', 'ONWARD'));
    const at = await inOld(`select max(recorded_at) as at from changes ${of}`).first<number>('at');
    await send(mover, 'sessions', session('S-2', 'LOST'));
    expect((await moveOf(refusing(sends('stopWrites')), mover.code, 'DB_3')).status).toBe(500);
    await SEVERAL.DB_2.batch([
      ...['changes', 'parking_sessions'].map((table) =>
        inOld(`delete from ${table} ${of} and recorded_at > ${at}`),
      ),
      ...(isBefore ? [inOld(`delete from moves ${of}`)] : []),
    ]);
    for (let index = 0; index < imports; index += 1) {
      await send(mover, 'sessions', session(`S-${index + 3}`, 'NEW'));
    }
    const answers = () => Promise.all(['ONWARD', 'LOST', 'NEW'].map((plate) => sessionsOf(mover, plate)));
    expect(await answers()).toEqual([1, 0, imports]);
    const [sessions] = await historyIn('DB_2', mover.code);
    await moveWhole(service, mover.code, 'DB_3');
    expect(await answers()).toEqual([1, 0, imports]);
    expect((await historyIn('DB_3', mover.code))[0]).toEqual(sessions);
  });

  it.each([
    ['areas', { code: 'P9', name: 'Nine', area_type: 'street' }],
    ['sources', { code: 'app9', name: 'Nine', category: 'app' }],
  ])('goes on though %s that were lost got new numbers there', async (table, item) => {
    const mover = await settle(service, `NUMBERS-${table}`, 'DB_2');
    const of = `where municipality_id = ${idOf(mover.code)}`;
    const put = () => putDocument(service, { municipalities: [{ code: mover.code, [table]: [item] }] });
    const numberIn = (name: 'DB_2' | 'DB_3') =>
      SEVERAL[name].prepare(`select id from ${table} ${of} and code = '${item.code}'`).raw();
    const at = await inOld(`select max(recorded_at) as at from changes ${of}`).first<number>('at');
    await put();
    const lost = await numberIn('DB_2');
    expect((await moveOf(refusing(sends('stopWrites')), mover.code, 'DB_3')).status).toBe(500);
    expect(await numberIn('DB_3')).toEqual(lost);
    await SEVERAL.DB_2.batch([
      ...['changes', 'configuration_versions'].map((each) =>
        inOld(`delete from ${each} ${of} and recorded_at > ${at}`),
      ),
      inOld(`delete from ${table} ${of} and code = '${item.code}'`),
    ]);
    await put();
    const renumbered = await numberIn('DB_2');
    expect(renumbered).not.toEqual(lost);
    await moveWhole(service, mover.code, 'DB_3');
    // No other area or source ever has the former number.
    expect(await numberIn('DB_3')).toEqual(lost);
  });
});
