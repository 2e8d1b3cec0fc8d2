import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { NOW, OFFICE, PATH } from './support.ts';

/** Vehicles that nobody asks for. */
const OTHERS = shortOrThorough(2_000, 20_000);

const city = new City(OFFICE, { now: NOW });
const ask = (body: object, service = city.service) => service.post(PATH, body, city.headers);

/** Everything that the database holds, table by table, but the call log and what it counts. */
async function everything(db: D1Database) {
  const { results: tables } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'
     and name not in ('calls', 'call_plates', 'sqlite_sequence')`,
  ).all<{ name: string }>();
  const held: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    held[name] = (await db.prepare(`select * from "${name}" order by 1, 2`).all()).results;
  }
  return held;
}

const PLATES = [...new Set(OFFICE.subscriptionPlates.map(({ plate }) => plate)), 'NOBODY'];

describe('An options query', () => {
  /** What the second of two calls costs, its way into the call log included: the isolate has then seen the credential. */
  async function warmCost(body: object) {
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    await ask(body, service);
    Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
    expect((await ask(body, service)).status).toBe(200);
    return cost;
  }

  it.each(['ACTIVE', 'TWO', 'FREE', 'NOBODY'])(
    'of %s costs one object call, one D1 round trip for the reading and one for the log, and no KV',
    async (plate) => {
      expect(await warmCost({ plate })).toMatchObject({ objectCalls: 1, roundTrips: 2, kvCalls: 0 });
    },
  );

  it('reads the rows of the plate and the plans, however many vehicles there are', async () => {
    const rowsRead = async () => {
      const costs = [];
      for (const plate of ['ACTIVE', 'TWO', 'FREE', 'NOBODY']) {
        const named = await warmCost({ plate, municipality_code: 'H501' });
        costs.push([named.rowsRead, (await warmCost({ plate })).rowsRead]);
      }
      return costs;
    };
    const few = await rowsRead();
    await env.DB.batch([
      env.DB.prepare(
        `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ${OTHERS})
         select 1000 + i, 1, 'X' || i, 1, 'approved', '[[1,2]]', 0 from n`,
      ),
      env.DB.prepare(
        `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
         select id, 1, 'X' || id, 0 from subscriptions where id > 1000`,
      ),
    ]);
    expect(await rowsRead()).toEqual(few);
    // The municipality; the plate's own rows; and the plans of each type that is not freely sold. It costs the same
    // where no municipality is named.
    expect(few).toEqual([20, 26, 16, 6].map((rows) => [rows, rows]));
  });

  describe('of a plate with many subscriptions', () => {
    const [subscriptions, plans] = shortOrThorough([50, 100], [200, 480]);

    /** All of one type, of which no plan could be printed. */
    async function subscribe(): Promise<void> {
      await env.DB.batch([
        env.DB.prepare(
          `insert into plans (municipality_id, subscription_type_id, code, amount_cents, duration, description,
             for_first_activation, for_renewal, on_parking_meter, active)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < ${plans})
           select 1, 6, printf('%03d', 500 + i), 100, 'P10000Y', 'SECOLI', 1, 1, 1, 1 from n`,
        ),
        env.DB.prepare(
          `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < ${subscriptions})
           select 900000 + i, 1, 'MANY' || i, 6, 'approved', '[]', 0 from n`,
        ),
        env.DB.prepare(
          `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
           select id, 1, 'MANY', 0 from subscriptions where id > 900000`,
        ),
      ]);
    }

    it('reads the plans of their type once', async () => {
      await subscribe();
      const body = { plate: 'MANY', municipality_code: 'H501' };
      expect((await warmCost(body)).rowsRead).toBeLessThan(4 * plans + 20 * subscriptions);
    });
  });

  it('changes nothing but the call log', async () => {
    const before = await everything(env.DB);
    for (const plate of PLATES) {
      expect((await ask({ plate })).status).toBe(200);
    }
    expect(Object.keys(before)).toContain('payments');
    expect(await everything(env.DB)).toEqual(before);
  });
});
