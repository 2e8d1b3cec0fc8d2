import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { completeArrivals } from '../../src/storage/databases/arrival-table.ts';
import { deleteLeftCopies } from '../../src/upkeep/transfer/call-off-move.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { callOffOf, callOffWhole, check, moveOf, moveWhole } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { shortOrThorough, someOf } from '../support/run-form.ts';
import { type Answer, Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import { beginMoving, idOf, type Mover, placesOf, send, session, settle, subscription } from './movers.ts';
import {
  change,
  hintedAt,
  holding,
  type IsTrip,
  NAMES,
  refusing,
  sends,
  serviceAround,
} from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

const FROM = 'DB_2';
const TO = 'DB_3';

let plates = 0;

/** A city with something of a plate. */
async function begin(code: string): Promise<Mover & { readonly plate: string }> {
  const mover = await settle(service, code, FROM);
  plates += 1;
  const plate = `MOVER${String(plates).padStart(4, '0')}`;
  await send(mover, 'sessions', session('S-1', plate));
  await send(mover, 'subscriptions', subscription('R-1', [plate]));
  return { ...mover, plate };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** It lives in one database, wherever somebody asks first, with all that is of it, and takes writes. */
async function expectToLiveIn(name: DatabaseName, { code, headers, plate }: Begun, when: string) {
  await completeArrivals({ ...env, ...SEVERAL });
  for (const hint of NAMES) {
    const { status, body } = await check(hintedAt(hint, code), headers, { plate, municipality_code: code });
    const counts = [status, body.sessions_count, body.subscriptions_count];
    expect(counts, `${when}, asked ${hint} first`).toEqual([200, 1, 1]);
  }
  const places = (await placesOf(plate)).filter((place) => !place.includes('calls'));
  expect(new Set(places.map((place) => place.split(' ')[0])), when).toEqual(new Set([name]));
  const taken = await send({ service, code, headers }, 'sessions', session('S-1', plate));
  expect([taken.status, taken.body.rejected], when).toEqual([200, 0]);
}

/** Moves it on, once it has been called off: to the same database and to another one in turn. */
async function moveOn(mover: Begun, number: number, when: string) {
  const next = number % 2 === 1 ? TO : 'DB';
  await moveWhole(service, mover.code, next);
  await expectToLiveIn(next, mover, `${when}, then moved to ${next}`);
}

/** The time of the stop goes by. */
const resume = ({ code }: Mover) =>
  SEVERAL[FROM].prepare(`update municipalities set writes_stopped_until = 1 where code = '${code}'`).run();

const errorOf = ({ status, body }: Answer): unknown => [
  status,
  (body.error as { code: string } | null)?.code,
];

describe('A move that is called off', () => {
  it('has changed nothing, at whichever of its changes it was cut off', async () => {
    let at = 1;
    for (let isStopped = false; !isStopped; at += shortOrThorough(6, 1)) {
      const mover = await begin(`CUT${at}`);
      const when = `cut off at change ${at}`;
      await moveOf(refusing(change(at)), mover.code, TO);
      const answer = await callOffOf(service, mover.code);
      isStopped = answer.status === 409;
      if (at === 1) expect(errorOf(answer), 'it has not begun').toEqual([404, 'NOT_FOUND']);
      else if (!isStopped) {
        await callOffWhole(service, mover.code);
        await expectToLiveIn(FROM, mover, when);
        await moveOn(mover, at, when);
      }
    }
    expect(at).toBeGreaterThan(8);
  });

  it('stays so for an hour, and then has never been', async () => {
    const mover = await begin('HOUR');
    expect(errorOf(await callOffOf(service, 'NONE'))).toEqual([404, 'NOT_FOUND']);
    expect(errorOf(await callOffOf(service, mover.code))).toEqual([404, 'NOT_FOUND']);
    await moveOf(refusing(sends('stopWrites')), mover.code, TO);
    await callOffWhole(service, mover.code);
    const age = (minutes: number) =>
      env.SECOND.prepare(
        `update moves set ended_at = ended_at - ? where municipality_id = ${idOf(mover.code)}`,
      )
        .bind(minutes * 60_000)
        .run();
    await age(59);
    expect((await callOffOf(service, mover.code)).body).toMatchObject({ state: 'called_off' });
    await age(1);
    expect(errorOf(await callOffOf(service, mover.code))).toEqual([404, 'NOT_FOUND']);
    expect(errorOf(await moveOf(service, mover.code, FROM))).toEqual([422, 'INVALID_REQUEST']);
  });

  it('is deleted in parts, and meanwhile no move of the city begins', async () => {
    const mover = await begin('PARTS');
    await moveOf(refusing(sends('stopWrites')), mover.code, TO);
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 3_000;
      return now;
    });
    const first = await callOffOf(service, mover.code);
    clock.mockRestore();
    expect(first.body).toMatchObject({ state: 'calling_off' });
    for (const to of [TO, 'DB', FROM]) {
      expect(errorOf(await moveOf(service, mover.code, to)), to).toEqual([409, 'MOVE_IN_PROGRESS']);
    }
    await callOffWhole(service, mover.code);
    await expectToLiveIn(FROM, mover, 'called off in parts');
    await moveOn(mover, 1, 'called off in parts');
  });

  it('lets the retention go on', async () => {
    const mover = await begin('KEPT');
    await moveOf(refusing(sends('stopWrites')), mover.code, TO);
    await callOffWhole(service, mover.code);
    const waiting = await Promise.all(
      NAMES.map((name) =>
        SEVERAL[name]
          .prepare(`select 1 from moves where municipality_id = ${idOf(mover.code)} and ended_at is null`)
          .first(),
      ),
    );
    expect(waiting).toEqual([null, null, null]);
  });
});

