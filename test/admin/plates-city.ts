import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion, storeSession, storeSubscription } from '../support/past.ts';
import { CITY, RESIDENTS, ROME, seed, TENANT } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const NOW = Date.now();

/** What a test may have filled, each before those that it refers to. */
const TABLES = [
  ...['past_parking_sessions', 'parking_sessions', 'past_subscription_plates', 'past_subscriptions'],
  ...['subscription_plates', 'subscriptions', 'calls', 'erased_plates'],
];

/** When every session of {@link citiesWithAPlate} runs. */
export const hour = { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS };

/** For the first city. */
export let credential: TestCredential;

/**
 * Registers the cities of two tenants, and before each test what they hold on the plate ERASE1 and on another: sessions, a
 * subscription, and a history of both.
 */
export function citiesWithAPlate(): void {
  beforeAll(async () => {
    await seed({
      ...CITY,
      tenants: [TENANT, { id: 2, code: 'other', name: 'Other', active: true }],
      municipalities: [ROME, { ...ROME, id: 2, code: 'L219', tenantId: 2 }],
      areas: [...CITY.areas, { ...CITY.areas[1], id: 9, municipalityId: 2 }],
      sources: [...CITY.sources, { ...CITY.sources[0], id: 9, municipalityId: 2 }],
      subscriptionTypes: [RESIDENTS],
      configurationVersions: [configurationVersion(0)],
    });
    credential = await issueCredential();
  });
  beforeEach(async () => {
    await env.DB.batch(TABLES.map((table) => env.DB.prepare(`delete from ${table}`)));
    const session = { municipalityId: 1, sourceCode: 'app1', areaId: 2, ...hour };
    await seed({
      parkingSessions: [
        { ...session, municipalityId: 2, areaId: 9, sessionId: 'theirs', plate: 'ERASE1', recordedAt: NOW },
      ],
    });
    const whole = { plate: 'ERASE1', starts_at: hour.startsAt, ends_at: hour.endsAt };
    for (const session_id of ['one', 'two', 'three']) {
      await storeSession(NOW - HOUR_MS, { ...whole, session_id });
    }
    // Corrected since: the plate is in the past alone.
    await storeSession(NOW, { ...whole, session_id: 'three', plate: 'OTHER1' });
    await storeSubscription(NOW - HOUR_MS, { number: 'N1', plates: ['ERASE1', 'OTHER1'] });
  });
}

/** Calls about the plate: a check, two options queries, and four whose body is no JSON. */
export async function makeCalls(): Promise<void> {
  const { headers } = credential;
  const json = { 'Content-Type': 'application/json', ...headers };
  await new Service().settle(CHECK, { method: 'POST', body: { plate: 'erase-1' }, headers });
  await new Service().settle(OPTIONS, {
    method: 'POST',
    body: { plate: 'era se 1', terminal_code: 'T1' },
    headers,
  });
  await new Service().settle(OPTIONS, {
    method: 'POST',
    body: { plate: 'OTHER1', terminal_code: 'ERASE1' },
    headers,
  });
  for (const body of ['{"plate": "ERASE1"', '{"plate": "É, rase 1"', '{"plate": ＥＲａｓｅ-1 }', 'erase/1']) {
    await new Service().settle(OPTIONS, { method: 'POST', body, headers: json });
  }
}
