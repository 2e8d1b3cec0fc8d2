import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, subscribed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = Date.now();
const PATH = '/api/v2/parking-entitlements/search';

const city = new City({
  ...CITY,
  parkingSessions: [
    {
      municipalityId: 1,
      sourceCode: 'app1',
      sessionId: 'mine',
      areaId: 2,
      plate: 'MINE',
      startsAt: NOW - HOUR_MS,
      endsAt: NOW + HOUR_MS,
    },
  ],
  ...subscribed('SUBSCRIBED', { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS }),
});

/**
 * Fills the city with other vehicles' sessions around the present, and with a tenth as many of their subscriptions; and with
 * as many former versions of a session.
 */
async function fillUpTo(sessions: number): Promise<void> {
  const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';
  await env.DB.batch([
    env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
       ${numbers}
       select 1, 'app1', 's' || i, 1 + i % 2, 'X' || (i % 50000), ?2 + i, ?2 + i + 3600000, 0 from n where true
       on conflict do nothing`,
    ).bind(sessions, NOW - HOUR_MS),
    env.DB.prepare(
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
       ${numbers} select 1 + i, 1, 'X' || i, 1, 'approved', '[]', 0 from n where true on conflict do nothing`,
    ).bind(sessions / 10),
    env.DB.prepare(
      `insert into subscription_plates (id, subscription_id, municipality_id, plate, recorded_at)
       ${numbers} select 1 + i, 1 + i, 1, 'X' || i, 0 from n where true on conflict do nothing`,
    ).bind(sessions / 10),
    env.DB.prepare(
      `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
       ${numbers} select 1, 1, 2, 'MINE', i, i, i + 1 from n where true on conflict do nothing`,
    ).bind(sessions / 10),
  ]);
}

const MANY = shortOrThorough(20_000, 200_000);

describe('A warm plate check', () => {
  /** What the second of two calls costs: the isolate has then seen the credential. */
  async function warmCost(body: object, path = PATH) {
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    await service.post(path, body, city.headers);
    Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
    const answer = await service.post(path, body, city.headers);
    expect(answer.status).toBe(200);
    return cost;
  }

  it.each([
    ['a valid session at a gate', { plate: 'MINE', area_code: 'P1', event: 'entry' }],
    ['no session at a gate', { plate: 'NOBODY', area_code: 'P1', event: 'entry' }],
    ['a subscription in the municipality', { plate: 'SUBSCRIBED' }],
    ['a plate that nobody knows', { plate: 'NOBODY' }],
    ['a valid session in V1', { plate: 'MINE' }, '/api/v1/parking/check-plate'],
  ])('of %s costs one object call and one D1 round trip, and no KV', async (_, body, path?: string) => {
    expect(await warmCost(body, path)).toMatchObject({ objectCalls: 1, roundTrips: 1, kvCalls: 0 });
  });

  it(`reads the same rows with 1,000 and with ${MANY.toLocaleString('en')} sessions in the database`, async () => {
    const checks = [
      { plate: 'MINE', area_code: 'P1', event: 'entry' },
      { plate: 'MINE' },
      { plate: 'SUBSCRIBED', area_code: 'P1' },
      { plate: 'NOBODY', area_code: 'P1', event: 'exit' },
    ];
    const rowsRead = async () => {
      const costs = [];
      for (const body of checks) {
        const named = await warmCost({ ...body, municipality_code: 'H501' });
        const unnamed = await warmCost(body);
        costs.push([named.rowsRead, unnamed.rowsRead]);
      }
      return costs;
    };
    await fillUpTo(1_000);
    const few = await rowsRead();
    await fillUpTo(MANY);
    expect(await rowsRead()).toEqual(few);
    // The municipality once a query, its tenant, the area; and the plate's own rows, each with those that it refers to. It costs
    // the same where no municipality is named.
    expect(few).toEqual([11, 10, 12, 8].map((rows) => [rows, rows]));
  });
});
