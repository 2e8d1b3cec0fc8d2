import { beforeAll, describe, expect, it } from 'vitest';
import { check, city, moveOf, moveWhole, putDocument } from '../databases/nation.ts';
import { EVIDENCE } from '../evidence/support.ts';
import type { Service } from '../support/service.ts';
import { beginMoving, type Mover, send, session, settle, subscription } from './movers.ts';
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
const readsSubscriptions: IsTrip = ({ sql }) => sql.includes('indexed by "subscriptions_by_recording"');

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

describe('A configuration that takes several rows', () => {
  it('is known as it was then, also where the municipality has gone', async () => {
    const large = city({ code: 'LARGE', name: 'LARGE', database: 'DB_2' });
    const codes = Array.from({ length: 400 }, (_, index) => `X${String(index).padStart(4, '0')}`);
    const areas = codes.map((code) => ({ code, name: 'Any', area_type: 'street' }));
    await putDocument(service, { municipalities: [{ ...large, areas: [...large.areas, ...areas] }] });
    const mover = await settle(service, 'LARGE', 'DB_2');
    const asked = { plate: 'ANY', area_code: 'X0399', at: new Date().toISOString() };
    const ask = async () => {
      const { status, body } = await service.post(EVIDENCE, asked, mover.headers);
      return [status, body.as_known_then];
    };
    const before = await ask();
    await moveUpTo(readsSubscriptions, mover);
    await moveWhole(service, mover.code, 'DB_3');
    expect(await ask()).toEqual(before);
    expect(before[0]).toBe(200);
  });
});
