import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { Snapshot } from '../../src/core/snapshots/snapshot.ts';
import { instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
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

const bytes = new Uint8Array([0x73, 0x00, 0xff, 0xfe, 0x0a, 0x5b]);

/** What is in the store, where the municipality's snapshot of the minute should be. */
const IN_STORE: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['there is no snapshot', async () => {}],
  ['it is older than 120 s', () => minuteRuns(NOW - 120 * SECOND_MS - 1)],
  ['it is of a clock that runs far ahead', () => minuteRuns(NOW + MINUTE_MS)],
  ['it is of another version', () => rewritten((text) => text.replace('"version":3', '"version":0'))],
  ['it is cut off', () => rewritten((text) => text.slice(0, 100))],
  ['its counters are too few', () => rewritten((text) => text.replaceAll('"activeNow":0,', ''))],
  ['it is of another municipality', () => rewritten((text) => text.replaceAll('"H501"', '"OTHER"'))],
  ['its time zone is unknown', () => rewritten((text) => text.replaceAll('Europe/Rome', 'Europe/Roma'))],
  ['its time zone is none', () => rewritten((text) => text.replaceAll('Europe/Rome', '+01:00'))],
  [
    'an instant in it is of no year',
    () => rewritten((text) => text.replace(`SuccessfulAt":${NOW}`, 'SuccessfulAt":8.64e15')),
  ],
  ['it is no JSON', () => env.SNAPSHOTS.put(SNAPSHOT, '<html>')],
  ['it is not a text', () => env.SNAPSHOTS.put(SNAPSHOT, bytes)],
  ['it is nothing at all', () => env.SNAPSHOTS.put(SNAPSHOT, '')],
];

/** What the minute's run has stored, changed. */
async function rewritten(change: (value: string) => string): Promise<void> {
  await minuteRuns();
  const value = (await env.SNAPSHOTS.get(SNAPSHOT)) ?? expect.fail('nothing was stored');
  const changed = change(value);
  expect(changed).not.toBe(value);
  await env.SNAPSHOTS.put(SNAPSHOT, changed);
}

