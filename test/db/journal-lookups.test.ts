import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { CITY, ROME, seed } from '../support/seed.ts';
import { scansFinder } from './scans.ts';

const ROWS = 20_000;

beforeAll(async () => {
  await seed({ ...CITY, municipalities: [ROME, { ...ROME, id: 2, code: 'F205' }] });
  // Of every kind thousands, side by side, at an instant that grows with the number.
  await env.DB.prepare(
    `insert into journal
       (municipality_id, kind, recorded_at, request_id, source_code, key, plate, area_id, left_area_id, record)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select 1 + i / 4 % 2,
       case i % 4 when 0 then 'parking_session' when 1 then 'subscription' when 2 then 'import' else 'configuration' end,
       i, 'r-' || i, iif(i % 4 in (0, 2), 'app1', null), iif(i % 4 < 2, 'k-' || (i / 8 % 500), null),
       iif(i % 4 < 2, 'P' || (i / 8 % 700), null), iif(i % 4 = 0, 1 + i / 8 % 2, null),
       iif(i % 400 = 0, 2, null), json_object('outcome', iif(i % 16 = 2, 'succeeded', 'failed')) from n`,
  )
    .bind(ROWS)
    .run();
});

/** What has to be found in the journal without reading more of it. */
const LOOK_UPS = [
  ['a plate’s own history', `municipality_id = 1 and plate = 'P7' order by sequence`],
  [
    'the rows of a session',
    `municipality_id = 1 and source_code = 'app1' and key = 'k-7' and kind = 'parking_session' order by sequence`,
  ],
  [
    'what replaced a row of a subscription',
    `municipality_id = 1 and source_code is null and key = 'k-7' and kind = 'subscription' and sequence > 10000
     order by sequence limit 1`,
  ],
  [
    'the history of a plate on a subscription',
    `municipality_id = 1 and kind = 'subscription' and key = 'k-7' and plate = 'P7' order by sequence desc limit 1`,
  ],
  [
    'the configuration at an instant',
    `municipality_id = 1 and kind = 'configuration' and source_code is null and key is null and recorded_at <= 10000
     order by recorded_at desc, sequence desc limit 1`,
  ],
  [
    'a source’s import at an instant',
    `municipality_id = 1 and kind = 'import' and source_code = 'app1' and key is null and recorded_at <= 10000
     order by recorded_at desc, sequence desc limit 1`,
  ],
  ['what has come to an area since', `area_id = 2 and sequence > 19900 order by sequence`],
  ['what has left an area since', `left_area_id = 2 and sequence > 19000 order by sequence`],
  [
    'what has changed among a municipality’s subscriptions since',
    `municipality_id = 1 and kind = 'subscription' and sequence > 19900 order by sequence`,
  ],
  ['what retention goes through, in the order of time', `sequence > 19900 order by sequence limit 50`],
] as const;

describe('The journal has an index for', () => {
  it.each(LOOK_UPS)('%s', async (_, where) => {
    const sql = `select sequence, record from journal where ${where}`;
    const { results, meta } = await env.DB.prepare(sql).all();
    expect(results.length).toBeGreaterThan(0);
    // An entry of the index and the row behind it, and the one after the last.
    expect(meta.rows_read).toBeLessThanOrEqual(2 * results.length + 2);
    const { results: plan } = await env.DB.prepare(`explain query plan ${sql}`).all<{ detail: string }>();
    expect(plan.map(({ detail }) => detail).join()).not.toMatch(/SCAN|TEMP B-TREE/);
    const scansOf = await scansFinder();
    expect(await scansOf([sql])).toEqual([[]]);
  });
});
