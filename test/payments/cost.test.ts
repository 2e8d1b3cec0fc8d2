import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import performancePage from '../../docs/performance.md?raw';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { prepareQuery } from '../../src/storage/db/sql.ts';
import { type SharedPageRow, sharedOfPage } from '../../src/storage/history/subscription-versions-parts.ts';
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
    expect(paid.written).toBe(12);
    expect(again.written).toBe(0);
    // Twice what an options query reads, and what it takes to store.
    expect(again.read).toBeLessThanOrEqual(2 * options.read);
    expect(paid.read).toBeLessThanOrEqual(40);
    expect(performancePage).toContain('writes 12 rows and reads at most 40');
  });

  it('counts in the size of the record that an export reads of its subscription', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await accepted(new Service(), 'P'.repeat(64));
    await env.DB.prepare(
      `insert into subscription_periods (subscription_id, starts_at, ends_at, covered_until, paid_by)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
       select id, ${NOW} + i, ${NOW} + i + 1, 9007199254740991, printf('%064d', i) from n, subscriptions`,
    ).run();
    const no = sql.raw('0');
    const all = sql.raw('1000000');
    const page = sharedOfPage({
      ...{ ids: sql.raw("'[1]'"), plate: sql.raw("'AB123CD'"), fromId: no, fromAt: no },
      max: { subscriptions: all, spans: all, versions: all, bytes: all },
    });
    const { results } = await prepareQuery(env.DB, page).all<SharedPageRow>();
    const [now] = results.filter(({ replaced_at }) => replaced_at === null);
    expect(now?.bytes).toBeGreaterThanOrEqual(now?.record.length ?? Infinity);
    expect(now?.bytes).toBeLessThan(1.2 * (now?.record.length ?? 0));
  });

  it('reads no more where others have paid', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'), aTitle('R-2', 'EF456GH'));
    const few = await rowsOf(accepted);
    await env.DB.batch([
      env.DB.prepare(
        `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, all_areas)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ${OTHERS})
         select 1000 + i, 1, 'X' || i, 1, 'approved', 1 from n`,
      ),
      env.DB.prepare(
        `insert into subscription_plates (subscription_id, municipality_id, plate)
         select id, 1, 'X' || id from subscriptions where id > 1000`,
      ),
      env.DB.prepare(
        `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at,
           recorded_at, result_code, subscription_id, period_starts_at, period_ends_at)
         select 1, 'X' || id, 'X' || id, '101', 1, ${NOW}, ${NOW}, ${NOW}, 'PERIOD_CREATED', id, ${NOW}, ${NOW} + 1
         from subscriptions where id > 1000`,
      ),
      env.DB.prepare(
        `insert into subscription_periods (subscription_id, starts_at, ends_at, covered_until, paid_by)
         select id, ${NOW}, ${NOW} + 1, ${NOW} + 1, 'X' || id from subscriptions where id > 1000`,
      ),
    ]);
    const many = await rowsOf(async (service) =>
      expect((await pay(aPayment({ payment_id: 'P-2', plate: 'EF456GH' }), service)).body).toMatchObject({
        accepted: true,
      }),
    );
    // One more of the municipality's changes.
    expect(many).toEqual({ read: few.read + 1, written: few.written });
    vi.setSystemTime(NOW + MINUTE_MS);
    const reversed = await rowsOf((service) =>
      reverse({ payment_id: 'P-2', reversed_at: iso(NOW + MINUTE_MS) }, service),
    );
    expect(reversed.read).toBeLessThanOrEqual(60);
  });
});