describe('A report is made from the database', () => {
  it.each(IN_STORE)('when %s', async (_, prepare) => {
    await prepare();
    await parks('A');
    expect(await active()).toBe(1);
  });

  it.each(IN_STORE)('or is a 500, never an empty or an old one, when %s', async (_, prepare) => {
    await prepare();
    const { status, headers, body } = await report(withoutDatabase());
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    expect(headers.get('X-Service-Report')).toBe('active_by_area');
    expect(body).not.toHaveProperty('rows');
  });

  it.each([42, {}, [], new ArrayBuffer(3), undefined])('when the store answers with %o', async (rubbish) => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble((run, method) => (method === 'get' ? Promise.resolve(rubbish) : run()));
    expect(await active(new Service({ SNAPSHOTS }))).toBe(1);
  });

  describe('though the minute’s snapshot is recent', () => {
    const NINETY_NINE = { ...NO_VEHICLES, activeNow: 99 };
    const snapshotIs = (changed: Partial<Snapshot['municipality']>) => {
      const snapshot: Snapshot = {
        version: 3,
        at: instant(NOW),
        computedAt: instant(NOW),
        municipality: {
          id: 1,
          code: 'H501',
          name: 'Roma',
          timeZone: 'Europe/Rome',
          country: 'IT',
          tenantCode: 'acme',
          tenantActive: true,
          reportEnabled: true,
          publicMaxAgeMinutes: 60,
          dataProtectionUrl: null,
          accessibilityUrl: null,
          ...changed,
        },
        sources: [],
        areas: [
          {
            id: 1,
            code: 'S1',
            name: 'Via Roma',
            areaType: 'street',
            capacity: null,
            coordinates: null,
            details: {
              ...{ address: null, website: null, priceNote: null, maxHeightCm: null },
              ...{ disabledSpaces: null, chargingSpaces: null, closedUntil: null },
              ...{ paymentDue: true, paymentDueChangesAt: null, paidHours: null },
            },
            all: NINETY_NINE,
            bySource: {},
          },
        ],
      };
      return env.SNAPSHOTS.put(SNAPSHOT, JSON.stringify(snapshot));
    };

    it.each<[string, Partial<Snapshot['municipality']>, number]>([
      ['which says yes, and answers: this one is not', {}, 99],
      ['which says that the tenant is disabled', { tenantActive: false }, 1],
      ['which is of another tenant', { tenantCode: 'other' }, 1],
      ['which says that the report is switched off', { reportEnabled: false }, 1],
    ])('%s', async (_, changed, count) => {
      await snapshotIs(changed);
      await parks('A');
      expect(await active()).toBe(count);
    });
  });

  it('and kept for 30 s, unless the minute’s run has one', async () => {
    const service = new Service();
    await parks('A');
    expect(await active(service)).toBe(1);
    await parks('B');
    vi.setSystemTime(NOW + 30 * SECOND_MS - 1);
    expect(await active(service)).toBe(1);
    await minuteRuns();
    expect(await active(service)).toBe(2);
  });

  it('once for all calls of an isolate that come together', async () => {
    await parks('A');
    let batches = 0;
    const DB = databaseDouble({
      around: async (run, sql) => {
        const result = await run();
        batches += /parking_sessions/.test(sql) ? 1 : 0;
        await scheduler.wait(50);
        return result;
      },
    });
    const service = new Service({ DB });
    const answers = await Promise.all(Array.from({ length: 8 }, () => active(service)));
    expect(answers).toEqual(Array(8).fill(1));
    expect(batches).toBe(1);
    vi.setSystemTime(NOW + 30 * SECOND_MS);
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
});

describe('While the store cannot be reached', () => {
  const away = () => Promise.reject(new Error('KV is away'));

  /** An isolate without KV, or without a part of it; it counts its computations and other round trips to D1. */
  function isolateWithout(isAway: (method: string) => boolean) {
    const trips = { computations: 0, others: 0 };
    let isUp = false;
    const DB = databaseDouble({
      around: async (run, sql) => {
        if (!/"calls"|call_log/.test(sql)) {
          trips[/parking_sessions/.test(sql) ? 'computations' : 'others'] += 1;
        }
        return run();
      },
    });
    const SNAPSHOTS = snapshotsDouble((run, method) => (isAway(method) && !isUp ? away() : run()));
    const service = new Service({ DB, SNAPSHOTS });
    const storeIsBack = () => {
      isUp = true;
    };
    return { service, trips, storeIsBack };
  }

  it.each<[string, (method: string) => boolean]>([
    ['at all', () => true],
    ['for reading', (method) => method === 'get'],
    ['for writing', (method) => method === 'put'],
  ])('%s, an isolate makes one report of a city and answers from it', async (_, isAway) => {
    const { service, trips } = isolateWithout(isAway);
    await parks('A');
    expect(await active(service)).toBe(1);
    await parks('B');
    for (let call = 0; call < 3; call += 1) expect(await active(service)).toBe(1);
    expect(trips.computations).toBe(1);
  });

  it('that report is shown for 30 s, says how old it is, and is then made again', async () => {
    const { service, trips } = isolateWithout(() => true);
    await report(service);
    vi.setSystemTime(NOW + 30 * SECOND_MS - 1);
    expect((await report(service)).body.checked_at).toBe('2026-03-07T12:00:00+01:00');
    vi.setSystemTime(NOW + 30 * SECOND_MS);
    expect((await report(service)).body.checked_at).toBe('2026-03-07T12:00:30+01:00');
    expect(trips.computations).toBe(2);
  });

  it('a change of the configuration shows within 120 s', async () => {
    const { service } = isolateWithout(() => true);
    const firstCapacity = async () => {
      const { rows } = (await report(service)).body as { rows: { capacity: number }[] };
      return rows[0]?.capacity;
    };
    const put = (capacity: number) =>
      service.call('/api/v2/admin/configuration', {
        method: 'PUT',
        headers: ADMIN,
        body: { municipalities: [{ code: 'H501', areas: [{ code: 'S1', capacity }] }] },
      });
    expect(await firstCapacity()).toBe(40);
    await put(43);
    vi.setSystemTime(NOW + 120 * SECOND_MS + 1);
    expect(await firstCapacity()).toBe(43);
    await put(40);
  });

  it('and no longer: the minute’s snapshot is believed as soon as it can be read', async () => {
    const { service, storeIsBack } = isolateWithout(() => true);
    expect(await active(service)).toBe(0);
    await parks('A');
    await minuteRuns();
    expect(await active(service)).toBe(0);
    storeIsBack();
    expect(await active(service)).toBe(1);
  });
});
