import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { ERASE, eraseAll, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
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

const placeOf = () =>
  env.DB.prepare('select calls_up_to as place from erasures').first<number | null>('place');

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

  it('keeps its place page by page, so that one that is cut off each time comes to its end', async () => {
    const calls = 24;
    await storeCalls(calls, `${filled('xy')} ${PLATE}`);
    const places: number[] = [];
    for (let status = 0; status !== 200; ) {
      let isCutOff = false;
      const DB = databaseDouble({
        around: async (run, sql) => {
          if (isCutOff) {
            throw new Error('the database hangs');
          }
          const result = await run();
          isCutOff = sql.includes('update "erasures"');
          return result;
        },
      });
      ({ status } = await new Service({ DB }).post(ERASE, { tenant: 'acme', plate: PLATE }, ADMIN));
      places.push((await placeOf()) ?? calls);
    }
    expect(places.length).toBeGreaterThan(3);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect((await textsOfAllTables()).filter(([, text]) => spells(text, PLATE))).toEqual([]);
  });
});

/** The database, and how long the longest value is that it is sent. */
function measuredDatabase() {
  const longest = { characters: 0 };
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'prepare') return typeof value === 'function' ? value.bind(target) : value;
      return (sql: string) => {
        const statement = target.prepare(sql);
        const bind = statement.bind.bind(statement);
        statement.bind = (...values: unknown[]) => {
          longest.characters = Math.max(longest.characters, ...values.map((one) => String(one).length));
          return bind(...values);
        };
        return statement;
      };
    },
  });
  return { DB, longest };
}

describe('An erasure among calls whose words all spell its plate', () => {
  it('looks up no more of them at a time than D1 takes in a value', async () => {
    const [calls, words] = [28, 1_330];
    for (let call = 0; call < calls; call += 1) {
      const note = Array.from({ length: words }, (_, word) => `A1${(call * words + word).toString(36)}`);
      await env.DB.prepare(
        `insert into calls
          (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
         values (unhex(printf('%012x7000%016x', ?1, ?1)), ?1, 'subscription_options', 'acme', 200, 'OK', 1, ?2, null)`,
      )
        .bind(call, JSON.stringify({ plate: 'B2', note: note.join(' ') }))
        .run();
    }
    const { DB, longest } = measuredDatabase();
    const answer = await new Service({ DB }).post(ERASE, { tenant: 'acme', plate: 'A1' }, ADMIN);
    expect(answer.status).toBe(200);
    expect(longest.characters).toBeLessThan(2_000_000);
  });
});

describe('An erasure from a subscription', () => {
  /** The rows that it reads where so much is known of the subscription's other plates. */
  async function rowsRead(known: number): Promise<number> {
    await freshDatabase(CITY);
    await env.DB.prepare(
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, all_areas)
       values (1, 1, 'R-1', 1, 'approved', 1)`,
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
