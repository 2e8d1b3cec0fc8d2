import { ServiceClient } from '../../local/service-client.ts';

const HOUR_MS = 3_600_000;

/** Two cities, each in a database of its own, and the entitlements of their plates. */
export interface City {
  readonly code: string;
  readonly database: 'DB' | 'DB_2';
}

export const CITIES: readonly City[] = [
  { code: 'H501', database: 'DB' },
  { code: 'L219', database: 'DB_2' },
];

/** Plates without a payment. */
export const UNPAID = ['NOBODY1', 'NOBODY2'];

/** Puts the cities, and issues a credential for each kind of call. */
export async function buildCities(address: string, adminToken: string): Promise<ServiceClient> {
  const office = new ServiceClient(address, adminToken);
  await office.succeed('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme Parking' }],
    municipalities: CITIES.map(({ code, database }) => ({
      code,
      name: `City ${code}`,
      timezone: 'Europe/Rome',
      tenant: 'acme',
      database,
      areas: [{ code: 'S1', name: 'Street', area_type: 'street' }],
      sources: [{ code: 'app1', name: 'App One', category: 'app' }],
    })),
  });
  const { access_token: token } = await office.succeed('POST', '/api/v2/admin/credentials', {
    tenant: 'acme',
    name: 'Rehearsal',
    scopes: ['plate_check', 'import', 'subscription_options'],
    municipalities: CITIES.map(({ code }) => code),
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  return new ServiceClient(address, String(token));
}

/** A line of a session that runs now. */
export const lineOf = (plate: string): string =>
  JSON.stringify({
    session_id: plate,
    plate,
    area_code: 'S1',
    starts_at: new Date(Date.now() - HOUR_MS).toISOString(),
    ends_at: new Date(Date.now() + 10 * HOUR_MS).toISOString(),
  });
