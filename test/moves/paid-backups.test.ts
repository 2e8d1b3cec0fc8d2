import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { eraseAll } from '../admin/plates-support.ts';
import { credentialFor, moveWhole, options, putDocument } from '../databases/nation.ts';
import { aPayment, aTitle, PAYMENTS, REVERSE } from '../payments/support.ts';
import type { Service } from '../support/service.ts';
import { backUpInSteps, iso, restoreWhole, serviceWithout } from './backups.ts';
import { beginMoving, type Mover, placesOf, send, settle } from './movers.ts';

let service: Service;
let lost: Service;
let cities = 0;
let mover: Mover;
let collector: Record<string, string>;

beforeAll(async () => {
  service = await beginMoving();
  lost = serviceWithout('DB_2');
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  mover = await settle(service, `PAID${cities}`, 'DB_2');
  collector = await credentialFor(service, [mover.code], { scopes: ['subscription_payments'] });
});

const pay = async (payment_id: string, plate: string, collectedAt: number, result = 'PERIOD_CREATED') => {
  const sent = aPayment({ payment_id, plate, collected_at: iso(collectedAt) });
  const { status, body } = await service.post(PAYMENTS, sent, collector);
  expect([status, body.result_code], JSON.stringify(body)).toEqual([200, result]);
};

it('A plan that was offered before the city moved counts as it was configured then', async () => {
  await send(mover, 'subscriptions', aTitle('R-1', 'AA000AA'));
  const meter = await credentialFor(service, [mover.code], { scopes: ['subscription_options'] });
  const offered = await options(service, meter, { plate: 'AA000AA' });
  expect(offered.body.tariffe).toHaveLength(1);
  await scheduler.wait(5);
  const plans = [{ codice_tariffa: '101', importo_eurocent: 9_900 }];
  await putDocument(service, { municipalities: [{ code: mover.code, plans }] });
  await moveWhole(service, mover.code, 'DB_3');
  const sold = {
    collected_at: iso(Date.now()),
    plate: 'AA000AA',
    options_request_id: offered.headers.get('X-Request-Id'),
  };
  const { body } = await service.post(PAYMENTS, aPayment(sold), collector);
  expect(body).toMatchObject({ result_code: 'PERIOD_CREATED', expected_eurocent: 2_500 });
});

describe('A backup of a city with payments', () => {
  it('knows that a period was paid, though the subscription changes while it is made', async () => {
    const now = Date.now();
    const titles = [aTitle('R-1', 'AA000AA'), aTitle('R-2', 'AA000AB')];
    for (const title of titles) expect((await send(mover, 'subscriptions', title)).body.rejected).toBe(0);
    await pay('P-1', 'AA000AA', now - 20 * MINUTE_MS);
    await pay('P-2', 'AA000AB', now - 20 * MINUTE_MS);
    const parts = await backUpInSteps(service, mover.code, async (part) => {
      if (part !== 1) return;
      await send(mover, 'subscriptions', aTitle('R-1', 'AA000AA', { approval: 'pending' }));
      await pay('P-3', 'AA000AB', now);
    });
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    const periods = await env.THIRD.prepare(
      `select p.paid_by from subscription_periods as p join subscriptions as s on s.id = p.subscription_id
       where s.municipality_id = (select id from municipalities where code = ?) order by 1`,
    )
      .bind(mover.code)
      .all();
    expect(periods.results).toEqual([{ paid_by: 'P-1' }, { paid_by: 'P-2' }]);
    const restored = { ...mover, service: lost };
    for (const title of titles) {
      expect(
        (await send(restored, 'subscriptions', title)).body,
        'the line has no paid period',
      ).toMatchObject({
        unchanged: 1,
      });
    }
    const reversal = { payment_id: 'P-1', reversed_at: iso(now) };
    expect((await lost.post(REVERSE, reversal, collector)).body.result_code).toBe('PAYMENT_REVERSED');
  });

  it('does not bring back an erased plate that only a payment has', async () => {
    const plate = 'ER453PA';
    await pay(`${plate}/1`, plate, Date.now(), 'SUBSCRIPTION_NOT_FOUND');
    const parts = await backUpInSteps(service, mover.code);
    expect(parts.join('')).toContain(plate);
    await eraseAll(service, plate);
    await restoreWhole(lost, mover.code, parts, 'DB_3');
    expect((await placesOf(plate)).filter((place) => place.startsWith('DB_3 '))).toEqual([]);
    expect(
      await env.THIRD.prepare('select count(*) as rows from payments where plate like ?')
        .bind('*%')
        .first('rows'),
    ).toBe(1);
  });
});
