import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { configurationVersion, storeSession } from '../support/past.ts';
import { CITY, ROME } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { EVIDENCE } from './support.ts';

const NOW = Date.now();
const BEGAN = NOW - 300 * DAY_MS;
const city = new City({
  ...CITY,
  municipalities: [ROME, { ...ROME, id: 2, code: 'L219' }],
  configurationVersions: [configurationVersion(BEGAN)],
});

beforeAll(async () => {
  // What others have: sessions, what was known of them, imports every few minutes, payments, and calls.
  await env.DB.batch(
    [
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
        select 1, 'app1', 'other ' || value, 2, 'OTHER' || value, ${NOW - HOUR_MS}, ${NOW + HOUR_MS}, ${NOW} from numbers`,
      `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, ends_at, recorded_at, replaced_at)
        select id, 1, 2, plate, starts_at, ends_at, ${BEGAN} + id, ${BEGAN} + id + 1 from parking_sessions`,
      `insert into changes (municipality_id, recorded_at, request_id)
        select 1, ${BEGAN} + value * 1000, randomblob(16) from numbers`,
      `insert into imports (source_id, municipality_id, outcome, recorded_at, is_kept)
        select 1, 1, 'failed', ${BEGAN} + value * 1000, 1 from numbers`,
      `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code)
        select 1, 'P' || value, 'OTHER' || value, '101', 1, ${NOW}, ${NOW}, ${NOW}, 'PLAN_NOT_FOUND' from numbers`,
      `insert into configuration_versions (municipality_id, recorded_at, record)
        select 2, ${BEGAN} + value, '{}' from numbers`,
      `insert into calls (id, at, operation, municipality_code, http_status, outcome, duration_ms, plate_digest)
        select unhex(printf('%012x7000%016x', ${NOW} - value, value)), ${NOW} - value, 'plate_check', 'H501', 200, 'OK', 1, randomblob(16)
        from numbers`,
    ].map((text) =>
      env.DB.prepare(
        text.replace(
          'from numbers',
          'from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 20000) select value from n) where true',
        ),
      ),
    ),
  );
  for (const at of [10, 9, 8]) {
    await storeSession(NOW - at * HOUR_MS, {
      session_id: 'mine',
      plate: 'MINE',
      starts_at: NOW - HOUR_MS,
      ends_at: NOW + at * HOUR_MS,
    });
  }
});

it('costs two round trips, and rows in proportion to the plate’s own history', async () => {
  const { cost, bindings } = countedBindings();
  const service = new Service(bindings);
  for (const knownAt of [NOW, NOW - 200 * DAY_MS, BEGAN + DAY_MS]) {
    Object.assign(cost, { roundTrips: 0, rowsRead: 0, kvCalls: 0 });
    const body = {
      plate: 'MINE',
      at: new Date(NOW).toISOString(),
      known_at: new Date(knownAt).toISOString(),
      municipality_code: 'H501',
    };
    const { status, body: answer } = await service.post(EVIDENCE, body, city.headers);
    expect([status, answer.history_count]).toEqual([200, 3]);
    expect(cost).toMatchObject({ roundTrips: 2, kvCalls: 0 });
    expect(cost.rowsRead).toBeLessThan(100);
  }
});