describe('A move whose switch has begun', () => {
  it('cannot be called off until the stop of the writes is over', async () => {
    const mover = await begin('STOPPED');
    await moveOf(refusing(sends('pointOn')), mover.code, TO);
    expect(errorOf(await callOffOf(service, mover.code))).toEqual([409, 'MOVE_IN_PROGRESS']);
    await resume(mover);
    await callOffWhole(service, mover.code);
    await expectToLiveIn(FROM, mover, 'called off behind the stop');
    await moveOn(mover, 1, 'called off behind the stop');
  });

  it.each(
    someOf(['completeArrival', 'renewPointer', 'keepCleaning', 'cleanUp', 'endMove', 'keepDone'] as const, 3),
  )('and was cut off at %s cannot be called off: it is finished, and then there is none', async (cut) => {
    const mover = await begin(`LATE${cut}`);
    await moveOf(refusing(sends(cut)), mover.code, TO);
    expect(errorOf(await callOffOf(service, mover.code))).toEqual([409, 'MOVE_IN_PROGRESS']);
    await moveWhole(service, mover.code, TO);
    expect(errorOf(await callOffOf(service, mover.code))).toEqual([404, 'NOT_FOUND']);
    await expectToLiveIn(TO, mover, `cut off at ${cut}`);
  });
});

describe('A move that is called off while a call of it is under way', () => {
  it('changes nothing any more, whichever of its changes is held back', async () => {
    let at = shortOrThorough(2, 1);
    for (let isStopped = false; !isStopped; at += shortOrThorough(5, 1)) {
      const mover = await begin(`RACE${at}`);
      const held = holding(change(at));
      const moving = moveOf(held.service, mover.code, TO);
      const trip = await held.reached;
      const when = `held back before change ${at}`;
      const answer = await callOffOf(service, mover.code);
      // Behind the stop, the move is to be finished.
      isStopped = answer.status === 409;
      if (sends('beginLeaving')(trip)) expect(errorOf(answer), when).toEqual([404, 'NOT_FOUND']);
      else if (!isStopped) await callOffWhole(service, mover.code);
      held.release();
      const late = await moving;
      if (answer.status === 200) {
        expect(errorOf(late), when).toEqual([409, 'MOVE_IN_PROGRESS']);
        await expectToLiveIn(FROM, mover, when);
        await moveOn(mover, at, when);
      } else {
        await moveWhole(service, mover.code, TO);
        await expectToLiveIn(TO, mover, when);
      }
    }
    expect(at).toBeGreaterThan(8);
  });

  it('is not called off late: a call that is held back leaves a later move alone', async () => {
    for (let at = 1, isAtEnd = false; !isAtEnd; at += shortOrThorough(4, 1)) {
      const mover = await begin(`OFF${at}`);
      await moveOf(refusing(sends('stopWrites')), mover.code, TO);
      const held = holding(change(at));
      const calling = callOffOf(held.service, mover.code);
      isAtEnd = await Promise.race([held.reached.then(() => false), calling.then(() => true)]);
      await callOffWhole(service, mover.code);
      await moveOf(refusing(sends('stopWrites')), mover.code, TO);
      held.release();
      const when = `held back before change ${at}`;
      expect([200, 409], when).toContain((await calling).status);
      await moveWhole(service, mover.code, TO);
      await expectToLiveIn(TO, mover, when);
    }
  });
});

