import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ERASE, eraseAll, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { countedBindings } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const PLATE = 'ERASE1';
const KIB = 1024;
const service = new Service();

/** Options calls of one tenant, each with the same request. */
async function storeCalls(count: number, request: string): Promise<void> {
  await env.DB.prepare(
    `insert into calls
      (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
     with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
     select unhex(printf('%012x7000%016x', value, value)), value, 'subscription_options', 'acme', 400, 'INVALID_JSON', 1, ?2, null from n`,
  )
    .bind(count, request)
    .run();
}

const filled = (pump: string): string => pump.repeat((64 * KIB) / pump.length);

async function msToErase(): Promise<number> {
  const startedAt = performance.now();
  expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  return performance.now() - startedAt;
}

beforeEach(() => freshDatabase(CITY));

describe('An erasure among calls that were sent to hold it up', () => {
  it('takes no longer for strings that are never closed than some times a plain text', async () => {
    const calls = 12;
    await storeCalls(calls, JSON.stringify({ plate: 'A1', note: filled('ab') }));
    const plain = await msToErase();
    await env.DB.prepare('update calls set request = ?1').bind(filled('\\"')).run();
    expect(await msToErase()).toBeLessThan(50 * (plain + calls));
  });

  it('goes on page by page after its position', async () => {
    await storeCalls(240, `${filled('xy').slice(0, 2_000)} ${PLATE}`);
    const places: unknown[] = [];
    for (let after: unknown = null; places.at(-1) !== 'end'; ) {
      // Its clock runs so fast that each call has time for one round.
      let now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
        now += 3_000;
        return now;
      });
      const { status, body } = await service.post(ERASE, { tenant: 'acme', plate: PLATE, after }, ADMIN);
      clock.mockRestore();
      expect(status).toBe(200);
      after = body.next;
      places.push(after ?? 'end');
    }
    expect(places.length).toBeGreaterThan(3);
    expect((await textsOfAllTables()).filter(([, text]) => spells(text, PLATE))).toEqual([]);
  });
});

describe('An erasure from a subscription', () => {
  /** The rows that it reads where so much is known of the subscription's other plates. */
  async function rowsRead(known: number): Promise<number> {
    await freshDatabase(CITY);
    await env.DB.prepare(
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
       values (1, 1, 'R-1', 1, 'approved', '[]', 0)`,
    ).run();
    await env.DB.batch(
      [`'${PLATE}'`, `'FLEET' || i`].map((plate, index) =>
        env.DB.prepare(
          `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
           select ?2 + i, 1, 1, ${plate}, 0, 1 from n`,
        ).bind(index === 0 ? 3 : known, index * 100),
      ),
    );
    const { cost, bindings } = countedBindings();
    expect(await eraseAll(new Service(bindings), PLATE)).toMatchObject({ history: 3 });
    return cost.rowsRead;
  }

  it('reads nothing of the history of its other plates', async () => {
    expect(await rowsRead(2_000)).toBeLessThanOrEqual((await rowsRead(10)) + 20);
  });
});
