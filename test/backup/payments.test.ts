import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { aPayment, aTitle, PAYMENTS, REVERSE, SETTLE } from '../payments/support.ts';
import { ADMIN } from '../support/service.ts';
import { backUpInSteps, restoreOf, restoreWhole } from './backups.ts';
import { beginCells, type City, credentialFor, HERE, idOf, iso, send, settle, THERE } from './cells.ts';

let cities = 0;
let city: City;
let collector: Record<string, string>;

beforeAll(async () => {
  await beginCells();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  city = await settle(`PAID${cities}`);
  collector = await credentialFor(HERE, city.code, { scopes: ['subscription_payments'] });
});

const pay = async (payment_id: string, plate: string, collectedAt: number, result = 'PERIOD_CREATED') => {
  const sent = aPayment({ payment_id, plate, collected_at: iso(collectedAt) });
  const { status, body } = await HERE.post(PAYMENTS, sent, collector);
  expect([status, body.result_code], JSON.stringify(body)).toEqual([200, result]);
};

describe('A backup of a city with payments', () => {
  it('knows that a period was paid, though the subscription changes while it is made', async () => {
    const now = Date.now();
    const titles = [aTitle('R-1', 'AA000AA'), aTitle('R-2', 'AA000AB')];
    for (const title of titles) expect((await send(city, 'subscriptions', title)).body.rejected).toBe(0);
    await pay('P-1', 'AA000AA', now - 20 * MINUTE_MS);
    await pay('P-2', 'AA000AB', now - 20 * MINUTE_MS);
    const parts = await backUpInSteps(city.code, async (part) => {
      if (part !== 1) return;
      await send(city, 'subscriptions', aTitle('R-1', 'AA000AA', { approval: 'pending' }));
      await pay('P-3', 'AA000AB', now);
    });
    await restoreWhole(city.code, parts);
    const periods = await env.OTHER_CELL.prepare(
      `select p.payment_id from payments as p join subscriptions as s on s.id = p.subscription_id
       where s.municipality_id = (select id from municipalities where code = ?) order by 1`,
    )
      .bind(city.code)
      .all();
    expect(periods.results).toEqual([{ payment_id: 'P-1' }, { payment_id: 'P-2' }]);
    const restored = { ...city, service: THERE };
    for (const title of titles) {
      expect(
        (await send(restored, 'subscriptions', title)).body,
        'the line has no paid period',
      ).toMatchObject({
        unchanged: 1,
      });
    }
    const reversal = { payment_id: 'P-1', reversed_at: iso(now) };
    expect((await THERE.post(REVERSE, reversal, collector)).body.result_code).toBe('PAYMENT_REVERSED');
  });

  it('has each payment as it was when the backup began, though it is reversed or settled meanwhile', async () => {
    const now = Date.now();
    await send(city, 'subscriptions', aTitle('R-1', 'AA000AA'));
    await pay('P-1', 'AA000AA', now - 20 * MINUTE_MS);
    await pay('P-2', 'NOBODY', now, 'SUBSCRIPTION_NOT_FOUND');
    const states = async (db: D1Database) => {
      const { results } = await db
        .prepare(
          `select payment_id, reversed_at, reversal_recorded_at, settled_outcome, settled_at from payments
           where municipality_id = ${idOf(city.code)} order by 1`,
        )
        .all();
      return results;
    };
    const before = await states(env.DB);
    const parts = await backUpInSteps(city.code, async (part) => {
      if (part !== 1) return;
      await HERE.post(REVERSE, { payment_id: 'P-1', reversed_at: iso(now) }, collector);
      const settlement = {
        municipality_code: city.code,
        payment_id: 'P-2',
        outcome: 'refunded',
        note: 'paid',
      };
      expect((await HERE.post(SETTLE, settlement, ADMIN)).status).toBe(200);
    });
    expect(await states(env.DB)).not.toEqual(before);
    await restoreWhole(city.code, parts);
    expect(await states(env.OTHER_CELL)).toEqual(before);
  });

  it('does not bring back an erased plate that only a payment has', async () => {
    const plate = 'ER453PA';
    await pay(`${plate}/1`, plate, Date.now(), 'SUBSCRIPTION_NOT_FOUND');
    const parts = await backUpInSteps(city.code);
    expect(parts.join('')).toContain(plate);
    await restoreOf(city.code, parts[0] ?? '');
    await eraseAll(THERE, plate);
    await restoreWhole(city.code, parts);
    expect(
      await env.OTHER_CELL.prepare('select count(*) as rows from payments where plate like ?')
        .bind('*%')
        .first('rows'),
    ).toBe(1);
  });
});
