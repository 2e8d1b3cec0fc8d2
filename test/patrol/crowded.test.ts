import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { A_STREET, iso } from './street.ts';

const NOW = Date.now();
/** Each of its characters may be taken for three others. */
const PLATE = 'O0DQO0DQO0DQO0D';
const SIMILAR = platesOneSlipAway(storedPlate(PLATE));
const CROWD = 200;

let credential: TestCredential;

/** Sessions that are still to come, of each of these plates. */
const book = (plates: readonly string[], count: number) =>
  env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
     select 1, 'app1', p.value || '-' || i, 1, p.value, ?3 + i * 86400000 * 2, ?3 + i * 86400000 * 2 + 1, 0
     from n, json_each(?1) as p where true`,
  )
    .bind(JSON.stringify(plates), count, NOW)
    .run();

beforeAll(async () => {
  await seed(A_STREET);
  credential = await issueCredential();
  await book(SIMILAR, CROWD);
});

const ask = (plates: readonly string[]) => askOf(plates.map((plate) => ({ plate })));

async function askOf(sightings: readonly object[]) {
  const { cost, bindings } = countedBindings();
  const checks = sightings.map((sighting, index) => ({
    ...{ id: String(index), area_code: 'S1', seen_at: iso(NOW - HOUR_MS) },
    ...sighting,
  }));
  const { status, body } = await new Service(bindings).post(
    '/api/v2/patrol/checks',
    { checks },
    credential.headers,
  );
  expect(status).toBe(200);
  type Result = { id?: string; finding?: string; refused?: { code: string }; doubts?: { code: string }[] };
  return { cost, results: body.results as Result[] };
}

it('A plate whose look-alikes have many sessions is judged by all of them, in one round trip', async () => {
  const { cost, results } = await ask(Array(100).fill(PLATE));
  expect(cost.roundTrips).toBe(1);
  expect(new Set(results.map(({ finding }) => finding)).size).toBe(1);
  expect(results[0]?.doubts?.map(({ code }) => code)).not.toContain('SIMILAR_PLATE_ENTITLED');
  await env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     values (1, 'app1', 'now', 1, ?1, ?2 - 7200000, ?2 + 400 * 86400000, 0)`,
  )
    .bind(SIMILAR[0], NOW)
    .run();
  const { results: later } = await ask([PLATE]);
  expect(later[0]?.doubts?.map(({ code }) => code)).toContain('SIMILAR_PLATE_ENTITLED');
});

/** Nothing looks like its characters. */
const BUSY = 'HHH111J';

it('A plate is read once, however often and wherever it was seen', async () => {
  await book([BUSY], 900);
  const [once, often] = [1, 100].map((count) =>
    Array.from({ length: count }, (_, index) => ({
      plate: BUSY,
      area_code: ['S1', 'S2', 'P1'][index % 3],
      seen_at: iso(NOW - HOUR_MS - index),
    })),
  );
  const { rowsRead } = (await askOf(once ?? [])).cost;
  expect(rowsRead).toBeGreaterThan(900);
  const { cost, results } = await askOf(often ?? []);
  // Each sighting of the call counts as a row or two.
  expect(cost.rowsRead).toBeLessThan(rowsRead + 250);
  expect(results.filter(({ finding }) => finding !== undefined)).toHaveLength(100);
});