describe('A call that calls a move off', () => {
  it.each(['refused', 'answer lost'] as const)(
    'may be cut off at whichever of its round trips (%s), and goes on',
    async (fault) => {
      for (let at = 1, isAtEnd = false; !isAtEnd; at += shortOrThorough(6, 1)) {
        const mover = await begin(`${fault.slice(0, 3)}${at}`);
        await moveOf(refusing(sends('stopWrites')), mover.code, TO);
        isAtEnd = true;
        const killed = serviceAround(async (run, { number }) => {
          if (number !== at) return run();
          isAtEnd = false;
          if (fault === 'answer lost') await run();
          throw new Error('D1_ERROR: the step was killed');
        });
        await callOffOf(killed, mover.code);
        await callOffWhole(service, mover.code);
        const when = `${fault} at round trip ${at}`;
        await completeArrivals({ ...env, ...SEVERAL });
        const { body } = await check(service, mover.headers, { plate: mover.plate });
        expect(body.sessions_count, when).toBe(1);
        // A copy whose database was away for a round trip is left to the cron.
        for (let runs = 0; runs < 3; runs += 1) await deleteLeftCopies({ ...env, ...SEVERAL });
        await moveOn(mover, at, when);
      }
    },
  );
});

describe('A move whose target', () => {
  const unbound = new Service({ DB: SEVERAL.DB, DB_2: SEVERAL.DB_2, SNAPSHOTS: noSnapshots() });

  /** A service in which each write to the target fails. */
  const failing = (message: string, isIt: IsTrip = () => true) =>
    serviceAround((run, trip) => {
      if (trip.database !== TO || !isIt(trip)) return run();
      throw new Error(message);
    });

  it('is not bound any more names it, can be called off, and its copy disturbs nobody', async () => {
    const mover = await begin('UNBOUND');
    await send(mover, 'sessions', session('S-2', 'GONE'));
    await moveOf(refusing(sends('stopWrites')), mover.code, TO);
    const refused = await moveOf(unbound, mover.code, TO);
    expect(refused.body.error).toMatchObject({ details: { issues: [{ path: 'to' }] } });
    expect((await callOffOf(unbound, mover.code)).body).toMatchObject({ state: 'called_off' });
    // Bound again.
    await completeArrivals({ ...env, ...SEVERAL });
    for (const hint of NAMES) {
      const asked = { plate: mover.plate, municipality_code: mover.code };
      const { body } = await check(hintedAt(hint, mover.code), mover.headers, asked);
      expect([body.sessions_count, body.subscriptions_count], hint).toEqual([1, 1]);
    }
    expect(await placesOf('GONE')).toContain(`${TO} parking_sessions.plate`);
    await eraseAll(service, 'GONE');
    expect(await placesOf('GONE')).toEqual([]);
    await moveWhole(service, mover.code, TO);
    await expectToLiveIn(TO, mover, 'bound again, and moved there');
  });

  it('is full names it, says nothing else of us, and can be called off', async () => {
    const mover = await begin('FULL');
    const full = failing('D1_ERROR: Exceeded maximum DB size: SQLITE_FULL');
    const { status, body } = await moveOf(full, mover.code, TO);
    expect([status, body.error]).toMatchObject([
      422,
      { details: { issues: [{ path: 'to', message: expect.stringContaining(`database ${TO} is full`) }] } },
    ]);
    expect(JSON.stringify(body)).not.toContain('D1_ERROR');
    expect((await callOffOf(full, mover.code)).body).toMatchObject({ state: 'called_off' });
    await moveOn(mover, 2, 'called off while the target was full');
  });

  it('is away is named in the log, and it can be called off', async () => {
    const mover = await begin('AWAY');
    await moveOf(refusing(sends('stopWrites')), mover.code, TO);
    const away = failing('D1_ERROR: Network connection lost');
    const errors = vi.spyOn(console, 'error').mockClear();
    const { status, body } = await moveOf(away, mover.code, TO);
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    const named = errors.mock.calls.filter(([line]) => /"move_target_failed".*"DB_3"/.test(String(line)));
    expect(named).toHaveLength(1);
    expect((await callOffOf(away, mover.code)).body).toMatchObject({ state: 'called_off' });
    await moveOn(mover, 1, 'called off while the target was away');
  });
});
