import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { CITY, MONTHLY, seed, subscribed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { recordedStatements } from './recorded.ts';

const NOW = instant(Date.now());
const PLATE = 'AB123CD';
const CHECK = { plate: PLATE, area_code: 'P1' };
const PAST = { ...CHECK, checked_at: new Date(NOW - HOUR_MS / 2).toISOString() };

let headers: Record<string, string>;

beforeAll(async () => {
  await seed({
    ...CITY,
    plans: [MONTHLY],
    parkingSessions: [1, 2].map((id) => ({
      ...{ id, municipalityId: 1, sourceCode: 'app1', sessionId: `s-${id}`, areaId: id, plate: PLATE },
      ...{ startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS },
    })),
    ...subscribed(PLATE, { startsAt: NOW - DAY_MS, endsAt: NOW + DAY_MS }),
  });
  ({ headers } = await issueCredential());
});

/** What gates, pages and meters ask. */
const READS = [
  ['plate check', '/api/v2/parking-entitlements/search', CHECK],
  ['plate check of a past instant', '/api/v2/parking-entitlements/search', PAST],
  ['plate check under its other name', '/api/v2/parking/check-plate', CHECK],
  ['plate check 1', '/api/v1/parking/check-plate', { plate: PLATE, area_code: 'P1' }],
  ['options query', '/api/v2/parking-meters/subscription-options', { plate: PLATE }],
  ['report', '/api/v2/parking/reports/active-by-area', {}],
] as const;

/** A call in an isolate of its own, whose report is computed on the spot. */
async function costOf(path: string, body: object) {
  const { cost, bindings } = countedBindings();
  const service = new Service({ DB: bindings.DB });
  await env.SNAPSHOTS.list().then(({ keys }) =>
    Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name))),
  );
  const statements = await recordedStatements(async () => {
    const { status } = await service.settle(path, { method: 'POST', headers, body });
    expect(status).toBe(200);
  });
  const { roundTrips, rowsRead } = cost;
  return { roundTrips, rowsRead, statements: [...statements] };
}

describe.each(READS)('A %s', (_, path, body) => {
  it('reads nothing of the past, and no row more however long it is', async () => {
    await env.DB.prepare('delete from past_parking_sessions').run();
    await costOf(path, body);
    const before = await costOf(path, body);
    await env.DB.prepare(
      `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       select 1 + i % 2, 1, 1 + i % 2, ?1, i, i, i + 1 from n`,
    )
      .bind(PLATE)
      .run();
    const after = await costOf(path, body);
    expect({ ...after, statements: 0 }).toEqual({ ...before, statements: 0 });
    expect(after.rowsRead).toBeGreaterThan(0);
    expect(after.statements.length).toBeGreaterThan(0);
    expect(after.statements.filter((sql) => /past_|"changes"|configuration_versions/.test(sql))).toEqual([]);
  });
});
