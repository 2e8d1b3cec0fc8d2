import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { normalizePlate } from '../../src/domain/plate.ts';
import { answerWithoutPlate, withoutPlate } from '../../src/office/erasure/masked-plate.ts';
import { eraseAll, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

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
  it('once, and finds nothing of them again', async () => {
    const query = { method: 'POST', body: { plate: PLATE, terminal_code: 'T1' }, headers };
    expect((await service.settle(OPTIONS, query)).status).toBe(200);
    expect((await holding()).map(([where]) => where)).toContain('calls.request');
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls: 1 });
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it('of which a page has more than one parameter may have', async () => {
    const calls = 400;
    const response = JSON.stringify({ plate: PLATE, note: 'a "quoted" note '.repeat(300) });
    await env.DB.prepare(
      `insert into calls
        (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
       select unhex(printf('%012x7000%016x', value, value)), value, 'subscription_options', 'acme', 200, 'OK', 1, ?2, ?3 from n`,
    )
      .bind(calls, JSON.stringify({ plate: PLATE }), response)
      .run();
    const bound: number[] = [];
    const DB = withParametersSeen((text) => bound.push(text.length));
    expect(await eraseAll(new Service({ DB }), PLATE)).toEqual({ ...NOTHING, calls });
    expect(Math.max(...bound)).toBeLessThan(2_000_000);
    expect(await holding()).toEqual([]);
  });

  it('that another erasure masks at the same time, and neither writes the other’s plate back', async () => {
    const other = 'OTHER2';
    const query = { method: 'POST', body: { plate: PLATE, terminal_code: other }, headers };
    expect((await service.settle(OPTIONS, query)).status).toBe(200);
    let overtakings = 0;
    const DB = databaseDouble({
      around: async (run, sql) => {
        if (overtakings === 0 && /update "calls" indexed by \S+ set\s+"request"/.test(sql)) {
          overtakings += 1;
          expect(await eraseAll(service, other)).toEqual({ ...NOTHING, calls: 1 });
        }
        return run();
      },
    });
    expect(await eraseAll(new Service({ DB }), PLATE)).toEqual({ ...NOTHING, calls: 1 });
    expect(overtakings).toBe(1);
    const kept = await textsOfAllTables();
    expect(kept.filter(([, text]) => spells(text, PLATE) || spells(text, other))).toEqual([]);
  });

  it('of which each names four plates that are erased side by side', async () => {
    const plates = ['FIRST1', 'SECOND2', 'THIRD3', 'FOURTH4'];
    const calls = 60;
    await env.DB.prepare(
      `insert into calls
        (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
       select unhex(printf('%012x7000%016x', value, value)), value, 'subscription_options', 'acme', 200, 'OK', 1, ?2, null from n`,
    )
      .bind(calls, `\uFEFF${JSON.stringify(plates)}`)
      .run();
    const erased = await Promise.all(plates.map((plate) => eraseAll(service, plate)));
    expect(erased).toEqual(plates.map(() => ({ ...NOTHING, calls })));
    const kept = await textsOfAllTables();
    expect(kept.filter(([, text]) => plates.some((plate) => spells(text, plate)))).toEqual([]);
  });

  it('that were refused for a plate sent as a number, which an export lists before', async () => {
    const plate = '1234567';
    const query = { method: 'POST', body: { plate: Number(plate), terminal_code: 'T1' }, headers };
    expect((await service.settle(OPTIONS, query)).status).toBe(422);
    const asked = { tenant: 'acme', plate };
    const exported = async () => (await service.post('/api/v2/admin/plates/export', asked, ADMIN)).body.calls;
    expect(await exported()).toMatchObject([{ request: { plate: Number(plate) } }]);
    expect(await eraseAll(service, plate)).toEqual({ ...NOTHING, calls: 1 });
    expect((await textsOfAllTables()).filter(([, text]) => spells(text, plate))).toEqual([]);
    expect(await exported()).toEqual([]);
    expect(await eraseAll(service, plate)).toEqual(NOTHING);
  });

  it.each([
    ['{"plate":1234567,"n":[12345678,1234567]}', '1234567', '{"plate":"***","n":[12345678,"***"]}'],
    ['{"plate": 1.234567e6}', '1234567', '{"plate": "***"}'],
    ['{"plate": 123456789012345}', '123456789012345', '{"plate": "***"}'],
    ['{"plate": -12 }', '12', '{"plate": "***" }'],
    ['{"A\\u0042": "a 12", "b": 1}', 'AU0042', '{"A\\u0042": "a 12", "b": 1}'],
    ['12', '12', '"***"'],
  ])('that have numbers, such as %s, of which %s is masked', (text, spelled, masked) => {
    const plate = normalizePlate(spelled);
    expect(plate).not.toBeNull();
    if (plate !== null) {
      expect(withoutPlate(text, plate)).toBe(masked);
      expect(withoutPlate(masked, plate)).toBe(masked);
    }
  });

  it('and leaves the counts and amounts that the service answered', () => {
    const plate = normalizePlate('60');
    expect(plate).not.toBeNull();
    if (plate !== null) {
      expect(answerWithoutPlate('{"plate":"60","minutes":60}', plate)).toBe('{"plate":"***","minutes":60}');
    }
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
