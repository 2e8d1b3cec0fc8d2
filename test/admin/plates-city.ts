import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationRow, record, sessionRow, subscriptionRow } from '../support/journal.ts';
import { CITY, RESIDENTS, ROME, SUBSCRIPTION, seed, TENANT } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const NOW = Date.now();

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
      journal: [configurationRow(0)],
    });
    credential = await issueCredential();
  });
  beforeEach(async () => {
    await env.DB.batch(
      [
        'parking_sessions',
        'subscription_plates',
        'subscriptions',
        'calls',
        'erased_plates',
        'erasures',
        "journal where kind <> 'configuration'",
      ].map((table) => env.DB.prepare(`delete from ${table}`)),
    );
    const session = { municipalityId: 1, sourceCode: 'app1', areaId: 2, ...hour };
    await seed({
      parkingSessions: [
        { ...session, sessionId: 'one', plate: 'ERASE1' },
        { ...session, sessionId: 'two', plate: 'ERASE1' },
        { ...session, sessionId: 'three', plate: 'OTHER1' },
        { ...session, municipalityId: 2, areaId: 9, sessionId: 'theirs', plate: 'ERASE1' },
      ],
      subscriptions: [SUBSCRIPTION],
      subscriptionPlates: [
        { subscriptionId: 1, municipalityId: 1, plate: 'ERASE1' },
        { subscriptionId: 1, municipalityId: 1, plate: 'OTHER1' },
      ],
    });
    const whole = { plate: 'ERASE1', starts_at: hour.startsAt, ends_at: hour.endsAt };
    await record(
      sessionRow(NOW - HOUR_MS, { ...whole, session_id: 'one' }),
      sessionRow(NOW - HOUR_MS, { ...whole, session_id: 'two' }),
      // Corrected since: the plate is in the journal alone.
      sessionRow(NOW - HOUR_MS, { ...whole, session_id: 'three' }),
      sessionRow(NOW, { ...whole, session_id: 'three' }, { left: true }),
      subscriptionRow(NOW - HOUR_MS, 'N1', 'ERASE1'),
      subscriptionRow(NOW - HOUR_MS, 'N1', 'OTHER1'),
    );
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
