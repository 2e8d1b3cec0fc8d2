import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { active, beginWithEmptyCity, minuteRuns, NOW, PATH, parks, report, withoutDatabase } from './city.ts';

beginWithEmptyCity();

describe('A report with a recent snapshot', () => {
  it('comes from the snapshot alone, is what it would be without one, and says what instant it is true for', async () => {
    await parks('A');
    const { body: live } = await report();
    await minuteRuns();
    const { body: stored } = await report(withoutDatabase(), { municipality_code: 'H501' });
    expect({ ...stored, request_id: null }).toEqual({ ...live, request_id: null });
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

  it('costs one object call, one KV read, which an isolate keeps for five seconds, and no D1', async () => {
    await minuteRuns();
    const { headers } = await issueCredential({}, [1, 2]);
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    const ask = () => service.post(PATH, { municipality_code: 'OTHER' }, headers);
    expect((await ask()).body.municipality).toMatchObject({ code: 'OTHER' });
    expect(cost).toMatchObject({ objectCalls: 1, kvCalls: 1, roundTrips: 0 });
    vi.setSystemTime(NOW + 5 * SECOND_MS - 1);
    await ask();
    expect(cost).toMatchObject({ objectCalls: 2, kvCalls: 1, roundTrips: 0 });
    vi.setSystemTime(NOW + 5 * SECOND_MS);
    await ask();
    expect(cost).toMatchObject({ kvCalls: 2 });
  });

  it('keeps none that has grown too old meanwhile', async () => {
    await minuteRuns(NOW - 120 * SECOND_MS);
    const service = new Service();
    expect(await active(service)).toBe(0);
    await parks('A');
    vi.setSystemTime(NOW + 1);
    expect(await active(service)).toBe(1);
  });

  it('reads the next one where that which it has read is too old, though it may hold it for five seconds', async () => {
    const service = withoutDatabase();
    await minuteRuns(NOW - 120 * SECOND_MS);
    expect(await active(service)).toBe(0);
    await parks('A');
    await minuteRuns();
    vi.setSystemTime(NOW + 1);
    expect(await active(service)).toBe(1);
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
});
