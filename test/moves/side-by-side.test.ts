import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { check, moveOf } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';
import { beginMoving, idOf, type Mover, moveThere, send, session, settle } from './movers.ts';
import { change, holding, type IsTrip, type Kind, sends } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

const checkOf = async ({ headers, code }: Mover, plate: string) =>
  (await check(service, headers, { plate, municipality_code: code })).body;
const sessionsOf = async (mover: Mover, plate: string): Promise<unknown> =>
  (await checkOf(mover, plate)).sessions_count;

/** The time of the stop goes by. */
const resume = (name: DatabaseName, { code }: Mover) =>
  SEVERAL[name].prepare(`update municipalities set writes_stopped_until = 1 where id = ${idOf(code)}`).run();

/** The first such statement behind the stop of the writes. */
function behindStop(kind: Kind): IsTrip {
  let isStopped = false;
  return (trip) => {
    isStopped ||= sends('stopWrites')(trip);
    return isStopped && sends(kind)(trip);
  };
}

describe('Two calls of one move', () => {
  /**
   * The first is held back until its stop is over; then the second goes on, meets a write right before its own stop, and is
   * held back in its turn, while the first comes to its end.
   *
   * @returns whether the second came so far
   */
  async function overlap(mover: Mover, isLate: IsTrip, at: number): Promise<boolean> {
    const [from, to] = at % 2 === 1 ? (['DB_2', 'DB_3'] as const) : (['DB_3', 'DB_2'] as const);
    const [plate, cancelled] = [`LATE${at}`, `CANCELLED${at}`];
    let isBegun = false;
    const first = holding(isLate, async (trip) => {
      if (isBegun || !sends('stopWrites')(trip)) return;
      isBegun = true;
      expect((await send(mover, 'sessions', session(`C-${at}`, cancelled))).status).toBe(200);
    });
    const firstCall = moveOf(first.service, mover.code, to);
    await first.reached;
    await resume(from, mover);
    const when = `at change ${at} of the second`;
    let isSent = false;
    let written = 0;
    let isCancelled = false;
    const expectAll = async () => {
      expect(await sessionsOf(mover, plate), when).toBe(written);
      expect((await checkOf(mover, cancelled)).valid_sessions_count, when).toBe(isCancelled ? 0 : 1);
    };
    const second = holding(change(at), async (trip) => {
      if (isSent || !sends('stopWrites')(trip)) return;
      isSent = true;
      // Where the first has stopped the writes meanwhile, it is to come again.
      const { status } = await send(mover, 'sessions', session(`S-${at}`, plate));
      expect([200, 503], when).toContain(status);
      written = status === 200 ? 1 : 0;
      const line = session(`C-${at}`, cancelled, { cancelled_at: new Date().toISOString() });
      isCancelled = (await send(mover, 'sessions', line)).status === 200;
    });
    const secondCall = moveOf(second.service, mover.code, to);
    const isHeld = await Promise.race([second.reached.then(() => true), secondCall.then(() => false)]);
    first.release();
    expect((await firstCall).status, when).toBe(200);
    await expectAll();
    second.release();
    expect((await secondCall).status, when).toBe(200);
    await expectAll();
    await moveThere(service, mover.code, to);
    await expectAll();
    return isHeld;
  }

  it.each([
    ['last rows', 8, () => behindStop('store')],
    ['stop', 2, () => sends('stopWrites')],
    ['row of the municipality', 3, () => sends('copyRow')],
    ['pointer', 4, () => sends('pointOn')],
  ] as const)(
    'lose no write that came between their stops, though the %s of one is late, whatever the other has done until then',
    async (name, first, isLate) => {
      let at: number = shortOrThorough(first, 1);
      // It goes to and fro: at the even changes it begins in the other database.
      const mover = await settle(service, name.replaceAll(' ', '-'), at % 2 === 1 ? 'DB_2' : 'DB_3');
      while (await overlap(mover, isLate(), at)) at += shortOrThorough(9, 1);
      expect(at).toBeGreaterThan(10);
    },
  );
});

describe('Several calls of one move at once', () => {
  it('copy each row once, and leave nothing of the move behind', async () => {
    const mover = await settle(service, 'MANY', 'DB_2');
    const plates = Array.from({ length: 30 }, (_, index) => `MANY${index}`);
    for (const plate of plates) await send(mover, 'sessions', session(plate, plate));
    const isolate = () => new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
    const answers = await Promise.all(plates.slice(0, 4).map(() => moveOf(isolate(), mover.code, 'DB_3')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await moveThere(service, mover.code, 'DB_3');
    const stored = await env.THIRD.prepare(
      `select session_id from parking_sessions where municipality_id = ${idOf(mover.code)} order by recorded_at`,
    ).raw();
    expect(stored.flat()).toEqual(plates);
    for (const name of ['DB_2', 'DB_3'] as const) {
      const left = await SEVERAL[name]
        .prepare(`select * from moves where municipality_id = ${idOf(mover.code)} and ended_at is null`)
        .all();
      expect(left.results).toEqual([]);
    }
    for (const plate of plates) expect(await sessionsOf(mover, plate)).toBe(1);
  });
});
