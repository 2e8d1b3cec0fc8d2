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
const MOST_AT_ONCE = 2_300 * KIB;

let service: Service;
let most = 0;
const watched = serviceAround(async (run) => {
  const result = await run();
  most = Math.max(most, JSON.stringify(result ?? null).length);
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
    expect(most).toBeLessThan(MOST_AT_ONCE);
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
    expect(most).toBeLessThan(MOST_AT_ONCE);
  });
});
