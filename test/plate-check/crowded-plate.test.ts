import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const NOW = Date.now();
/** What an importer has stored of one plate. */
const STORED = shortOrThorough(30_000, 200_000);
const PLATE = 'CROWDED';

const city = new City(CITY);

beforeEach(async () => {
  await env.DB.batch(
    ['parking_sessions', 'subscription_plates', 'subscriptions'].map((table) =>
      env.DB.prepare(`delete from ${table}`),
    ),
  );
});

const COUNTED = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';

const HOUR = String(HOUR_MS);

/** Sessions that end around now, which no import would store so many of. */
const store = (count: number): Promise<unknown> =>
  env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     ${COUNTED} select 1, 'app1', 's-' || i, 2, '${PLATE}', ?2 - 3 * ${HOUR} - i, ?2 - ${HOUR} - i, 0 from n`,
  )
    .bind(count, NOW)
    .run();

const subscribe = (count: number): Promise<unknown> =>
  env.DB.batch([
    env.DB.prepare(
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
       ${COUNTED} select i, 1, 'N' || i, 1, 'approved', '[]', 0 from n`,
    ).bind(count),
    env.DB.prepare(
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at) ${COUNTED} select i, 1, '${PLATE}', 0 from n`,
    ).bind(count),
  ]);

const PATHS = {
  v2: '/api/v2/parking-entitlements/search',
  v1: '/api/v1/parking/check-plate',
  options: '/api/v2/parking-meters/subscription-options',
} as const;

const ask = (asked: object = {}, path: string = PATHS.v2, service = new Service()): Promise<Answer> =>
  service.post(path, { plate: PLATE, municipality_code: 'H501', ...asked }, city.headers);

describe('A plate of which as much is stored as may be', () => {
  it('has a sure "no" of 2,000 sessions and as many subscriptions, and options of them', async () => {
    await store(2_000);
    await subscribe(2_000);
    for (const asked of [{}, { area_code: 'P1', event: 'entry' }]) {
      const { status, body } = await ask(asked);
      expect([status, body]).toMatchObject([
        200,
        { has_valid_entitlement: false, sessions_count: 2_000, subscriptions_count: 2_000 },
      ]);
    }
    expect((await ask({}, PATHS.options)).status).toBe(200);
  });
});

describe('A plate of which more is found than may be stored', () => {
  const failure = { success: false, error: { code: 'TEMPORARY_ERROR' } };

  it('is a failure, never a "no", and the structured log names municipality and source', async () => {
    await store(2_001);
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const path of [PATHS.v2, PATHS.v1]) {
      const { status, body } = await ask({}, path);
      expect([status, body]).toMatchObject([500, failure]);
    }
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({
      event: 'failure',
      municipality_code: 'H501',
      source_code: 'app1',
    });
    error.mockRestore();
  });

  it('is one by its subscriptions too, but for V1, which has none', async () => {
    await subscribe(2_001);
    expect((await ask()).body).toMatchObject(failure);
    expect((await ask({}, PATHS.options)).body).toMatchObject(failure);
    expect((await ask({}, PATHS.v1)).status).toBe(200);
  });

  it('reads no more rows however many there are, and another plate not a row more', async () => {
    const rowsOf = async (asked: object): Promise<number> => {
      const { cost, bindings } = countedBindings();
      await ask(asked, PATHS.v2, new Service(bindings));
      return cost.rowsRead;
    };
    // A table without a row costs even less.
    await store(1);
    const alone = await rowsOf({ plate: 'OTHER' });
    await env.DB.prepare('delete from parking_sessions').run();
    await store(STORED);
    expect(await rowsOf({})).toBeLessThan(10_000);
    expect(await rowsOf({ plate: 'OTHER' })).toBe(alone);
  });
});
