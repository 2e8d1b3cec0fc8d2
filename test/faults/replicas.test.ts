import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { noSnapshots, replicatedDatabase } from '../support/doubles.ts';
import { migrate } from '../support/migrated.ts';
import { CITY, FACILITY, ROME, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { LOST, throws } from './breakable.ts';
import { EXAMPLES, expectRight, prepareExamples, send } from './calls.ts';

const NOW = Date.now();
const PATH = '/api/v2/parking-entitlements/search';
const V1 = '/api/v1/parking/check-plate';
const REPLICA_ALONE = ['first-unconstrained'];
const CONFIRMED = ['first-unconstrained', 'first-primary'];

const session = {
  municipalityId: 1,
  sourceCode: 'app1',
  areaId: 2,
  startsAt: NOW - HOUR_MS,
  endsAt: NOW + HOUR_MS,
};
const EARLIER = { parkingSessions: [{ ...session, sessionId: 'r', plate: 'REPLICATED' }] };
const LATER = {
  municipalities: [{ ...ROME, id: 2, code: 'NEW' }],
  areas: [{ ...FACILITY, id: 3, code: 'NEW' }],
};
let credential: TestCredential;

/** The replica has stayed behind: it knows neither the new municipality and area, nor what the examples rest on. */
beforeAll(async () => {
  await prepareExamples();
  await seed(EARLIER);
  await seed(LATER);
  await migrate(env.REPLICA);
  await seed({ ...CITY, ...EARLIER }, env.REPLICA);
  credential = await issueCredential({}, [1, 2]);
});

/** On both sides at once, or on the replica alone; undone afterwards. */
async function during<T>(
  sql: string,
  databases: readonly D1Database[],
  action: () => Promise<T>,
): Promise<T> {
  const run = (text: string) => Promise.all(databases.map((database) => database.prepare(text).run()));
  await run(sql);
  try {
    return await action();
  } finally {
    await run(sql.replace('= 0', '= 1'));
  }
}

async function check(body: object, path = PATH, { asked, DB } = replicatedDatabase()) {
  const service = new Service({ DB, READ_REPLICATION: 'on' });
  const answer = await service.post(path, { municipality_code: 'H501', ...body }, credential.headers);
  return { answer, asked };
}

describe('With read replication on, the plate check', () => {
  const gate = { area_code: 'P1', event: 'entry' };

  it('confirms an entitlement, and opens the gate, from the replica alone', async () => {
    for (const body of [{ plate: 'REPLICATED' }, { plate: 'REPLICATED', ...gate }]) {
      const { answer, asked } = await check(body);
      expect(answer.body.has_valid_entitlement).toBe(true);
      expect(answer.body.access_granted).not.toBe(false);
      expect(asked).toEqual(REPLICA_ALONE);
    }
  });

  it.each([
    ['says that there is no entitlement', PATH, { plate: 'NOBODY' }, { has_valid_entitlement: false }],
    ['refuses a gate', PATH, { plate: 'NOBODY', ...gate }, { access_granted: false }],
    ['in V1 says that there is no parking', V1, { plate: 'NOBODY' }, { has_valid_parking: false }],
    ['refuses an area', PATH, { plate: 'REPLICATED', area_code: 'NONE' }, { success: false }],
  ])('%s only on the word of the primary', async (_, path, body, negative) => {
    const { answer, asked } = await check(body, path);
    expect(answer.body).toMatchObject(negative);
    expect(asked).toEqual(CONFIRMED);
  });

  it('knows at once what was imported, configured and subscribed a moment ago', async () => {
    const line = JSON.stringify({
      session_id: 'imported',
      plate: 'IMPORTED',
      area_code: 'P1',
      starts_at: new Date(NOW - HOUR_MS).toISOString(),
    });
    const { DB } = replicatedDatabase();
    await new Service({ DB, READ_REPLICATION: 'on' }).call(
      '/api/v2/imports/sessions?source_code=app1&municipality_code=H501',
      {
        method: 'POST',
        body: line,
        headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
      },
    );
    expect((await check({ plate: 'IMPORTED', ...gate })).answer.body.access_granted).toBe(true);
    expect((await check({ plate: 'IMPORTED' }, V1)).answer.body.has_valid_parking).toBe(true);
    expect((await check({ plate: 'A', municipality_code: 'NEW' })).answer.status).toBe(200);
    expect((await check({ plate: 'A', area_code: 'NEW' })).answer.status).toBe(200);
  });

  it.each([
    ['PLATE_CONTROL_DISABLED', 'update areas set plate_control_enabled = 0', gate],
    ['FACILITY_SERVICE_DISABLED', 'update areas set service_enabled = 0', gate],
    ['SERVICE_DISABLED', 'update municipalities set plate_check_enabled = 0', {}],
    ['MUNICIPALITY_NOT_ALLOWED', 'update municipalities set active = 0', {}],
    ['TENANT_DISABLED', 'update tenants set active = 0', {}],
    ['AREA_NOT_FOUND', 'update areas set active = 0', { area_code: 'P1' }],
    ['FACILITY_REQUIRED', 'update areas set active = 0', gate],
  ])('answers %s only on the word of the primary', async (code, sql, body) => {
    const ask = () => check({ plate: 'REPLICATED', ...body });
    const onReplica = await during(sql, [env.REPLICA], ask);
    expect(onReplica.answer.body).toMatchObject({ has_valid_entitlement: true });
    expect(onReplica.answer.body.access_granted).not.toBe(false);
    const everywhere = await during(sql, [env.REPLICA, env.DB], ask);
    expect([everywhere.answer.body.error, everywhere.answer.body.access_reason_code]).toContainEqual(
      code.endsWith('_DISABLED') && 'event' in body ? code : expect.objectContaining({ code }),
    );
    expect([onReplica.asked, everywhere.asked]).toEqual([CONFIRMED, CONFIRMED]);
  });

  it('answers 500, and no negative, when the primary fails behind a replica that knows nothing', async () => {
    const primaryAway = () => replicatedDatabase({ primary: throws('the primary is away') });
    expect((await check({ plate: 'NOBODY' }, PATH, primaryAway())).answer.status).toBe(500);
    expect((await check({ plate: 'REPLICATED' }, PATH, primaryAway())).answer.status).toBe(200);
  });

  it('asks the primary when the replica’s answer was lost', async () => {
    const { answer, asked } = await check(
      { plate: 'REPLICATED' },
      PATH,
      replicatedDatabase({ replica: throws(LOST) }),
    );
    expect(answer.body.has_valid_entitlement).toBe(true);
    expect(asked).toEqual(CONFIRMED);
  });

  it('does not ask again when the first answer was the primary’s already', async () => {
    const nearest = replicatedDatabase({ primaryIsNearest: true });
    const { asked } = await check({ plate: 'NOBODY' }, PATH, nearest);
    expect(asked).toEqual(REPLICA_ALONE);
  });
});

describe('With read replication off, the plate check', () => {
  it('asks the primary alone, and once', async () => {
    const { asked, DB } = replicatedDatabase();
    await new Service({ DB }).post(PATH, { plate: 'NOBODY', municipality_code: 'H501' }, credential.headers);
    expect(asked).toEqual(['first-primary']);
  });
});

describe.each(EXAMPLES.map((example) => [example.name, example] as const))(
  'With read replication on, next to a replica that knows nothing, %s',
  (_name, example) => {
    it('has its right answer', async () => {
      const empty = { success: true, results: [], meta: {} };
      const { asked, DB } = replicatedDatabase({ replica: async () => empty });
      const service = new Service({ DB, READ_REPLICATION: 'on', SNAPSHOTS: noSnapshots() });
      expectRight(example, await send(await example.next(), service));
      if (example.asksDatabase) expect(asked).not.toEqual([]);
      expect(asked.includes('first-unconstrained')).toBe(example.isGate);
    });
  },
);
