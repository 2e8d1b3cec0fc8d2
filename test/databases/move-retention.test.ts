import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { anonymizeBefore } from '../../src/retention/anonymization-table.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { countedBindings } from '../support/doubles.ts';
import type { Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { beginMoving, idOf, type Mover, placesOf, send, session, settle } from './movers.ts';
import { moveOf, moveWhole } from './nation.ts';
import { type IsTrip, refusing, sends } from './round-trips.ts';

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

/** The journal is read on, behind the thousand rows with the first one of a plate. */
async function readsBehind(plate: string): Promise<IsTrip> {
  const first = await env.SECOND.prepare('select min(sequence) as first from journal where plate = ?')
    .bind(plate)
    .first<number>('first');
  const ranges = Math.ceil(Number(first) / 1_000);
  let read = 0;
  return ({ sql }) => {
    read += sql.includes('json_array(j.') ? 1 : 0;
    return read > ranges;
  };
}

/** Others' changes, which the journal tells of in between. */
const fillJournal = ({ code }: Mover) =>
  env.SECOND.prepare(
    `with recursive c (n) as (select 1 union all select n + 1 from c where n < 1500)
     insert into journal (municipality_id, kind, recorded_at, source_code, key)
     select ${idOf(code)}, 'parking_session', ${Date.now()}, 'app1', 'none' from c`,
  ).run();

describe('The retention', () => {
  /** A session that had another plate first: of its rows in the journal, the first has been copied. */
  async function copyHalf(code: string): Promise<Mover> {
    const mover = await settle(service, code, 'DB_2');
    const neighbour = await settle(service, `${code}-NEXT`, 'DB_2');
    await send(mover, 'sessions', session('S-1', `${code}1`));
    await fillJournal(neighbour);
    await send(mover, 'sessions', session('S-1', `${code}2`));
    await send(neighbour, 'sessions', session('S-2', `${code}3`));
    await cutOff(await readsBehind(`${code}1`), mover);
    expect(await placesOf(`${code}1`)).toContain('DB_3 journal.plate');
    expect(await placesOf(`${code}2`)).not.toContain('DB_3 journal.plate');
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

describe('Anonymization', () => {
  const DAYS = { ANONYMIZE_SESSIONS_AFTER_DAYS: '30' };

  it('waits for a move a day at most, and then the copy has no plate either', async () => {
    const mover = await settle(service, 'NAMELESS', 'DB_2');
    const neighbour = await settle(service, 'NAMELESS-NEXT', 'DB_2');
    await send(mover, 'sessions', session('S-1', 'NAMED1'));
    await send(neighbour, 'sessions', session('S-2', 'NAMED2'));
    await cutOff(sends('stopWrites'), mover);
    await retain(60, DAYS);
    expect(await placesOf('NAMED1')).toContain('DB_2 parking_sessions.plate');
    expect(await placesOf('NAMED2')).toEqual([]);
    await waitADay(mover);
    await retain(60, DAYS);
    expect((await placesOf('NAMED1')).filter((place) => place.startsWith('DB_2'))).toEqual([]);
    await moveWhole(service, mover.code, 'DB_3');
    expect(await placesOf('NAMED1')).toEqual([]);
  });

  it('does not look again where a municipality goes at what it has looked at where that was', async () => {
    const mover = await settle(service, 'MANY', 'DB_2');
    const before = instant(Date.now() + 30 * DAY_MS);
    const read = async () => {
      const { cost, bindings } = countedBindings({ DB_3: env.THIRD });
      await anonymizeBefore(bindings.DB_3, before, instant(Date.now() + 60 * DAY_MS), 250);
      return cost.rowsRead;
    };
    const nothing = await read();
    for (let index = 0; index < 40; index += 1) {
      await send(mover, 'sessions', session(`S-${index}`, `MANY${index}`));
    }
    await retain(60, DAYS);
    await moveWhole(service, mover.code, 'DB_3');
    expect((await read()) - nothing).toBeLessThan(20);
  });
});
