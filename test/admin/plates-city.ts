import { beforeEach } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { configurationVersion, storeSession, storeSubscription } from '../support/past.ts';
import { CITY, ROME, TENANT } from '../support/seed.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const NOW = Date.now();

/** When every session of {@link cityWithAPlate} runs. */
export const hour = { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS };

/**
 * Registers the cities of two tenants, and what they hold on the plate ERASE1 and on another: sessions, a subscription, and
 * a history of both. The caller is the first city's.
 */
export function cityWithAPlate(): City {
  const session = { municipalityId: 2, sourceCode: 'app1', areaId: 9, ...hour };
  const city = new City(
    {
      ...CITY,
      tenants: [TENANT, { id: 2, code: 'other', name: 'Other', active: true }],
      municipalities: [ROME, { ...ROME, id: 2, code: 'L219', tenantId: 2 }],
      areas: [...CITY.areas, { ...CITY.areas[1], id: 9, municipalityId: 2 }],
      sources: [...CITY.sources, { ...CITY.sources[0], id: 9, municipalityId: 2 }],
      parkingSessions: [{ ...session, sessionId: 'theirs', plate: 'ERASE1', recordedAt: NOW }],
      configurationVersions: [configurationVersion(0)],
    },
    { anew: true },
  );
  beforeEach(async () => {
    const whole = { plate: 'ERASE1', starts_at: hour.startsAt, ends_at: hour.endsAt };
    for (const session_id of ['one', 'two', 'three']) {
      await storeSession(NOW - HOUR_MS, { ...whole, session_id });
    }
    // Corrected since: the plate is in the past alone.
    await storeSession(NOW, { ...whole, session_id: 'three', plate: 'OTHER1' });
    await storeSubscription(NOW - HOUR_MS, { number: 'N1', plates: ['ERASE1', 'OTHER1'] });
  });
  return city;
}

/** Calls about the plate: a check, two options queries, and four whose body is no JSON. */
export async function makeCalls(city: City): Promise<void> {
  await city.post(CHECK, { plate: 'erase-1' });
  await city.post(OPTIONS, { plate: 'era se 1', terminal_code: 'T1' });
  await city.post(OPTIONS, { plate: 'OTHER1', terminal_code: 'ERASE1' });
  for (const body of ['{"plate": "ERASE1"', '{"plate": "É, rase 1"', '{"plate": ＥＲａｓｅ-1 }', 'erase/1']) {
    await city.post(OPTIONS, body, { 'Content-Type': 'application/json' });
  }
}
