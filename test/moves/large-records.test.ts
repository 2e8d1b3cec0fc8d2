import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { moveWhole } from '../databases/nation.ts';
import type { Service } from '../support/service.ts';
import { backUpPart } from './backups.ts';
import { beginMoving, idOf, settle } from './movers.ts';
import { serviceAround } from './round-trips.ts';

const KIB = 1024;
/** What a subscription of 500 areas with long codes has in the journal, and how many such an importer has sent. */
const RECORD_BYTES = 120 * KIB;
const RECORDS = 60;
/** A step reads two megabytes of records, and the one that goes beyond; JSON in JSON is somewhat longer. */
const MAX_AT_ONCE = 2_300 * KIB;

let service: Service;
let [most, maxPlateless] = [0, 0];
const watched = serviceAround(async (run, { sql }) => {
  const result = await run();
  const length = JSON.stringify(result ?? null).length;
  most = Math.max(most, length);
  if (sql.includes('items_before')) maxPlateless = Math.max(maxPlateless, length);
  return result;
});
let cities = 0;
let code = '';

beforeAll(async () => {
  service = await beginMoving();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  code = `LARGE${cities}`;
  most = 0;
  await settle(service, code, 'DB_2');
  await env.SECOND.prepare(
    `insert into journal (municipality_id, kind, recorded_at, key, plate, record)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select ${idOf(code)}, 'subscription', ?2, 'N' || i, 'P' || i, json_array(hex(zeroblob(?3 / 2))) from n`,
  )
    .bind(RECORDS, Date.now(), RECORD_BYTES)
    .run();
});

const insertSubscriptions = (count: number) =>
  env.SECOND.prepare(
    `insert into subscriptions (municipality_id, subscription_number, type_id, approval, all_areas, changed_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select ${idOf(code)}, 'PLATELESS' || i, (select id from subscription_types where municipality_id = ${idOf(code)}),
       'pending', 1, ?2 from n`,
  )
    .bind(count, Date.now() - HALF_AN_HOUR_MS)
    .run();

const HALF_AN_HOUR_MS = 1_800_000;
/** More than the end of a backup takes. */
const PLATELESS = 5_100;

it('More subscriptions without a plate than the end of a backup takes are gone through before it', async () => {
  await insertSubscriptions(PLATELESS);
  const numbers = new Set<string>();
  let parts = 0;
  for (let after: string | null = null, more = true; more; parts += 1) {
    expect(parts).toBeLessThan(20);
    const part = await backUpPart(watched, code, after);
    for (const [, number = ''] of part.text.matchAll(/"(PLATELESS\d+)"/g)) numbers.add(number);
    ({ after, more } = part);
  }
  expect(numbers.size).toBe(PLATELESS);
});

it('Subscriptions without a plate are moved some at a time, by what they hold', async () => {
  const [subscriptions, periods] = [20, 6_000];
  await insertSubscriptions(subscriptions);
  await env.SECOND.prepare(
    `insert into subscription_periods (subscription_id, starts_at, ends_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select s.id, 1000000000000 + 2 * i, 1000000000001 + 2 * i from n, subscriptions as s
     where s.municipality_id = ${idOf(code)}`,
  )
    .bind(periods)
    .run();
  await moveWhole(watched, code, 'DB_3');
  const copied = await env.THIRD.prepare(
    `select count(*) as periods from subscription_periods where subscription_id in (
       select id from subscriptions where municipality_id = ${idOf(code)})`,
  ).first('periods');
  expect(copied).toBe(subscriptions * periods);
  expect(maxPlateless).toBeGreaterThan(1_000 * KIB);
  expect(maxPlateless).toBeLessThan(MAX_AT_ONCE);
});

describe('Of large records of the journal', () => {
  it('a move reads as many at once as have room in memory, and takes them all', async () => {
    await moveWhole(watched, code, 'DB_3');
    const copied = await env.THIRD.prepare(
      `select count(*) as records, min(length(record)) as least from journal
       where kind = 'subscription' and municipality_id = ${idOf(code)}`,
    ).first<{ records: number; least: number }>();
    expect(copied?.records).toBe(RECORDS);
    expect(copied?.least).toBeGreaterThan(RECORD_BYTES);
    expect(most).toBeGreaterThan(RECORD_BYTES);
    expect(most).toBeLessThan(MAX_AT_ONCE);
  });

  it('a backup does too', async () => {
    const keys = new Set<string>();
    for (let after: string | null = null, more = true; more; ) {
      const part = await backUpPart(watched, code, after);
      expect(part.text.length).toBeLessThanOrEqual(8 * KIB * KIB);
      for (const [, key = ''] of part.text.matchAll(/"(N\d+)"/g)) keys.add(key);
      ({ after, more } = part);
    }
    expect(keys.size).toBe(RECORDS);
    expect(most).toBeLessThan(MAX_AT_ONCE);
  });
});
