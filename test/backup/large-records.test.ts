import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { backUpPart, serviceAround } from './backups.ts';
import { beginCells, idOf, settle } from './cells.ts';

const KIB = 1024;
/** A step reads fifty subscriptions. */
const MAX_AT_ONCE = 2 * KIB * KIB;

let most = 0;
const watched = serviceAround(async (run) => {
  const result = await run();
  most = Math.max(most, JSON.stringify(result ?? null).length);
  return result;
}, env.DB);
const code = 'LARGE';

beforeAll(async () => {
  await beginCells();
  await settle(code);
});
beforeEach(() => {
  most = 0;
});

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

it('Subscriptions with all the periods that they may have are read some at a time', async () => {
  await env.DB.prepare(
    `insert into subscriptions (municipality_id, subscription_number, type_id, approval, recorded_at, periods)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
     select ${idOf(code)}, 'N' || i, (select id from subscription_types where municipality_id = ${idOf(code)}),
       'pending', 1, (
         with recursive p(i) as (select 1 union all select i + 1 from p where i < 500)
         select json_group_array(json_array(1000000000000 + 2 * i, 1000000000001 + 2 * i)) from p) from n`,
  ).run();
  expect(await backedUp('subscriptions')).toBe(200);
  expect(most).toBeGreaterThan(300 * KIB);
  expect(most).toBeLessThan(MAX_AT_ONCE);
});

it('Configurations of a megabyte too', async () => {
  await env.DB.prepare(
    `insert into configuration_versions (municipality_id, recorded_at, record)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 9)
     select ${idOf(code)}, i, json_object('name', hex(zeroblob(500000))) from n`,
  ).run();
  // And the newest one, the city's own, with its configuration.
  expect(await backedUp('configuration_versions')).toBe(11);
  expect(most).toBeLessThan(2.5 * KIB * KIB);
});
