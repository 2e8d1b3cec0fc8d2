import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { never } from '../support/afterwards.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import {
  active,
  beginWithEmptyCity,
  minuteRuns,
  NOW,
  parks,
  report,
  SNAPSHOT,
  withoutDatabase,
} from './city.ts';

beginWithEmptyCity();

/** What the minute's run has stored, with one text in place of another. */
async function rewritten(from: string, to: string): Promise<void> {
  await minuteRuns();
  const value = (await env.SNAPSHOTS.get(SNAPSHOT)) ?? expect.fail('nothing was stored');
  expect(value).toContain(from);
  await env.SNAPSHOTS.put(SNAPSHOT, value.replaceAll(from, to));
}

/** What is in the store, where the municipality's snapshot of the minute should be. */
const IN_STORE: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['there is no snapshot', async () => {}],
  ['it is older than 120 s', () => minuteRuns(NOW - 120 * SECOND_MS - 1)],
  ['it is of a clock that runs far ahead', () => minuteRuns(NOW + MINUTE_MS)],
  ['it is of another version', () => rewritten('"version":4', '"version":0')],
  ['its counters are too few', () => rewritten('"activeNow":0,', '')],
  ['it is of another municipality', () => rewritten('"H501"', '"OTHER"')],
  ['its time zone is unknown', () => rewritten('Europe/Rome', 'Europe/Roma')],
  ['an instant in it is of no year', () => rewritten(`SuccessfulAt":${NOW}`, 'SuccessfulAt":8.64e15')],
  ['it is no JSON', () => env.SNAPSHOTS.put(SNAPSHOT, '<html>')],
  ['it is not a text', () => env.SNAPSHOTS.put(SNAPSHOT, new Uint8Array([0x73, 0x00, 0xff, 0x5b]))],
];

describe('A report is made from the database', () => {
  it.each(IN_STORE)('when %s, or is a 500, never an empty or an old one', async (_, prepare) => {
    await prepare();
    const { status, headers, body } = await report(withoutDatabase());
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    expect(headers.get('X-Service-Report')).toBe('active_by_area');
    expect(body).not.toHaveProperty('rows');
    await parks('A');
    expect(await active()).toBe(1);
  });

  it.each([
    ['says yes, and answers: this one is not', '"H501"', '"H501"', 0],
    ['says that the tenant is disabled', '"tenantActive":true', '"tenantActive":false', 1],
    ['is of another tenant', '"tenantCode":"acme"', '"tenantCode":"other"', 1],
    ['says that the report is switched off', '"reportEnabled":true', '"reportEnabled":false', 1],
  ])('though the minute’s snapshot is recent, which %s', async (_, from, to, count) => {
    await rewritten(from, to);
    await parks('A');
    expect(await active()).toBe(count);
  });
});

/** A database that counts computations, each of which is kept from ending as a test says. */
function computing(ends: (computation: number, run: () => Promise<unknown>) => Promise<unknown>) {
  let computations = 0;
  const DB = databaseDouble({
    around: (run, sql) => {
      if (!/parking_sessions/.test(sql)) return run();
      computations += 1;
      return ends(computations, run);
    },
  });
  return { DB, computations: () => computations };
}

describe('A report that is made from the database', () => {
  it('is kept for 30 s and says how old it is, unless the minute’s run has one', async () => {
    const { DB, computations } = computing((_, run) => run());
    const service = new Service({ DB });
    await parks('A');
    await report(service);
    await parks('B');
    vi.setSystemTime(NOW + 30 * SECOND_MS - 1);
    expect((await report(service)).body).toMatchObject({
      checked_at: '2026-03-07T12:00:00+01:00',
      totals: { active_now: 1 },
    });
    vi.setSystemTime(NOW + 30 * SECOND_MS);
    expect(await active(service)).toBe(2);
    expect(computations()).toBe(2);
    await parks('C');
    await minuteRuns();
    expect(await active(service)).toBe(3);
  });

  it('is made once for all calls of an isolate that come together', async () => {
    await parks('A');
    const { DB, computations } = computing(async (_, run) => {
      await scheduler.wait(50);
      return run();
    });
    const service = new Service({ DB });
    expect(await Promise.all(Array.from({ length: 8 }, () => active(service)))).toEqual(Array(8).fill(1));
    expect(computations()).toBe(1);
  });

  it('is not made to be refused', async () => {
    const { DB, computations } = computing((_, run) => run());
    const reportEnabled = (is: number) =>
      env.DB.prepare('update municipalities set report_enabled = ?').bind(is).run();
    await reportEnabled(0);
    const { body } = await report(new Service({ DB }));
    await reportEnabled(1);
    expect([body.error, computations()]).toMatchObject([{ code: 'SERVICE_DISABLED' }, 0]);
  });

  it('is made again after one that failed', async () => {
    const { DB } = computing((computation, run) =>
      computation === 1 ? Promise.reject(new Error('D1 is away')) : run(),
    );
    const service = new Service({ DB });
    expect((await report(service)).status).toBe(500);
    expect((await report(service)).status).toBe(200);
  });

  it('is waited for by the calls of five seconds where it hangs; the next one has another, and shares that', async () => {
    const { DB, computations } = computing((computation, run) => (computation === 1 ? never() : run()));
    const service = new Service({ DB });
    // What hangs is never answered: their calls are left to themselves.
    const hanging = [0, 4_999].map((ms) => {
      vi.setSystemTime(NOW + ms);
      return report(service);
    });
    for (const call of hanging) call.catch(() => {});
    await vi.waitFor(() => expect(computations()).toBe(1));
    vi.setSystemTime(NOW + 5_000);
    expect((await report(service)).body.checked_at).toBe('2026-03-07T12:00:05+01:00');
    vi.setSystemTime(NOW + 9_999);
    expect((await report(service)).body.checked_at).toBe('2026-03-07T12:00:05+01:00');
    expect(computations()).toBe(2);
  });
});

it('A computation that fails late leaves the one that was made meanwhile', async () => {
  const late = Promise.withResolvers<unknown>();
  const { DB, computations } = computing((computation, run) => (computation === 1 ? late.promise : run()));
  const service = new Service({ DB });
  const hanging = report(service);
  await vi.waitFor(() => expect(computations()).toBe(1));
  vi.setSystemTime(NOW + 5_000);
  expect((await report(service)).status).toBe(200);
  late.reject(new Error('D1 is away'));
  expect((await hanging).status).toBe(500);
  vi.setSystemTime(NOW + 15_000);
  expect((await report(service)).body.checked_at).toBe('2026-03-07T12:00:05+01:00');
  expect(computations()).toBe(2);
});

describe('While the store cannot be reached', () => {
  it.each<[string, (method: string) => boolean]>([
    ['at all', () => true],
    ['for reading', (method) => method === 'get'],
    ['for writing', (method) => method === 'put'],
  ])('%s, an isolate makes one report of a city and answers from it', async (_, isAway) => {
    const { DB, computations } = computing((_computation, run) => run());
    const SNAPSHOTS = snapshotsDouble((run, method) =>
      isAway(method) ? Promise.reject(new Error('KV is away')) : run(),
    );
    const service = new Service({ DB, SNAPSHOTS });
    await parks('A');
    expect(await active(service)).toBe(1);
    await parks('B');
    for (let call = 0; call < 3; call += 1) expect(await active(service)).toBe(1);
    expect(computations()).toBe(1);
  });
});
