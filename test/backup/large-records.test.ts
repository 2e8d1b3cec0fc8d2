import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { backUpPart, serviceAround } from './backups.ts';
import { beginCells, idOf, settle } from './cells.ts';

const KIB = 1024;
/** What a subscription of 500 areas with long codes has in the past, and how many such an importer has sent. */
const RECORD_BYTES = 120 * KIB;
const RECORDS = 60;
/** A step reads four hundred kilobytes of rows, and the one that goes beyond; JSON in JSON is somewhat longer. */
const MAX_AT_ONCE = 900 * KIB;

let most = 0;
const watched = serviceAround(async (run) => {
  const result = await run();
  most = Math.max(most, JSON.stringify(result ?? null).length);
  return result;
}, env.DB);
let cities = 0;
let code = '';

beforeAll(async () => {
  await beginCells();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  code = `LARGE${cities}`;
  most = 0;
  await settle(code);
});

const insertSubscriptions = (count: number) =>
  env.DB.prepare(
    `insert into subscriptions (municipality_id, subscription_number, type_id, approval, all_areas, changed_at, recorded_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select ${idOf(code)}, 'N' || i, (select id from subscription_types where municipality_id = ${idOf(code)}),
       'pending', 1, 1, 1 from n`,
  )
    .bind(count)
    .run();

/** All rows of a kind in a backup. */
async function backedUp(kind: string): Promise<number> {
  let rows = 0;
  for (let after: string | null = null, more = true; more; ) {
    const part = await backUpPart(code, after, watched);
    expect(part.text.length).toBeLessThanOrEqual(8 * KIB * KIB);
    rows += part.text.split(`"kind":"${kind}"`).length - 1;
    ({ after, more } = part);
  }
  return rows;
}

describe('Of large past versions of a subscription', () => {
  beforeEach(async () => {
    await insertSubscriptions(1);
    await env.DB.prepare(
      `insert into past_subscriptions (id, municipality_id, record, recorded_at, replaced_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       select (select id from subscriptions where municipality_id = ${idOf(code)}), ${idOf(code)},
         json_object('type', hex(zeroblob(?2 / 2))), i, i + 1 from n`,
    )
      .bind(RECORDS, RECORD_BYTES)
      .run();
  });

  it('a backup reads as many at once as have room in memory, and takes them all', async () => {
    expect(await backedUp('past_subscription')).toBe(RECORDS);
    expect(most).toBeGreaterThan(RECORD_BYTES);
    expect(most).toBeLessThan(MAX_AT_ONCE);
  });
});

it('Subscriptions are read some at a time, by what they hold', async () => {
  const [subscriptions, periods] = [20, 6_000];
  await insertSubscriptions(subscriptions);
  await env.DB.prepare(
    `insert into subscription_periods (subscription_id, starts_at, ends_at, covered_until)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select s.id, 1000000000000 + 2 * i, 1000000000001 + 2 * i, 1000000000001 + 2 * i from n, subscriptions as s
     where s.municipality_id = ${idOf(code)}`,
  )
    .bind(periods)
    .run();
  expect(await backedUp('subscription')).toBe(subscriptions);
  expect(most).toBeGreaterThan(300 * KIB);
  expect(most).toBeLessThan(MAX_AT_ONCE);
});
