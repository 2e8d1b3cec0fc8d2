import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { CITY, FACILITY, ROME, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = Date.now();
const PATH = '/api/v2/parking-entitlements/search';
const V1 = '/api/v1/parking/check-plate';
const session = {
  municipalityId: 1,
  sourceCode: 'app1',
  areaId: 2,
  startsAt: NOW - HOUR_MS,
  endsAt: NOW + HOUR_MS,
};
let credential: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'NEW' }],
    areas: [STREET, FACILITY, { ...STREET, id: 3, code: 'NEW' }],
    parkingSessions: [
      { ...session, sessionId: 'a', plate: 'REPLICATED' },
      { ...session, sessionId: 'b', plate: 'IMPORTED' },
    ],
    subscriptions: [
      { id: 1, municipalityId: 1, subscriptionNumber: 'N1', typeId: 1, approval: 'approved', allAreas: true },
    ],
    subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: 'SUBSCRIBED' }],
    subscriptionPeriods: [{ subscriptionId: 1, startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS }],
  });
  credential = await issueCredential({}, [1, 2]);
});

/**
 * A database whose nearest replica lags: it does not know the second session, the second municipality and the third
 * area yet. It answers whoever does not ask for the primary.
 */
function laggingReplica() {
  const asked: (string | undefined)[] = [];
  const DB = databaseDouble({
    around: async (run, where) => {
      asked.push(where);
      const result = (await run()) as D1Result<Record<string, unknown>>;
      if (where !== 'first-unconstrained') {
        return result;
      }
      const known = result.results.map((row) => ({
        ...row,
        code: row.code === 'NEW' ? null : row.code,
        area: String(row.area).includes('"NEW"') ? null : row.area,
        sessions: String(row.sessions).includes('"b"') ? '[]' : row.sessions,
      }));
      return { ...result, results: known, meta: { ...result.meta, served_by_primary: false } };
    },
  });
  return { asked, DB };
}

describe('With read replication on, the plate check', () => {
  const check = async (body: object, path = PATH) => {
    const { asked, DB } = laggingReplica();
    const service = new Service({ DB, READ_REPLICATION: 'on' });
    const answer = await service.post(path, { municipality_code: 'H501', ...body }, credential.headers);
    return { answer, asked };
  };
  const REPLICA_ALONE = ['first-unconstrained'];
  const CONFIRMED = ['first-unconstrained', 'first-primary'];

  it('confirms an entitlement from the replica alone', async () => {
    const { answer, asked } = await check({ plate: 'REPLICATED' });
    expect(answer.body.has_valid_entitlement).toBe(true);
    expect(asked).toEqual(REPLICA_ALONE);
  });

  it('opens the gate from the replica alone', async () => {
    const { answer, asked } = await check({ plate: 'REPLICATED', area_code: 'P1', event: 'entry' });
    expect(answer.body.access_granted).toBe(true);
    expect(asked).toEqual(REPLICA_ALONE);
  });

  it('opens the gate for a session that was imported a moment ago', async () => {
    const { answer, asked } = await check({ plate: 'IMPORTED', area_code: 'P1', event: 'entry' });
    expect(answer.body).toMatchObject({ access_granted: true, has_valid_entitlement: true });
    expect(asked).toEqual(CONFIRMED);
  });

  it('says that there is no entitlement only on the word of the primary', async () => {
    const { answer, asked } = await check({ plate: 'NOBODY' });
    expect(answer.body.has_valid_entitlement).toBe(false);
    expect(asked).toEqual(CONFIRMED);
  });

  it('refuses a gate only on the word of the primary, also where the plate is entitled', async () => {
    await env.DB.prepare('update areas set plate_control_enabled = 0 where id = 2').run();
    const { answer, asked } = await check({ plate: 'REPLICATED', area_code: 'P1' });
    await env.DB.prepare('update areas set plate_control_enabled = 1 where id = 2').run();
    expect(answer.body).toMatchObject({ access_granted: false, has_valid_entitlement: true });
    expect(asked).toEqual(CONFIRMED);
  });

  it('in V1 says that there is no parking only on the word of the primary', async () => {
    expect((await check({ plate: 'SUBSCRIBED' }, V1)).asked).toEqual(CONFIRMED);
    expect((await check({ plate: 'IMPORTED' }, V1)).answer.body.has_valid_parking).toBe(true);
    expect((await check({ plate: 'REPLICATED' }, V1)).asked).toEqual(REPLICA_ALONE);
  });

  it('refuses a municipality and an area only on the word of the primary', async () => {
    expect((await check({ plate: 'A', municipality_code: 'NEW' })).answer.status).toBe(200);
    expect((await check({ plate: 'A', area_code: 'NEW' })).answer.status).toBe(200);
    const { answer, asked } = await check({ plate: 'A', area_code: 'NONE' });
    expect(answer.status).toBe(404);
    expect(asked).toEqual(CONFIRMED);
  });

  it.each([
    ['SERVICE_DISABLED', 'update municipalities set plate_check_enabled = 0 where id = 1', { plate: 'A' }],
    ['TENANT_DISABLED', 'update tenants set active = 0', { plate: 'A' }],
    [
      'FACILITY_REQUIRED',
      'update areas set active = 0 where id = 2',
      { plate: 'A', area_code: 'P1', event: 'exit' },
    ],
  ])('answers %s only on the word of the primary', async (code, sql, body) => {
    await env.DB.prepare(sql).run();
    const { answer, asked } = await check(body);
    await env.DB.prepare(sql.replace('= 0', '= 1')).run();
    expect(answer.body.error).toMatchObject({ code });
    expect(asked).toEqual(CONFIRMED);
  });

  it('answers 500, and no negative, when the primary fails behind a replica that knows nothing', async () => {
    const DB = databaseDouble({
      around: async (run, where) => {
        if (where !== 'first-unconstrained') {
          throw new Error('the primary is away');
        }
        const result = (await run()) as D1Result;
        return { ...result, meta: { ...result.meta, served_by_primary: false } };
      },
    });
    const service = new Service({ DB, READ_REPLICATION: 'on' });
    for (const plate of ['NOBODY', 'REPLICATED']) {
      const answer = await service.post(PATH, { plate, municipality_code: 'H501' }, credential.headers);
      expect(answer.status).toBe(plate === 'NOBODY' ? 500 : 200);
    }
  });

  it('does not ask again when the first answer was the primary’s already', async () => {
    const asked: (string | undefined)[] = [];
    const DB = databaseDouble({
      around: async (run, where) => {
        asked.push(where);
        const result = (await run()) as D1Result;
        return { ...result, meta: { ...result.meta, served_by_primary: true } };
      },
    });
    const service = new Service({ DB, READ_REPLICATION: 'on' });
    await service.post(PATH, { plate: 'NOBODY', municipality_code: 'H501' }, credential.headers);
    expect(asked).toEqual(REPLICA_ALONE);
  });
});

describe('With read replication off, the plate check', () => {
  it('asks the primary alone, and once', async () => {
    const { asked, DB } = laggingReplica();
    const service = new Service({ DB });
    await service.post(PATH, { plate: 'NOBODY', municipality_code: 'H501' }, credential.headers);
    expect(asked).toEqual(['first-primary']);
  });
});
