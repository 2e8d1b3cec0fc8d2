import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readSnapshot } from '../../src/core/snapshots/snapshot-store.ts';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import worker from '../../src/worker.ts';
import {
  around,
  CITIES,
  check,
  credentialFor,
  MILANO,
  NATION,
  options,
  parkIn,
  plateOf,
  putDocument,
  ROMA,
  report,
  TORINO,
} from '../databases/nation.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { someOf } from '../support/run-form.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { answerLost, type Fault, hangs, LOST, OVERLOADED, throws } from './breakable.ts';
import { expectFailure } from './calls.ts';

let all: Record<string, string>;

beforeAll(async () => {
  await prepareSeveral();
  const service = new Service(SEVERAL);
  await putDocument(service, NATION);
  const codes = CITIES.map(({ code }) => code);
  all = await credentialFor(service, codes);
  for (const where of CITIES) await parkIn(service, all, where);
});

/** The database of one city, with a fault; the others work. */
const withFault = (fault: Fault) => ({
  ...SEVERAL,
  DB_2: databaseDouble({ around: (run) => fault(run) }, env.SECOND),
  SNAPSHOTS: noSnapshots(),
});

const CALLS: Readonly<Record<string, (service: Service, code: string) => Promise<Answer>>> = {
  check: (service, code) =>
    check(service, all, {
      municipality_code: code,
      plate: plateOf({ code }),
      area_code: 'P1',
      event: 'entry',
    }),
  options: (service, code) => options(service, all, { municipality_code: code, plate: plateOf({ code }) }),
  report: (service, code) => report(service, all, { municipality_code: code }),
  'sessions import': (service, code) =>
    service.call(`/api/v2/imports/sessions?municipality_code=${code}&source_code=app1`, {
      method: 'POST',
      headers: { ...all, 'Content-Type': 'application/x-ndjson' },
      body: JSON.stringify({
        session_id: 'S-1',
        plate: plateOf({ code }),
        area_code: 'P1',
        ...around(Date.now()),
      }),
    }),
  configuration: (service, code) =>
    service.call(`/api/v2/admin/configuration?municipality_code=${code}`, { headers: ADMIN }),
};
const NAMES = someOf(Object.keys(CALLS), 2);
const call = (name: string, service: Service, code: string): Promise<Answer> =>
  (CALLS[name] ?? expect.fail(name))(service, code);

const scheduled = (cron: string, fault: Fault): Promise<void> => {
  const bindings = { ...env, ...withFault(fault), SNAPSHOTS: env.SNAPSHOTS };
  return worker.scheduled(createScheduledController({ cron }), bindings);
};

const instantOf = async ({ code }: { code: string }) =>
  (await readSnapshot(env.SNAPSHOTS, code, instant(Date.now())))?.at ?? expect.fail(`no snapshot of ${code}`);

/** Runs a minute that has one database with a fault, after one in which all went well. */
async function expectNewSnapshotsOfOthers(fault: Fault): Promise<void> {
  await scheduled('* * * * *', (run) => run());
  const before = await instantOf(TORINO);
  await vi.waitUntil(() => Date.now() > before);
  await env.SNAPSHOTS.delete('public');
  await expect(scheduled('* * * * *', fault)).rejects.toThrow(AggregateError);
  const [rome = 0, milan] = await Promise.all([ROMA, MILANO].map(instantOf));
  expect(rome).toBeGreaterThan(before);
  expect(milan).toBe(rome);
  expect(await instantOf(TORINO)).toBe(before);
  const service = new Service(SEVERAL);
  for (const { code } of [ROMA, MILANO]) {
    const shown = await service.call(`/api/v2/public/municipalities/${code}/occupancy`);
    expect([shown.status, shown.body.municipality]).toMatchObject([200, { code }]);
  }
}

const LONG_AGO = 'LONG AGO';

/** A session in each database that is past its retention. */
async function park500DaysAgo(): Promise<void> {
  const endsAt = Date.now() - 500 * DAY_MS;
  for (const database of Object.values(SEVERAL)) {
    await database
      .prepare(
        `insert or replace into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
         select municipality_id, 'app1', ?1, id, 'OLD', ?2, ?3 from areas limit 1`,
      )
      .bind(LONG_AGO, endsAt - HOUR_MS, endsAt)
      .run();
  }
}

const leftIn = async (name: DatabaseName): Promise<number | undefined> =>
  (
    await SEVERAL[name]
      .prepare('select count(*) as n from parking_sessions where session_id = ?')
      .bind(LONG_AGO)
      .first<{ n: number }>()
  )?.n;

describe.each([
  ['is away', throws('D1_ERROR: internal error')],
  ['loses its connection for good', throws(LOST)],
  ['does all, and nobody hears of it', answerLost(LOST)],
  ['is overloaded', throws(OVERLOADED)],
] as const)('While one database %s', (_, fault) => {
  it.each(NAMES)(
    'its own municipality has a failure for every %s, and the others their right answer',
    async (name) => {
      for (const warm of [false, true]) {
        let isBroken = false;
        const service = new Service(withFault((run) => (isBroken ? fault(run) : run())));
        if (warm) await call(name, service, TORINO.code);
        isBroken = true;
        expectFailure(await call(name, service, TORINO.code));
        expect((await call(name, service, ROMA.code)).status).toBe(200);
        const other = await call(name, service, 'F205');
        expect(other.status).toBe(200);
      }
    },
  );

  it('the minute’s run writes the others’ new snapshots, keeps the old ones of its own, and fails at its end', async () => {
    await expectNewSnapshotsOfOthers(fault);
  });

  it('the retention goes on with the others, and fails at its end', async () => {
    await park500DaysAgo();
    await expect(scheduled('17 * * * *', fault)).rejects.toThrow(AggregateError);
    expect([await leftIn('DB'), await leftIn('DB_3')]).toEqual([0, 0]);
    // It looks first at what is over, and never heard.
    expect(await leftIn('DB_2')).toBe(1);
  });
});

describe('While one database hangs', () => {
  it('its checks fail within their time, and the others have their answers meanwhile', async () => {
    const service = new Service(withFault(hangs));
    const slow = call('check', service, TORINO.code);
    expect((await call('check', service, ROMA.code)).body).toMatchObject({ access_granted: true });
    expectFailure(await slow);
  });

  it('the minute’s run writes the others’ new snapshots meanwhile, and keeps the old ones of its own', async () => {
    await expectNewSnapshotsOfOthers(hangs);
  });

  it('the retention goes on with the others meanwhile', async () => {
    await park500DaysAgo();
    // It is still waiting when the file ends.
    scheduled('17 * * * *', hangs).catch(() => {});
    await vi.waitUntil(async () => (await leftIn('DB')) === 0 && (await leftIn('DB_3')) === 0, 10_000);
    expect(await leftIn('DB_2')).toBe(1);
  });
});
