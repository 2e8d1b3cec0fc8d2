import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ERASE, eraseAll } from '../admin/plates-support.ts';
import { callOffWhole, moveOf, moveWhole } from '../databases/nation.ts';
import { ADMIN, type Service } from '../support/service.ts';
import {
  beginMoving,
  historyIn,
  idOf,
  type Mover,
  moveThere,
  placesOf,
  send,
  session,
  settle,
  subscription,
} from './movers.ts';
import { holding, refusing, sends } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

afterEach(() => {
  vi.useRealTimers();
});

const MOVING = { code: 'MUNICIPALITY_MOVING' };

/** For how long its writes are stopped yet, in milliseconds, by the database's clock; and then they are not. */
async function resume({ code }: Mover): Promise<number> {
  const left = await env.SECOND.prepare(
    `select max(0, coalesce(writes_stopped_until, 0) - cast(unixepoch('subsec') * 1000 as integer)) as ms
     from municipalities where code = '${code}'`,
  ).first<number>('ms');
  await env.SECOND.prepare(`update municipalities set writes_stopped_until = 1 where code = '${code}'`).run();
  return Number(left);
}

describe('The writes of a municipality whose move is cut off, however often,', () => {
  const cutOff = async (mover: Mover) => {
    const { body } = await moveOf(refusing(sends('pointOn')), mover.code, 'DB_3');
    return { state: body.state, stoppedMs: await resume(mover) };
  };
  /** As if so many milliseconds had gone by. */
  const pass = ({ code }: Mover, ms: number) =>
    env.SECOND.prepare(
      `update moves set stops_since = stops_since - ${ms} where municipality_id = ${idOf(code)}`,
    ).run();

  it('are stopped for thirty seconds at most within ten minutes', async () => {
    const mover = await settle(service, 'CUT', 'DB_2');
    let totalMs = 0;
    const stops: boolean[] = [];
    for (let calls = 0; calls < 5; calls += 1) {
      const { state, stoppedMs } = await cutOff(mover);
      totalMs += stoppedMs;
      stops.push(stoppedMs > 0);
      if (stoppedMs === 0) expect(state).toBe('copying');
    }
    expect(stops).toEqual([true, true, true, false, false]);
    expect(totalMs).toBeLessThan(30_000);
    expect((await send(mover, 'sessions', session('S-1', 'WAITS'))).body).toMatchObject({ created: 1 });

    await pass(mover, 600_000);
    expect((await cutOff(mover)).stoppedMs).toBeGreaterThan(0);
    await moveWhole(service, mover.code, 'DB_3');
  });

  it('are stopped three times at most in any ten minutes, not in those alone that begin with a first stop', async () => {
    const mover = await settle(service, 'ANY-TEN', 'DB_2');
    const stops: boolean[] = [];
    for (const passedMs of [0, 590_000, 0, 20_000, 580_000]) {
      await pass(mover, passedMs);
      stops.push((await cutOff(mover)).stoppedMs > 0);
    }
    expect(stops).toEqual([true, true, true, false, true]);
    await moveWhole(service, mover.code, 'DB_3');
  });

  it('are not stopped more often where the move is called off and begun again', async () => {
    const mover = await settle(service, 'AGAIN', 'DB_2');
    const stops: boolean[] = [];
    for (let calls = 0; calls < 4; calls += 1) {
      stops.push((await cutOff(mover)).stoppedMs > 0);
      await callOffWhole(service, mover.code);
    }
    expect(stops).toEqual([true, true, true, false]);
    expect((await moveOf(service, mover.code, 'DB_3')).body).toMatchObject({ state: 'copying' });
    await pass(mover, 600_000);
    await moveWhole(service, mover.code, 'DB_3');
  });
});

