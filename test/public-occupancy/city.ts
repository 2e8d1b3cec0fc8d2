import { beforeEach, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { put as putDocument } from '../configuration/support.ts';
import { brokenDatabase } from '../support/doubles.ts';
import { type CityOfSeed, configurationVersion } from '../support/past.ts';
import { APP_SOURCE, FACILITY, importEnded, ROME, STREET, seed, TENANT } from '../support/seed.ts';
import { runCron, Service } from '../support/service.ts';

/** What the clock shows: 12:00 in Rome. */
export const NOW = Date.UTC(2026, 2, 7, 11);
export const LIST = '/api/v2/public/municipalities';
export const OCCUPANCY = `${LIST}/H501/occupancy`;
export const FEATURES = `${OCCUPANCY}.geojson`;
export const PUBLICATION = `${LIST}/H501/parking-publication-light`;

export const NEIGHBOUR = 'N1';

const PUBLIC = { ...ROME, publicOccupancyEnabled: true };
export const AT_CENTRO = { latitude: 41.9028, longitude: 12.4964 };

/** What Rome's facility shows to the public besides. */
const SAID_OF_CENTRO = {
  address: 'Piazza Centrale 1',
  website: 'https://parcheggi.example/centro?a=1&b=2',
  priceNote: '2 € l’ora',
  maxHeightCm: 210,
  disabledSpaces: 2,
  chargingSpaces: 0,
  // It was closed until just now.
  closedUntil: NOW,
};

const stay = (minutes: number) => ({
  municipalityId: 1,
  sourceCode: 'app1',
  startsAt: NOW - HOUR_MS,
  endsAt: NOW + minutes * MINUTE_MS,
});

/**
 * Rome is public: a facility of 4 spaces with three vehicles, of which one leaves within 30 and one within 60 minutes, a
 * street without a capacity, and an area that is switched off. Its neighbour is public too.
 */
export async function seedCities(): Promise<void> {
  const areas = [
    { ...STREET, capacity: null },
    { ...FACILITY, ...AT_CENTRO, ...SAID_OF_CENTRO, capacity: 4 },
    { ...STREET, id: 3, code: 'S2', name: 'Via Milano', capacity: 10, latitude: 0, longitude: -0.5 },
    { ...STREET, id: 4, code: 'A0', active: false },
    { ...FACILITY, id: 5, municipalityId: 2, latitude: 51.5, longitude: 0 },
  ];
  const sources = [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'old', active: false }];
  const rome = {
    municipality: PUBLIC,
    areas: areas.filter(({ municipalityId }) => municipalityId === 1),
    sources,
  };
  await seed({
    configurationVersions: [configurationVersion(0, rome as CityOfSeed)],
    tenants: [TENANT, { id: 2, code: 'off', name: 'Off', active: false }],
    municipalities: [
      PUBLIC,
      { ...PUBLIC, id: 2, code: NEIGHBOUR, name: 'Neighbour', timeZone: 'Europe/London', country: 'GB' },
      { ...ROME, id: 3, code: 'PRIVATE' },
      { ...PUBLIC, id: 4, code: 'INACTIVE', active: false },
      { ...PUBLIC, id: 5, code: 'DISABLED', tenantId: 2 },
    ],
    areas,
    sources,
    imports: [importEnded(NOW)],
    parkingSessions: [
      { ...stay(20), sessionId: 'a', areaId: 2, plate: 'ZQ111WXK' },
      { ...stay(50), sessionId: 'b', areaId: 2, plate: 'ZQ222WXK' },
      { ...stay(90), sessionId: 'c', areaId: 2, plate: 'ZQ333WXK' },
    ],
  });
}

/** Each test of the file begins at {@link NOW}, just after the minute's run. */
export function beginAfterTheRun(): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    await minuteRuns();
    return () => vi.useRealTimers();
  });
}

export const minuteRuns = (replaced: Partial<Env> = {}): Promise<void> =>
  runCron('* * * * *', undefined, replaced);

/** A new isolate that no database answers: it has to do without. */
export const withoutDatabase = (bindings: Partial<Env> = {}): Service =>
  new Service({ DB: brokenDatabase(), ...bindings });

/** What is put is gone with the next seed alone: a test puts back what it has changed. */
export const put = (municipality: object, service?: Service) =>
  putDocument({ municipalities: [{ code: 'H501', ...municipality }] }, service);
