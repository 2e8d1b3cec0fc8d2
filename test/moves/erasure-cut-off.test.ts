import { beforeAll, describe, expect, it } from 'vitest';
import { eraseAll } from '../admin/plates-support.ts';
import { check, moveOf } from '../databases/nation.ts';
import { shortOrThorough } from '../support/run-form.ts';
import type { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { beginMoving, moveThere, send, session, settle, subscription } from './movers.ts';
import { change, NAMES, serviceAround, type Trip } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

/** Rows of all databases that have a plate. */
async function held(plate: string): Promise<number> {
  let rows = 0;
  for (const name of NAMES) {
    const count = await SEVERAL[name]
      .prepare(
        `select count(*) as n from (select plate from parking_sessions union all select plate from past_parking_sessions
           union all select plate from subscription_plates union all select plate from past_subscription_plates)
         where plate = ?1`,
      )
      .bind(plate)
      .first<number>('n');
    rows += Number(count);
  }
  return rows;
}

/** Changes of a move before it stops the writes, by their numbers: an erasure has to wait for that. */
const BEFORE_THE_STOP = [
  [6, 'the sessions are stored'],
  [7, 'the writes are stopped'],
] as const;

/** A service that does something before one of its changes, and of which one of the later ones is refused. */
function interrupted(at: number, work: () => Promise<unknown>, isRefused: (trip: Trip) => boolean) {
  const isIt = change(at);
  let isBehind = false;
  return serviceAround(async (run, trip) => {
    if (isBehind && isRefused(trip)) throw new Error('D1_ERROR: the step was killed');
    if (!isBehind && isIt(trip)) {
      isBehind = true;
      await work();
    }
    return run();
  });
}

/** @returns whether the call came as far as to be cut off */
async function eraseAndCut(at: number, cut: number): Promise<boolean> {
  const mover = await settle(service, `C-${at}-${cut}`, 'DB_2');
  const plate = `GONE${at}X${cut}`;
  await send(mover, 'sessions', session('S-1', plate));
  await send(mover, 'subscriptions', subscription('R-1', [plate]));
  const killed = interrupted(at, () => eraseAll(service, plate), change(cut));
  const { status } = await moveOf(killed, mover.code, 'DB_3');
  const when = `cut off at change ${cut} behind the erasure`;
  await moveThere(service, mover.code, 'DB_3');
  expect(await held(plate), when).toBe(0);
  // The source sends it once more.
  expect((await send(mover, 'sessions', session('S-1', plate))).status, when).toBe(200);
  const { body } = await check(service, mover.headers, { plate });
  expect([body.sessions_count, body.subscriptions_count], when).toEqual([0, 0]);
  return status === 500;
}

describe('What is erased while a step of a move is on its way', () => {
  it.each(BEFORE_THE_STOP)(
    'stays erased (before change %i: %s), though the call is cut off at whichever change behind that',
    async (at) => {
      let cut = shortOrThorough(at - 3, 1);
      while (await eraseAndCut(at, cut)) cut += shortOrThorough(17, 1);
      expect(cut).toBeGreaterThan(20);
    },
    60_000,
  );
});
