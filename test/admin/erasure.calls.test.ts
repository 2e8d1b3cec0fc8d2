import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { withoutPlate } from '../../src/admin/plates/masked-plate.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { issueCredential } from '../support/credential.ts';
import { objectsDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { eraseAll, NOTHING, spells, textsOfAllTables } from './plates-support.ts';

const PLATE = 'ERASE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const service = new Service();
let headers: Record<string, string>;

const holding = async () => (await textsOfAllTables()).filter(([, kept]) => spells(kept, PLATE));

/** The real database, that tells of every text it is given. */
const withParametersSeen = (see: (text: string) => void): D1Database =>
  new Proxy(env.DB, {
    get(database, name) {
      if (name === 'prepare') {
        return (sql: string) => {
          const statement = database.prepare(sql);
          const bind = statement.bind.bind(statement);
          statement.bind = (...values) => {
            values.filter((value) => typeof value === 'string').forEach(see);
            return bind(...values);
          };
          return statement;
        };
      }
      const value: unknown = Reflect.get(database, name);
      return typeof value === 'function' ? value.bind(database) : value;
    },
  });

beforeEach(async () => {
  await freshDatabase({ ...CITY, subscriptionTypes: [RESIDENTS] });
  ({ headers } = await issueCredential());
});

describe('An erasure masks whole calls', () => {
  it('that failed before it was known whose they were', async () => {
    const CREDENTIALS = objectsDouble(() => Promise.reject(new Error('the object is away')));
    const query = { method: 'POST', body: { plate: PLATE, terminal_code: 'T1' }, headers };
    expect((await new Service({ CREDENTIALS }).settle(OPTIONS, query)).status).toBe(500);
    expect((await service.settle(OPTIONS, query)).status).toBe(200);
    expect((await holding()).map(([where]) => where)).toContain('call_log.request');
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls: 2 });
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it('of which a page has more than one parameter may have', async () => {
    const calls = 400;
    const response = JSON.stringify({ plate: PLATE, note: 'a "quoted" note '.repeat(300) });
    await env.DB.prepare(
      `insert into call_log
        (request_id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
       select 'long ' || value, value, 'subscription_options', 'acme', 200, 'OK', 1, ?2, ?3 from n`,
    )
      .bind(calls, JSON.stringify({ plate: PLATE }), response)
      .run();
    const bound: number[] = [];
    const DB = withParametersSeen((text) => bound.push(text.length));
    expect(await eraseAll(new Service({ DB }), PLATE)).toEqual({ ...NOTHING, calls });
    expect(Math.max(...bound)).toBeLessThan(2_000_000);
    expect(await holding()).toEqual([]);
  });

  it.each([
    ['AABB', 'AB', '***'],
    ['x AAB B-A B', 'AB', 'x ***-***'],
    ['ABAB', 'ABAB', '***'],
    ['AAA', 'AA', '***A'],
    ['{"plate": "a-b"', 'AB', '{"plate": "***"'],
    ['nothing', 'AB', 'nothing'],
  ])('that are no JSON, such as %s, so that what is left does not spell %s', (text, spelled, masked) => {
    const plate = normalizePlate(spelled);
    expect(plate).not.toBeNull();
    if (plate !== null) {
      expect(withoutPlate(text, plate)).toBe(masked);
      expect(withoutPlate(masked, plate)).toBe(masked);
    }
  });
});