describe('While the writes of a municipality are stopped', () => {
  it('an erasure is asked to come again in two seconds, and then leaves the plate nowhere', async () => {
    const mover = await settle(service, 'OTHER', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'ERASED'));
    const held = holding(sends('pointOn'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    const { status, headers, body } = await service.post(ERASE, { tenant: 'acme', plate: 'ERASED' }, ADMIN);
    expect([status, body.error, headers.get('Retry-After')]).toMatchObject([503, MOVING, '2']);
    held.release();
    await moving;
    await eraseAll(service, 'ERASED');
    expect(await placesOf('ERASED')).toEqual([]);
  });
});

describe('A subscription without a plate', () => {
  const PLATELESS = subscription('NONE', []);

  it.each([
    ['before the writes are stopped', 'stopWrites'],
    ['when their stop is over, and the city has not been switched,', 'pointOn'],
  ] as const)('is not lost where it comes right %s', async (_, kind) => {
    const mover = await settle(service, `NONE-${kind}`, 'DB_2');
    const held = holding(sends(kind));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    await resume(mover);
    expect((await send(mover, 'subscriptions', PLATELESS)).body).toMatchObject({ created: 1 });
    held.release();
    await moving;
    await moveThere(service, mover.code, 'DB_3');
    expect((await send(mover, 'subscriptions', PLATELESS)).body).toMatchObject({ unchanged: 1 });
  });
});

describe('A change that is recorded right behind a pass of the copy', () => {
  const twice = [session('S-1', 'ONE'), session('S-1', 'TWO')];

  it.each([
    ['a session', 'sessions', twice.slice(0, 1)],
    ['a change of a session', 'sessions', twice],
    ['a subscription', 'subscriptions', [subscription('R-1', ['ONE'])]],
    ['a change of plates', 'subscriptions', [subscription('R-1', ['ONE']), subscription('R-1', ['TWO'])]],
    [
      'a change of areas',
      'subscriptions',
      [subscription('R-1', ['ONE']), subscription('R-1', ['ONE'], { areas: ['P1'] })],
    ],
  ] as const)('is copied by the next, with the version that it replaces: %s', async (name, kind, lines) => {
    // Changes of one millisecond follow one another.
    vi.useFakeTimers({ toFake: ['Date'] });
    const mover = await settle(service, name.replaceAll(' ', '-'), 'DB_2');
    for (const line of lines.slice(0, -1)) await send(mover, kind, line);
    const held = holding(sends('stopWrites'));
    const moving = moveOf(held.service, mover.code, 'DB_3');
    await held.reached;
    expect((await send(mover, kind, lines.at(-1) ?? {})).status).toBe(200);
    const history = await historyIn('DB_2', mover.code);
    held.release();
    expect((await moving).body).toMatchObject({ state: 'done' });
    expect(await historyIn('DB_3', mover.code)).toEqual(history);
  });
});

describe('A batch of an import', () => {
  it('that reaches the database while the writes are stopped is refused, and taken when it comes again', async () => {
    const mover = await settle(service, 'STOPS', 'DB_2');
    const held = holding(({ sql }) => /insert into "parking_sessions"/i.test(sql));
    const sending = send({ ...mover, service: held.service }, 'sessions', session('S-1', 'STOPS'));
    await held.reached;
    await moveOf(refusing(sends('pointOn')), mover.code, 'DB_3');
    held.release();
    const refused = await sending;
    expect([refused.status, refused.body.error]).toMatchObject([503, MOVING]);
    await resume(mover);
    expect((await send(mover, 'sessions', session('S-1', 'STOPS'))).body).toMatchObject({ created: 1 });
  });

  it('that reaches the old database behind the switch is refused, and taken when it comes again', async () => {
    const mover = await settle(service, 'BATCH', 'DB_2');
    const held = holding(({ sql }) => /insert into "parking_sessions"/i.test(sql));
    const sending = send({ ...mover, service: held.service }, 'sessions', session('S-1', 'BATCH'));
    await held.reached;
    await moveWhole(service, mover.code, 'DB_3');
    held.release();
    const refused = await sending;
    expect([refused.status, refused.body.error]).toMatchObject([503, MOVING]);
    expect((await send(mover, 'sessions', session('S-1', 'BATCH'))).body).toMatchObject({ created: 1 });
  });
});
