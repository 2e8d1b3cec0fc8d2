import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { PATH as CONFIGURATION } from '../configuration/support.ts';
import { noSnapshots } from '../support/doubles.ts';
import { migrate } from '../support/migrated.ts';
import { ADMIN, type Answer, bearer, Service } from '../support/service.ts';

/** The service where the city is, and another one, into which it is restored. They share the credentials' objects. */
export const HERE = new Service({ SNAPSHOTS: noSnapshots() });
export const THERE = new Service({ DB: env.OTHER_CELL, SNAPSHOTS: noSnapshots() });

const SCOPES = [
  ...['plate_check', 'subscription_options', 'report', 'import', 'evidence', 'entitlement_list'],
  'patrol',
];

/** Prepares both, with a tenant of the same id, so that a credential is good for both. */
export async function beginCells(): Promise<void> {
  await migrate(env.OTHER_CELL);
  await putDocument(HERE, { tenants: [{ code: 'acme', name: 'Acme' }] });
  const id = await env.DB.prepare("select id from tenants where code = 'acme'").first('id');
  await env.OTHER_CELL.prepare(
    "insert or ignore into tenants (id, code, name, active) values (?, 'acme', 'Acme', true)",
  )
    .bind(id)
    .run();
  // It has the id of the first city here.
  await putDocument(THERE, { municipalities: [configured('FIRST', 'acme')] });
}

/** A city, with the headers of a credential for it alone. */
export interface City {
  readonly service: Service;
  readonly code: string;
  readonly headers: Record<string, string>;
}

const configured = (code: string, tenant: string) => ({
  ...{ code, name: code, tenant, timezone: 'Europe/Rome', services: { public_occupancy: true } },
  areas: [
    {
      code: 'P1',
      name: 'Centro',
      area_type: 'facility',
      capacity: 300,
      facility: { subscription_access: true },
    },
    { code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
  ],
  sources: [{ code: 'app1', name: 'App One', category: 'app' }],
  subscription_types: [{ code: 'RES', name: 'Residents' }],
  plans: [
    {
      ...{ codice_tariffa: '101', subscription_type: 'RES', importo_eurocent: 2_500 },
      ...{ duration: 'P1M', descrizione: 'MENSILE' },
    },
  ],
});

async function administrate(service: Service, method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await service.call(path, { method, headers: ADMIN, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
}

export const putDocument = (service: Service, document: unknown): Promise<Answer> =>
  administrate(service, 'PUT', CONFIGURATION, document);

/** The headers of a credential for a city. */
export async function credentialFor(
  service: Service,
  code: string,
  changed: object = {},
): Promise<Record<string, string>> {
  const { body } = await administrate(service, 'POST', '/api/v2/admin/credentials', {
    ...{ tenant: 'acme', name: 'any', scopes: SCOPES, municipalities: [code] },
    rate_limit: { limit: 10_000, window_seconds: 60 },
    ...changed,
  });
  return bearer(String(body.access_token));
}

/** A new city here. */
export async function settle(code: string, { tenant = 'acme' } = {}): Promise<City> {
  await putDocument(HERE, { municipalities: [configured(code, tenant)] });
  return { service: HERE, code, headers: await credentialFor(HERE, code, { tenant }) };
}

/** Sends lines to a city, whatever becomes of them. */
export function send(
  { service, headers, code }: City,
  kind: 'sessions' | 'subscriptions',
  ...lines: readonly object[]
): Promise<Answer> {
  const query = new URLSearchParams({
    municipality_code: code,
    ...(kind === 'sessions' && { source_code: 'app1' }),
  });
  return service.call(`/api/v2/imports/${kind}?${query}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
}

export const iso = (at: number): string => new Date(at).toISOString();
export const around = (now: number) => ({ starts_at: iso(now - HOUR_MS), ends_at: iso(now + HOUR_MS) });

export const session = (session_id: string, plate: string) => ({
  ...{ session_id, plate, area_code: 'P1' },
  ...around(Date.now()),
});

export const subscription = (
  subscription_number: string,
  plates: readonly string[],
  changed: object = {},
) => ({
  ...{ subscription_number, type: 'RES', approval: 'approved', areas: 'all' },
  plates: plates.map((plate) => ({ plate })),
  periods: [around(Date.now())],
  ...changed,
});

/** A municipality's id in any database, as SQL. */
export const idOf = (code: string): string => `(select id from municipalities where code = '${code}')`;

export const check = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking-entitlements/search', body, headers);

export const report = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking/reports/active-by-area', { area_type: 'facility', ...body }, headers);

export const options = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking-meters/subscription-options', body, headers);
