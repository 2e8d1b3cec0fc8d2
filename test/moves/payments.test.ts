import { beforeAll, describe, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { credentialFor, moveWhole } from '../databases/nation.ts';
import { CHECK, OPTIONS, PAYMENTS, REVERSE, SEARCH } from '../payments/support.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';
import { backUpInSteps, iso, restoreWhole, serviceWithout } from './backups.ts';
import { beginMoving, type Mover, moveThere, placesOf, send, settle, subscription } from './movers.ts';
import { holding, sends } from './round-trips.ts';

let service: Service;
beforeAll(async () => {
  service = await beginMoving();
  return () => vi.restoreAllMocks();
});

const SCOPES = ['plate_check', 'subscription_options', 'subscription_payments', 'import', 'evidence'];
const NOW = Date.now();

/** A city with two titles that wait for their first payment. */
async function sellingCity(code: string): Promise<Mover> {
  const mover = await settle(service, code, 'DB_2');
  const headers = await credentialFor(service, [code], { scopes: SCOPES });
  const selling = { ...mover, headers };
  for (const [number, plate] of [
    ['R-1', 'AA000AA'],
    ['R-2', 'BB111BB'],
  ] as const) {
    await send(selling, 'subscriptions', subscription(number, [plate], { periods: [] }));
  }
  return selling;
}

const post = ({ headers, code }: Mover, path: string, body: object, to: Service = service): Promise<Answer> =>
  to.post(path, { ...body, municipality_code: code }, headers);

const aPayment = (payment_id: string, plate: string, changed: object = {}) => ({
  ...{ payment_id, plate, codice_tariffa: '101', importo_eurocent: 2_500, collected_at: iso(NOW) },
  ...changed,
});

/** One of each state, but settled: the office is asked for that. */
async function payAll(mover: Mover): Promise<void> {
  await post(mover, PAYMENTS, aPayment('P-1', 'AA000AA'));
  await post(mover, PAYMENTS, aPayment('P-2', 'BB111BB'));
  await post(mover, PAYMENTS, aPayment('P-3', 'NEVER'));
  await post(mover, PAYMENTS, aPayment('P-4', 'AA000AA', { importo_eurocent: 1 }));
  await post(mover, REVERSE, { payment_id: 'P-2', reversed_at: iso(NOW + 1) });
  const settled = await service.post(
    '/api/v2/admin/payments/settle',
    { municipality_code: mover.code, payment_id: 'P-4', outcome: 'refunded', note: 'cash' },
    ADMIN,
  );
  expect(settled.status, JSON.stringify(settled.body)).toBe(200);
}

/** All that is answered of the payments of a city, and of what they have made. */
async function answersOf(mover: Mover, asked: Service): Promise<unknown> {
  const at = iso(NOW + HOUR_MS);
  const bodies = await Promise.all([
    post(mover, SEARCH, { from: iso(NOW - HOUR_MS), until: at }, asked),
    post(mover, PAYMENTS, aPayment('P-1', 'AA000AA'), asked),
    post(mover, PAYMENTS, aPayment('P-3', 'NEVER'), asked),
    post(mover, REVERSE, { payment_id: 'P-2', reversed_at: iso(NOW + 1) }, asked),
    post(mover, OPTIONS, { plate: 'AA000AA' }, asked),
    ...['AA000AA', 'BB111BB'].map((plate) => post(mover, CHECK, { plate, checked_at: at }, asked)),
  ]);
  return bodies.map(({ status, body: { request_id: _, checked_at: __, generated_at: ___, ...body } }) => [
    status,
    body,
  ]);
}

const STATES = ['accepted', 'reversed', 'unsettled', 'settled'];
async function statesOf(mover: Mover, asked: Service = service): Promise<unknown> {
  const { body } = await post(mover, SEARCH, { from: iso(NOW - HOUR_MS), until: iso(NOW + HOUR_MS) }, asked);
  return (body.payments as { state: string }[]).map(({ state }) => state);
}

describe('Payments', () => {
  it('move with their municipality, there and back', async () => {
    const mover = await sellingCity('PAYS');
    await payAll(mover);
    expect(await statesOf(mover)).toEqual(STATES);
    const before = await answersOf(mover, service);
    await moveThere(service, mover.code, 'DB_3');
    expect(await answersOf(mover, service)).toEqual(before);
    // What was paid there goes on: the same title, and another.
    const later = { collected_at: iso(NOW + 1) };
    const { body } = await post(mover, PAYMENTS, aPayment('P-5', 'BB111BB', later));
    expect(body).toMatchObject({ result_code: 'PERIOD_CREATED', subscription_number: 'R-2' });
    const reversed = await post(mover, REVERSE, { payment_id: 'P-1', reversed_at: iso(NOW + 2) });
    expect(reversed.body).toMatchObject({ result_code: 'PAYMENT_REVERSED' });
    await moveThere(service, mover.code, 'DB_2');
    expect(await statesOf(mover)).toEqual(['reversed', 'reversed', 'unsettled', 'settled', 'accepted']);
    const left = (await placesOf('NEVER')).filter((place) => !/ calls\b| logged_calls/.test(place));
    expect(left.every((place) => place.startsWith('DB_2 '))).toBe(true);
  });

  it('are backed up and restored with their municipality', async () => {
    const mover = await sellingCity('SAVED');
    await payAll(mover);
    const before = await answersOf(mover, service);
    const parts = await backUpInSteps(service, mover.code);
    // One that comes after its backup is not in it: it is sent again.
    const late = aPayment('P-9', 'BB111BB', { collected_at: iso(NOW + 1) });
    await post(mover, PAYMENTS, late);
    const lost = serviceWithout('DB_2');
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    expect(await answersOf(mover, lost)).toEqual(before);
    const again = await post(mover, PAYMENTS, late, lost);
    expect(again.body).toMatchObject({ result_code: 'PERIOD_CREATED', already_recorded: false });
  });

  it('are refused while the writes of their municipality are stopped, and are recorded once when sent again', async () => {
    const mover = await sellingCity('STOPS');
    await post(mover, PAYMENTS, aPayment('P-1', 'AA000AA'));
    const held = holding(sends('pointOn'));
    const moving = moveWhole(held.service, mover.code, 'DB_3');
    await held.reached;
    const paid = aPayment('P-2', 'BB111BB');
    const refused = [
      await post(mover, PAYMENTS, paid),
      await post(mover, REVERSE, { payment_id: 'P-1', reversed_at: iso(NOW + 1) }),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, (body.error as { code: string }).code]).toEqual([503, 'MUNICIPALITY_MOVING']);
      expect(headers.get('Retry-After')).not.toBeNull();
    }
    // What only asks is answered.
    expect((await post(mover, PAYMENTS, aPayment('P-1', 'AA000AA'))).body).toMatchObject({
      accepted: true,
      already_recorded: true,
    });
    expect(await statesOf(mover)).toEqual(['accepted']);
    held.release();
    await moving;
    expect((await post(mover, PAYMENTS, paid)).body).toMatchObject({
      result_code: 'PERIOD_CREATED',
      already_recorded: false,
    });
    expect((await post(mover, PAYMENTS, paid)).body).toMatchObject({ already_recorded: true });
    expect(await statesOf(mover)).toEqual(['accepted', 'accepted']);
  });
});
