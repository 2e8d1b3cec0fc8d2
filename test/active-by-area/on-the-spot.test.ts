import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { instant, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';
import { joinLines, packSnapshot } from '../../src/snapshots/packed-format.ts';
import type { SnapshotMunicipality } from '../../src/snapshots/snapshot.ts';
import { never } from '../support/afterwards.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import {
  active,
  beginWithEmptyCity,
  minuteRuns,
  NOW,
  PACK,
  parks,
  report,
  SPOT,
  withoutDatabase,
} from './city.ts';

beginWithEmptyCity();

describe('A report is made from the database', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['there is no snapshot', async () => {}],
    ['it is older than 120 s', () => minuteRuns(NOW - 120 * SECOND_MS - 1)],
    ['it is of a clock that runs far ahead', () => minuteRuns(NOW + MINUTE_MS)],
    ['it is of another version', () => env.SNAPSHOTS.put(PACK, 'snapshots/0\n["H501",1]')],
    ['it is cut off', () => env.SNAPSHOTS.put(PACK, joinLines(['["H501",']))],
    ['it is nothing at all', () => env.SNAPSHOTS.put(PACK, '')],
  ])('when %s', async (_, prepare) => {
    await prepare();
    await parks('A');
    expect(await active()).toBe(1);
  });

  describe('though the minute’s snapshot is recent', () => {
    const NINETY_NINE = { ...NO_VEHICLES, activeNow: 99 };
    const snapshotIs = (changed: Partial<SnapshotMunicipality>) => {
      const line = packSnapshot({
        at: instant(NOW),
        computedAt: instant(NOW),
        municipality: {
          id: 1,
          code: 'H501',
          name: 'Roma',
          timeZone: 'Europe/Rome',
          tenantId: 1,
          tenantActive: true,
          reportEnabled: true,
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
            all: NINETY_NINE,
            bySource: new Map(),
          },
        ],
      });
      return env.SNAPSHOTS.put(PACK, joinLines([line]));
    };

    it.each<[string, Partial<SnapshotMunicipality>, number]>([
      ['which says yes, and answers: this one is not', {}, 99],
      ['which says that the tenant is disabled', { tenantActive: false }, 1],
      ['which is of another tenant', { tenantId: 2 }, 1],
      ['which says that the report is switched off', { reportEnabled: false }, 1],
    ])('%s', async (_, changed, count) => {
      await snapshotIs(changed);
      await parks('A');
      expect(await active()).toBe(count);
    });

    it('which says no, and kept for the next one all the same', async () => {
      await snapshotIs({ reportEnabled: false });
      await parks('A');
      expect(await active()).toBe(1);
      expect(await active(withoutDatabase())).toBe(1);
    });
  });

  it('when KV fails', async () => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble(() => Promise.reject(new Error('KV is away')));
    expect(await active(new Service({ SNAPSHOTS }))).toBe(1);
  });

  it('when KV hangs', async () => {
    await parks('A');
    const SNAPSHOTS = snapshotsDouble((run, method) => (method === 'get' ? never() : run()));
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
