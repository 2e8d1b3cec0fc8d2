import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { packKey, spotKey } from '../../src/snapshots/packed-format.ts';
import worker from '../../src/worker.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import {
  brokenDatabase,
  countedBindings,
  databaseDouble,
  objectsDouble,
  snapshotsDouble,
} from '../support/doubles.ts';
import { CITY, FACILITY, ROME, STREET, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const PATH = '/api/v2/parking/reports/active-by-area';
const PACK = packKey('H501');
const SPOT = spotKey('H501');
let credential: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'OTHER' }],
    areas: [STREET, FACILITY, { ...STREET, id: 3, municipalityId: 2 }],
    sourceImports: [
      {
        sourceId: 1,
        lastFinishedAt: NOW,
        lastOutcome: 'succeeded',
        lastSuccessfulAt: NOW,
        lastRequestId: 'x',
      },
    ],
  });
  credential = await issueCredential();
});

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const { keys } = await env.SNAPSHOTS.list();
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
  await env.DB.prepare('delete from parking_sessions').run();
  return () => vi.useRealTimers();
});

const minuteRuns = (at = NOW) =>
  worker.scheduled(createScheduledController({ cron: '* * * * *', scheduledTime: new Date(at) }), env);
const parks = (plate: string) =>
  seed({
    parkingSessions: [
      {
        municipalityId: 1,
        sourceCode: 'app1',
        sessionId: plate,
        areaId: 1,
        plate,
        startsAt: NOW - HOUR_MS,
        endsAt: NOW + 9 * HOUR_MS,
      },
    ],
  });
const report = (service = new Service(), body: object = {}) =>
  service.settle(PATH, { method: 'POST', body, headers: credential.headers });
const active = async (service?: Service) =>
  ((await report(service)).body.totals as Record<string, number> | undefined)?.active_now;
const withoutDatabase = (bindings: Partial<Env> = {}) => new Service({ DB: brokenDatabase(), ...bindings });

describe('A report with a recent snapshot', () => {
  it('comes from the snapshot alone, and says what instant it is true for', async () => {
    await parks('A');
    await minuteRuns();
    vi.setSystemTime(NOW + 120 * SECOND_MS);
    const { status, body } = await report(withoutDatabase());
    expect([status, body]).toMatchObject([
      200,
      {
        totals: { active_now: 1 },
        checked_at: '2026-03-07T12:00:00+01:00',
        after_60: '2026-03-07T13:00:00+01:00',
      },
    ]);
  });

  it('is what it would be without one', async () => {
    await parks('A');
    const { body: live } = await report();
    await minuteRuns();
    const { body: stored } = await report(withoutDatabase(), { municipality_code: 'H501' });
    expect({ ...stored, request_id: null }).toEqual({ ...live, request_id: null });
  });

  it('costs one object call, one KV read, and no D1', async () => {
    await minuteRuns();
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    await service.post(PATH, {}, credential.headers);
    expect(cost).toMatchObject({ objectCalls: 1, kvCalls: 1, roundTrips: 0 });
  });

  it('costs no D1 either where the credential has several municipalities, and the call names one', async () => {
    await minuteRuns();
    const { headers } = await issueCredential({}, [1, 2]);
    const answer = await withoutDatabase().post(PATH, { municipality_code: 'OTHER' }, headers);
    expect([answer.status, answer.body.municipality]).toMatchObject([200, { code: 'OTHER' }]);
  });

  it('asks the object and KV side by side', async () => {
    await minuteRuns();
    const objectAsked = Promise.withResolvers<void>();
    const kvAsked = Promise.withResolvers<void>();
    let warm = false;
    const service = new Service({
      CREDENTIALS: objectsDouble(async (run) => {
        objectAsked.resolve();
        // Neither answers before the other has been asked: one after the other would never end.
        await (warm ? kvAsked.promise : undefined);
        return run();
      }),
      SNAPSHOTS: snapshotsDouble(async (run) => {
        kvAsked.resolve();
        await objectAsked.promise;
        return run();
      }),
    });
    await report(service);
    warm = true;
    expect((await report(service)).status).toBe(200);
  });

  it('judges by the instant of the answer what is fresh', async () => {
    await minuteRuns(NOW + 14 * MINUTE_MS);
    const statusAt = async (ms: number) => {
      vi.setSystemTime(NOW + ms);
      return (await report(withoutDatabase())).body.source_freshness;
    };
    expect(await statusAt(15 * MINUTE_MS)).toMatchObject([{ status: 'fresh' }]);
    expect(await statusAt(15 * MINUTE_MS + 1)).toMatchObject([{ status: 'stale' }]);
  });

  it('does not give it to a credential of another municipality', async () => {
    await minuteRuns();
    const { headers } = await issueCredential({}, [2]);
    const answer = await new Service().post(PATH, { municipality_code: 'H501' }, headers);
    expect(answer.body.error).toMatchObject({ code: 'MUNICIPALITY_NOT_ALLOWED' });
  });
});

