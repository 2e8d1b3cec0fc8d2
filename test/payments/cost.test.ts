import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import performancePage from '../../docs/performance.md?raw';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { aPayment, aTitle, iso, NOW, OPTIONS, payingCity } from './support.ts';

const { pay, reverse, importTitles, post } = payingCity();

/** Payments and titles of other vehicles. */
const OTHERS = shortOrThorough(1_000, 10_000);

/** The rows that a call reads and writes, its way into the log apart. Rows written include index entries. */
async function rowsOf(call: (service: Service) => Promise<unknown>) {
  const rows = { read: 0, written: 0 };
  const DB = databaseDouble({
    around: async (run, sql) => {
      const result = await run();
      if (/"calls"/.test(sql) && /insert/.test(sql)) return result;
      for (const { meta } of [result].flat() as D1Result[]) {
        rows.read += meta.rows_read;
        rows.written += meta.rows_written;
      }
      return result;
    },
  });
  const service = new Service({ DB });
  await post(OPTIONS, { plate: 'ZZ999ZZ' }, service);
  Object.assign(rows, { read: 0, written: 0 });
  await call(service);
  return rows;
}

const accepted = async (service: Service, id = 'P-1') =>
  expect((await pay(aPayment({ payment_id: id }), service)).body).toMatchObject({ accepted: true });

describe('A payment', () => {
  it('costs one object call, a round trip to read, one to store and one for the log, and no KV', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    await post(OPTIONS, { plate: 'AB123CD' }, service);
    Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
    await accepted(service);
    expect(cost).toMatchObject({ objectCalls: 1, roundTrips: 3, kvCalls: 0 });
    Object.assign(cost, { roundTrips: 0, objectCalls: 0 });
    await accepted(service);
    expect(cost, 'sent again').toMatchObject({ objectCalls: 1, roundTrips: 2, kvCalls: 0 });
  });

  it('that makes a period writes and reads what docs/performance.md says', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const options = await rowsOf((service) => post(OPTIONS, { plate: 'AB123CD' }, service));
    const paid = await rowsOf(accepted);
    const again = await rowsOf(accepted);
    expect(paid.written).toBe(6);
    expect(again.written).toBe(0);
    // Twice what an options query reads, and what it takes to store.
    expect(again.read).toBeLessThanOrEqual(2 * options.read);
    expect(paid.read).toBeLessThanOrEqual(60);
    expect(performancePage).toContain('writes 6 rows and reads at most 60');
  });

  it('reads no more where others have paid', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'), aTitle('R-2', 'EF456GH'));
    const few = await rowsOf(accepted);
    await env.DB.batch([
      env.DB.prepare(
        `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ${OTHERS})
         select 1000 + i, 1, 'X' || i, 1, 'approved', '[]', 0 from n`,
      ),
      env.DB.prepare(
        `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
         select id, 1, 'X' || id, 0 from subscriptions where id > 1000`,
      ),
      env.DB.prepare(
        `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at,
           recorded_at, result_code, subscription_id, starts_at, ends_at)
         select 1, 'X' || id, 'X' || id, '101', 1, ${NOW}, ${NOW}, ${NOW}, 'PERIOD_CREATED', id, ${NOW}, ${NOW} + 1
         from subscriptions where id > 1000`,
      ),
    ]);
    const many = await rowsOf(async (service) =>
      expect((await pay(aPayment({ payment_id: 'P-2', plate: 'EF456GH' }), service)).body).toMatchObject({
        accepted: true,
      }),
    );
    // Of the municipality's changes there are more than one now.
    expect(many.read - few.read).toBeLessThanOrEqual(3);
    expect(many.written).toBe(few.written);
    vi.setSystemTime(NOW + MINUTE_MS);
    const reversed = await rowsOf((service) =>
      reverse({ payment_id: 'P-2', reversed_at: iso(NOW + MINUTE_MS) }, service),
    );
    expect(reversed.read).toBeLessThanOrEqual(60);
  });
});
