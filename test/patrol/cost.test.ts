import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { A_STREET, iso } from './street.ts';

const NOW = Date.now();
const SEEN = iso(NOW - HOUR_MS);
const city = new City(A_STREET);

/** So many sessions of each of these plates, each on a day of its own, from now on. */
const book = (plates: readonly string[], count: number) =>
  env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
     select 1, 'app1', p.value || '-' || i, 1, p.value, ?3 + i * 86400000 * 2, ?3 + i * 86400000 * 2 + 1, 0
     from n, json_each(?1) as p where true`,
  )
    .bind(JSON.stringify(plates), count, NOW)
    .run();

interface Result {
  readonly finding?: string;
  readonly doubts?: readonly { readonly code: string }[];
}

/** What the second of two calls costs, and answers: the isolate has then seen the credential. */
async function ask(sightings: readonly object[]) {
  const { cost, bindings } = countedBindings();
  const service = new Service(bindings);
  const checks = sightings.map((sighting, index) => ({
    ...{ id: String(index), area_code: 'S1', seen_at: SEEN },
    ...sighting,
  }));
  const call = () => service.post('/api/v2/patrol/checks', { checks }, city.headers);
  await call();
  Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
  const { status, body } = await call();
  expect(status).toBe(200);
  return { cost: { ...cost }, results: body.results as Result[] };
}

it('A hundred plates take one round trip, and read no row of another plate', async () => {
  const hundred = Array.from({ length: 100 }, (_, index) => ({ plate: `AB${100 + index}CD` }));
  // Plates that no slip leads to: their characters look like no other.
  const others = Array.from({ length: 200 }, (_, index) => `HHH${index}`);
  await book(others.slice(0, 2), 1);
  const small = await ask(hundred);
  await book(others.slice(2), 50);
  const { cost } = await ask(hundred);
  expect(cost).toMatchObject({ roundTrips: 1, objectCalls: 2, rowsRead: small.cost.rowsRead });
});

it('A plate whose look-alikes have many sessions is judged by all of them, in one round trip', async () => {
  /** Each of its characters may be taken for three others. */
  const plate = 'O0DQO0DQO0DQO0D';
  const similar = platesOneSlipAway(storedPlate(plate));
  await book(similar, 200);
  const { cost, results } = await ask(Array(100).fill({ plate }));
  expect(cost.roundTrips).toBe(1);
  expect(new Set(results.map(({ finding }) => finding)).size).toBe(1);
  expect(results[0]?.doubts?.map(({ code }) => code)).not.toContain('SIMILAR_PLATE_ENTITLED');
  await env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     values (1, 'app1', 'now', 1, ?1, ?2 - 7200000, ?2 + 400 * 86400000, 0)`,
  )
    .bind(similar[0], NOW)
    .run();
  const { results: later } = await ask([{ plate }]);
  expect(later[0]?.doubts?.map(({ code }) => code)).toContain('SIMILAR_PLATE_ENTITLED');
});

it('A plate is read once, however often and wherever it was seen', async () => {
  await book(['HHH111J'], 900);
  const sightings = Array.from({ length: 100 }, (_, index) => ({
    plate: 'HHH111J',
    area_code: ['S1', 'S2', 'P1'][index % 3],
    seen_at: iso(NOW - HOUR_MS - index),
  }));
  const { rowsRead } = (await ask(sightings.slice(0, 1))).cost;
  expect(rowsRead).toBeGreaterThan(900);
  const { cost, results } = await ask(sightings);
  // Each sighting of the call counts as a row or two.
  expect(cost.rowsRead).toBeLessThan(rowsRead + 250);
  expect(results.filter(({ finding }) => finding !== undefined)).toHaveLength(100);
});
