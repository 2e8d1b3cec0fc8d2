import { beforeAll, expect, it } from 'vitest';
import { APP1_SESSIONS, aSessionLine, file } from '../imports/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { configurationVersion } from '../support/past.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, seed, TENANT } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const EVIDENCE = '/api/v2/evidence/search';
const CHECK = '/api/v2/parking-entitlements/search';
const LIST = '/api/v2/facilities/P1/entitlement-list';
const PAYMENTS = '/api/v2/parking-meters/subscription-payments/search';

let hostile: TestCredential;
let honest: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    tenants: [TENANT, { id: 2, code: 'beta', name: 'Beta', active: true }],
    municipalities: [ROME, { ...ROME, id: 2, tenantId: 2, code: 'F205', name: 'Milano' }],
    areas: [...CITY.areas, { ...FACILITY, id: 3, municipalityId: 2 }],
    sources: [...CITY.sources, { ...APP_SOURCE, id: 2, municipalityId: 2 }],
    configurationVersions: [configurationVersion(Date.now() - 3_600_000)],
  });
  hostile = await issueCredential();
  honest = await issueCredential({ tenantId: 2 }, [2]);
});

/** The heavy round trips: evidence's, a full list's, those in which an import stores a batch, and a window of payments. */
const HEAVY = /past_until|is_mark|insert into "?changes_by_day|payments_by_collection/;

it('A tenant’s evidence, full lists, batches of imports and closings of days wait for each other, its checks and other tenants for none', async () => {
  const held = Promise.withResolvers<void>();
  const begun: string[] = [];
  const running = { now: 0, most: 0 };
  const DB = databaseDouble({
    around: async (run, sql) => {
      const [heavy] = HEAVY.exec(sql) ?? [];
      if (heavy === undefined) return run();
      begun.push(heavy);
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      // Only the first is slow.
      if (begun.length === 1) await held.promise;
      try {
        return await run();
      } finally {
        running.now -= 1;
      }
    },
  });
  const service = new Service({ DB });
  const at = new Date(Date.now() - 60_000).toISOString();
  const evidence = ({ headers }: TestCredential): Promise<Answer> =>
    service.post(EVIDENCE, { plate: 'AB123CD', at }, headers);
  // The first call of an operation loads it.
  expect((await service.post(PAYMENTS, { payment_id: 'P-1' }, hostile.headers)).status).toBe(200);
  const slow = evidence(hostile);
  await expect.poll(() => begun).toHaveLength(1);
  const more = [
    evidence(hostile),
    service.call(LIST, { headers: hostile.headers }),
    service.call(APP1_SESSIONS, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...hostile.headers },
      body: file([aSessionLine()]),
    }),
    service.post(PAYMENTS, { from: at, until: new Date().toISOString() }, hostile.headers),
  ];
  for (const { headers } of [hostile, honest])
    expect(await service.post(CHECK, { plate: 'AB123CD', area_code: 'P1' }, headers)).toMatchObject({
      status: 200,
    });
  expect(begun).toHaveLength(1);
  held.resolve();
  for (const { status } of await Promise.all([slow, ...more])) expect(status).toBe(200);
  expect(new Set(begun).size).toBe(4);
  expect(running.most).toBe(1);
});
