import { env } from 'cloudflare:workers';
import { beforeEach, vi } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { put } from '../configuration/support.ts';
import { City } from '../support/city.ts';
import { brokenDatabase } from '../support/doubles.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, FACILITY, importEnded, ROME, STREET, seed } from '../support/seed.ts';
import { runCron, Service } from '../support/service.ts';

/** What the clock shows. */
export const NOW = Date.UTC(2026, 2, 7, 11);
export const PATH = '/api/v2/parking/reports/active-by-area';
export const SNAPSHOT = 'snapshot:H501';
let city: City;

/** Each test of the file begins at {@link NOW}, with no snapshots and nobody parked. */
export function beginWithEmptyCity(): City {
  city = new City(
    {
      ...CITY,
      municipalities: [ROME, { ...ROME, id: 2, code: 'OTHER' }],
      areas: [STREET, FACILITY, { ...STREET, id: 3, municipalityId: 2 }],
      imports: [importEnded(NOW)],
      configurationVersions: [configurationVersion(0)],
    },
    { now: NOW },
  );
  beforeEach(async () => {
    const { keys } = await env.SNAPSHOTS.list();
    await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
    await env.DB.prepare('delete from parking_sessions').run();
  });
  return city;
}

/** The minute's run, by a clock that shows the instant. */
export async function minuteRuns(at = NOW, replaced: Partial<Env> = {}): Promise<void> {
  const now = Date.now();
  vi.setSystemTime(at);
  await runCron('* * * * *', undefined, replaced);
  vi.setSystemTime(now);
}

/** A vehicle parks in the street. */
export const parks = (plate: string) =>
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

/** Of a new isolate, unless another is given. */
export const report = (service = new Service(), body: object = {}, headers = {}) =>
  city.post(PATH, body, headers, service);

/** Changes the municipality. */
export const configure = (municipality: object, service?: Service) =>
  put({ municipalities: [{ code: 'H501', ...municipality }] }, service);

/** How many a report counts now; undefined where it answers something else. */
export const active = async (service?: Service) =>
  ((await report(service)).body.totals as Record<string, number> | undefined)?.active_now;

export const withoutDatabase = (bindings: Partial<Env> = {}) =>
  new Service({ DB: brokenDatabase(), ...bindings });