describe('A report is made from the database', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['there is no snapshot', async () => {}],
    ['it is older than 120 s', () => minuteRuns(NOW - 120 * SECOND_MS - 1)],
    ['it is of a clock that runs far ahead', () => minuteRuns(NOW + MINUTE_MS)],
    ['it is of another version', () => env.SNAPSHOTS.put(PACK, 'snapshots/0\n["H501",1]')],
    ['it is cut off', () => env.SNAPSHOTS.put(PACK, 'snapshots/1\n["H501",')],
    ['it is nothing at all', () => env.SNAPSHOTS.put(PACK, '')],
  ])('when %s', async (_, prepare) => {
    await prepare();
    await parks('A');
    expect(await active()).toBe(1);
  });

  it('when KV fails', async () => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble(() => Promise.reject(new Error('KV is away')));
    expect(await active(new Service({ SNAPSHOTS }))).toBe(1);
  });

  it('when KV hangs', async () => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble((run, method) => (method === 'get' ? new Promise(() => {}) : run()));
    expect(await active(new Service({ SNAPSHOTS }))).toBe(1);
  });

  it('and kept for the next one, until the minute’s run has one again', async () => {
    await parks('A');
    await report();
    expect(await active(withoutDatabase())).toBe(1);
    expect(await env.SNAPSHOTS.get(SPOT)).toContain('"H501"');
    await parks('B');
    await minuteRuns();
    expect(await active(withoutDatabase())).toBe(2);
  });

  it('though what it made cannot be kept', async () => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble((run, method) =>
      method === 'put' ? Promise.reject(new Error('KV PUT failed: 429')) : run(),
    );
    expect(await active(new Service({ SNAPSHOTS }))).toBe(1);
  });

  it('once for all calls of an isolate that come together', async () => {
    await parks('A');
    let batches = 0;
    const DB = databaseDouble({
      around: async (run) => {
        const result = await run();
        batches += Array.isArray(result) ? 1 : 0;
        await scheduler.wait(50);
        return result;
      },
    });
    const service = new Service({ DB });
    const answers = await Promise.all(Array.from({ length: 8 }, () => active(service)));
    expect(answers).toEqual(Array(8).fill(1));
    expect(batches).toBe(1);
    await env.SNAPSHOTS.delete(SPOT);
    expect(await active(service)).toBe(1);
    expect(batches).toBe(2);
  });

  it('again after one that failed', async () => {
    let failing = true;
    const DB = databaseDouble({
      around: (run) => (failing ? Promise.reject(new Error('D1 is away')) : run()),
    });
    const service = new Service({ DB });
    expect((await report(service)).status).toBe(500);
    failing = false;
    expect((await report(service)).status).toBe(200);
  });

  it('or is a 500: never an empty one, never an old one', async () => {
    await minuteRuns(NOW - 120 * SECOND_MS - 1);
    const { status, headers, body } = await report(withoutDatabase());
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    expect(headers.get('X-Service-Report')).toBe('active_by_area');
    expect(body).not.toHaveProperty('rows');
  });
});

describe('A change of the configuration', () => {
  const put = (municipality: object, service = new Service()) =>
    service.call('/api/v2/admin/configuration', {
      method: 'PUT',
      headers: ADMIN,
      body: { municipalities: [{ code: 'H501', ...municipality }] },
    });
  const area = (capacity: number) => ({ areas: [{ code: 'S1', capacity }] });
  const capacity = async () => ((await report()).body.rows as { capacity: number }[])[0]?.capacity;

  it('discards the snapshot of its municipality, and shows at once', async () => {
    await minuteRuns();
    expect(await capacity()).toBe(40);
    expect((await put(area(41))).status).toBe(200);
    expect([await env.SNAPSHOTS.get(PACK), await env.SNAPSHOTS.get(SPOT)]).toEqual([null, null]);
    expect(await capacity()).toBe(41);
    expect((await put(area(40))).status).toBe(200);
    expect(await capacity()).toBe(40);
  });

  it('that changes nothing leaves the snapshot', async () => {
    await minuteRuns();
    await put(area(40));
    expect(await env.SNAPSHOTS.get(PACK)).not.toBeNull();
  });

  it('is made though KV cannot be reached, and shows after 120 s', async () => {
    await minuteRuns();
    const SNAPSHOTS = snapshotsDouble(() => Promise.reject(new Error('KV is away')));
    expect((await put(area(42), new Service({ SNAPSHOTS }))).status).toBe(200);
    expect(await capacity()).toBe(40);
    vi.setSystemTime(NOW + 120 * SECOND_MS + 1);
    expect(await capacity()).toBe(42);
    await put(area(40));
  });

  it('that switches the report off refuses it, and one that switches it on again is believed', async () => {
    await minuteRuns();
    await put({ services: { report: false } });
    expect((await report()).body.error).toMatchObject({ code: 'SERVICE_DISABLED' });
    await minuteRuns();
    expect((await report()).body.error).toMatchObject({ code: 'SERVICE_DISABLED' });
    await env.DB.prepare('update municipalities set report_enabled = 1').run();
    // The snapshot says no: only the database may.
    expect((await report()).status).toBe(200);
  });

  it('that disables the tenant discards the snapshots of its municipalities', async () => {
    await minuteRuns();
    const tenant = (isActive: boolean) =>
      new Service().call('/api/v2/admin/configuration', {
        method: 'PUT',
        headers: ADMIN,
        body: { tenants: [{ code: 'acme', active: isActive }] },
      });
    await tenant(false);
    expect((await report()).body.error).toMatchObject({ code: 'TENANT_DISABLED' });
    await tenant(true);
    expect((await report()).status).toBe(200);
  });
});
