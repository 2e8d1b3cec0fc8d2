import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import worker from '../../src/worker.ts';
import {
  around,
  CITIES,
  check,
  credentialFor,
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
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { prepareSeveral, SEVERAL } from '../support/several.ts';
import { answerLost, type Fault, hangs, LOST, OVERLOADED, throws } from './breakable.ts';
import { expectFailure } from './calls.ts';

let all: Record<string, string>;

beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
  await prepareSeveral();
  const service = new Service(SEVERAL);
  await putDocument(service, NATION);
  const codes = CITIES.map(({ code }) => code);
  all = await credentialFor(service, codes);
  for (const where of CITIES) await parkIn(service, all, where);
  return () => vi.restoreAllMocks();
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
const NAMES = Object.keys(CALLS);
const call = (name: string, service: Service, code: string): Promise<Answer> =>
  (CALLS[name] ?? expect.fail(name))(service, code);

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

  it('the minute’s run and the retention go on with the others, and fail at their end', async () => {
    const puts: string[] = [];
    const broken = { ...env, ...withFault(fault), SNAPSHOTS: env.SNAPSHOTS };
    await env.SNAPSHOTS.delete('public');
    for (const cron of ['* * * * *', '17 * * * *']) {
      await expect(worker.scheduled(createScheduledController({ cron }), broken)).rejects.toThrow();
      puts.push(cron);
    }
    const service = new Service(SEVERAL);
    for (const code of [ROMA.code, 'F205']) {
      const shown = await service.call(`/api/v2/public/municipalities/${code}/occupancy`);
      expect([shown.status, shown.body.municipality]).toMatchObject([200, { code }]);
    }
  });
});

describe('While one database hangs', () => {
  it('its checks fail within their time, and the others have their answers meanwhile', async () => {
    const service = new Service(withFault(hangs));
    const slow = call('check', service, TORINO.code);
    expect((await call('check', service, ROMA.code)).body).toMatchObject({ access_granted: true });
    expectFailure(await slow);
  });
});
