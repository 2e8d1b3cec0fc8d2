import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { A_STREET } from './street.ts';

let credential: TestCredential;
const SEEN = Date.now() - HOUR_MS;

beforeAll(async () => {
  await seed(A_STREET);
  credential = await issueCredential();
});

/** Other vehicles, that no slip leads to: their plates have characters that look like no other. */
async function fillUpTo(count: number): Promise<void> {
  await env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select 1, 'app1', 'x' || i, 1 + i % 2, 'HHH' || i, ?2, ?2 + 7200000, 0 from n where true on conflict do nothing`,
  )
    .bind(count, SEEN)
    .run();
}

const hundred = Array.from({ length: 100 }, (_, index) => ({
  id: String(index),
  plate: `AB${100 + index}CD`,
  area_code: 'S1',
  seen_at: new Date(SEEN).toISOString(),
}));

/** What the second of two calls costs: the isolate has then seen the credential. */
async function costOf(checks: object[]) {
  const { cost, bindings } = countedBindings();
  const service = new Service(bindings);
  const ask = () => service.post('/api/v2/patrol/checks', { checks }, credential.headers);
  await ask();
  Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
  const { status } = await ask();
  return { status, ...cost };
}

it('A hundred plates take one round trip, and read no row of another plate', async () => {
  await fillUpTo(100);
  const small = await costOf(hundred);
  await fillUpTo(10_000);
  const large = await costOf(hundred);
  expect(large).toMatchObject({ status: 200, roundTrips: 1, objectCalls: 2, rowsRead: small.rowsRead });
});
