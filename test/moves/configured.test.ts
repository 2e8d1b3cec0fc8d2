import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { check, city, moveOf, moveWhole, putDocument } from '../databases/nation.ts';
import { EVIDENCE } from '../evidence/support.ts';
import type { Service } from '../support/service.ts';
import { beginMoving, idOf, type Mover, send, session, settle, subscription } from './movers.ts';
import { type IsTrip, refusing, sends } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
});

/** Moves a city part of the way: the first such round trip is refused. */
async function moveUpTo(isIt: IsTrip, { code }: Mover): Promise<void> {
  expect((await moveOf(refusing(isIt), code, 'DB_3')).status).toBe(500);
}

/** The configuration is copied by then. */
const readsSubscriptions: IsTrip = ({ sql }) => sql.includes('"subscriptions"."changed_at" as changedAt');

const NEW_TYPE = { subscription_types: [{ code: 'NEW', name: 'New' }] };
const NEW_AREA = { areas: [{ code: 'NEW', name: 'New', area_type: 'street' }] };

describe.each([
  ['the configuration', readsSubscriptions],
  ['all up to the stop of the writes', sends('stopWrites')],
])('While a municipality moves, behind the copy of %s', (behind, isIt) => {
  const CODE = behind === 'the configuration' ? 'C' : 'W';

  it.each([
    ['subscription', 'type', NEW_TYPE, subscription('R-1', ['NEWS'], { type: 'NEW' })],
    ['subscription', 'area', NEW_AREA, subscription('R-1', ['NEWS'], { areas: ['NEW'] })],
    ['session', 'area', NEW_AREA, session('S-1', 'NEWS', { area_code: 'NEW' })],
  ] as const)('a %s in a new %s goes along', async (kind, what, configured, line) => {
    const city = await settle(service, `${CODE}-${kind}-${what}`, 'DB_2');
    await moveUpTo(isIt, city);
    await putDocument(service, { municipalities: [{ code: city.code, ...configured }] });
    expect((await send(city, `${kind}s`, line)).body).toMatchObject({ created: 1 });
    await moveWhole(service, city.code, 'DB_3');
    const area_code = configured === NEW_AREA ? 'NEW' : 'P1';
    const { body } = await check(service, city.headers, { plate: 'NEWS', area_code });
    expect(body.has_valid_entitlement).toBe(true);
  });

  it('subscriptions without a plate go along, with what they last were', async () => {
    const city = await settle(service, `${CODE}-plateless`, 'DB_2');
    await send(city, 'subscriptions', subscription('R-1', [], { revision: 1 }));
    await moveUpTo(isIt, city);
    const newer = subscription('R-1', [], { revision: 9 });
    const created = subscription('R-2', [], { revision: 9 });
    expect((await send(city, 'subscriptions', newer)).body).toMatchObject({ updated: 1 });
    expect((await send(city, 'subscriptions', created)).body).toMatchObject({ created: 1 });
    await moveWhole(service, city.code, 'DB_3');
    for (const number of ['R-1', 'R-2']) {
      const older = subscription(number, ['OLDER'], { revision: 5 });
      expect((await send(city, 'subscriptions', older)).body).toMatchObject({ unchanged: 1 });
    }
    const { body } = await check(service, city.headers, { plate: 'OLDER' });
    expect(body.has_valid_entitlement).toBe(false);
  });
});

describe('A configuration that takes several rows of the journal', () => {
  /** Others' rows, up to a number. */
  async function fillJournal({ code }: Mover, upTo: number): Promise<void> {
    const { top } = (await env.SECOND.prepare('select max(sequence) as top from journal').first()) ?? {};
    await env.SECOND.prepare(
      `with recursive c (n) as (select ? union all select n + 1 from c where n < ?)
       insert into journal (sequence, municipality_id, kind, recorded_at, source_code, key)
       select n, ${idOf(code)}, 'parking_session', ?, 'app1', 'none' from c`,
    )
      .bind(Number(top) + 1, upTo, Date.now())
      .run();
  }

  it('stays together, though a call ends between its rows and others write where it goes', async () => {
    const neighbour = await settle(service, 'NEXT', 'DB_2');
    const other = await settle(service, 'OTHER', 'DB_3');
    // The journal is read in ranges of a thousand: the first row of the configuration is the last of one.
    await fillJournal(neighbour, 4_999);
    const large = city({ code: 'LARGE', name: 'LARGE', database: 'DB_2' });
    const codes = Array.from({ length: 400 }, (_, index) => `X${String(index).padStart(4, '0')}`);
    const areas = codes.map((code) => ({ code, name: 'Any', area_type: 'street' }));
    await putDocument(service, { municipalities: [{ ...large, areas: [...large.areas, ...areas] }] });
    const mover = await settle(service, 'LARGE', 'DB_2');
    const { results } = await env.SECOND.prepare(
      `select sequence from journal where municipality_id = ${idOf('LARGE')} order by sequence`,
    ).all<{ sequence: number }>();
    expect(results.map(({ sequence }) => sequence)).toEqual([5_000, 5_001, 5_002]);

    const asked = { plate: 'ANY', area_code: 'X0399', at: new Date().toISOString() };
    const ask = async () => {
      const { status, body } = await service.post(EVIDENCE, asked, mover.headers);
      return [status, body.as_known_then];
    };
    const before = await ask();
    let ranges = 0;
    await moveUpTo(({ sql }) => sql.includes('json_array("change".') && ++ranges > 5, mover);
    await send(other, 'sessions', session('S-1', 'OTHER'));
    await moveWhole(service, mover.code, 'DB_3');
    expect(await ask()).toEqual(before);
    expect(before[0]).toBe(200);
  });
});
