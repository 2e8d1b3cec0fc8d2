import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings, databaseDouble, objectsDouble, snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { beginWithEmptyCity, minuteRuns, NOW, PATH, parks, report, withoutDatabase } from './city.ts';

beginWithEmptyCity();

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

  it('says as well when its counters were computed', async () => {
    const DB = databaseDouble({
      around: async (read) => {
        const result = await read();
        vi.setSystemTime(Date.now() + 2 * SECOND_MS);
        return result;
      },
    });
    await minuteRuns(NOW, { DB });
    const { body } = await report(withoutDatabase());
    // The list of municipalities took two seconds, and their rows as long.
    expect(body).toMatchObject({
      generated_at: '2026-03-07T12:00:04+01:00',
      checked_at: '2026-03-07T12:00:00+01:00',
      after_30: '2026-03-07T12:30:00+01:00',
    });
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
    const { headers } = await issueCredential();
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    await service.post(PATH, {}, headers);
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
    const asked = () => ({ object: Promise.withResolvers<void>(), kv: Promise.withResolvers<void>() });
    let warm: ReturnType<typeof asked> | null = null;
    const service = new Service({
      // Neither answers before the other has been asked: one after the other would never end.
      CREDENTIALS: objectsDouble(async (run) => {
        warm?.object.resolve();
        await warm?.kv.promise;
        return run();
      }),
      SNAPSHOTS: snapshotsDouble(async (run) => {
        warm?.kv.resolve();
        await warm?.object.promise;
        return run();
      }),
    });
    warm = asked();
    expect((await report(service, { municipality_code: 'H501' })).status).toBe(200);
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
