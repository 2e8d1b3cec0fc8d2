import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { PATH as CONFIGURATION } from '../configuration/support.ts';
import { ADMIN, type Answer, bearer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';

/** The cities, each in a database of its own. */
export const CITIES = [
  { code: 'H501', name: 'Roma', database: 'DB' },
  { code: 'L219', name: 'Torino', database: 'DB_2' },
  { code: 'F205', name: 'Milano', database: 'DB_3' },
] as const satisfies readonly { code: string; name: string; database: DatabaseName }[];
export type City = (typeof CITIES)[number];

export const [ROMA, TORINO, MILANO] = CITIES;

export const city = ({ code, name, database }: { code: string; name: string; database: string }) => ({
  code,
  name,
  database,
  timezone: 'Europe/Rome',
  tenant: 'acme',
  services: { public_occupancy: true },
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

export const NATION = { tenants: [{ code: 'acme', name: 'Acme' }], municipalities: CITIES.map(city) };

export async function administrate(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await service.call(path, { method, headers: ADMIN, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
}

export const putDocument = (service: Service, document: unknown): Promise<Answer> =>
  administrate(service, 'PUT', CONFIGURATION, document);

/** The headers of a credential for these cities. */
export async function credentialFor(
  service: Service,
  municipalities: readonly string[],
  changed: object = {},
): Promise<Record<string, string>> {
  const { body } = await administrate(service, 'POST', '/api/v2/admin/credentials', {
    tenant: 'acme',
    name: 'any',
    scopes: ['plate_check', 'subscription_options', 'report', 'import'],
    municipalities,
    rate_limit: { limit: 10_000, window_seconds: 60 },
    ...changed,
  });
  return bearer(String(body.access_token));
}

const text = (at: number): string => new Date(at).toISOString();
export const around = (now: number) => ({ starts_at: text(now - HOUR_MS), ends_at: text(now + HOUR_MS) });

/** Imports lines, which must all be taken. */
export async function importLines(
  service: Service,
  headers: Record<string, string>,
  kind: 'sessions' | 'subscriptions',
  code: string,
  lines: readonly object[],
): Promise<Answer> {
  const query = new URLSearchParams({
    municipality_code: code,
    ...(kind === 'sessions' && { source_code: 'app1' }),
  });
  const answer = await service.call(`/api/v2/imports/${kind}?${query}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect([answer.status, answer.body.rejected], JSON.stringify(answer.body)).toEqual([200, 0]);
  return answer;
}

/** A plate that is parked in the facility of a city, and holds a subscription there. */
export const plateOf = ({ code }: { code: string }): string => `AA${code}`;

export async function parkIn(
  service: Service,
  headers: Record<string, string>,
  where: { code: string },
): Promise<void> {
  const plate = plateOf(where);
  const now = Date.now();
  await importLines(service, headers, 'sessions', where.code, [
    { session_id: 'S-1', plate, area_code: 'P1', ...around(now) },
  ]);
  await importLines(service, headers, 'subscriptions', where.code, [
    {
      ...{ subscription_number: 'R-1', type: 'RES', plates: [{ plate }], approval: 'approved', areas: 'all' },
      periods: [around(now)],
    },
  ]);
}

export const check = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking-entitlements/search', body, headers);

export const report = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking/reports/active-by-area', { area_type: 'facility', ...body }, headers);

export const options = (service: Service, headers: Record<string, string>, body: object): Promise<Answer> =>
  service.post('/api/v2/parking-meters/subscription-options', body, headers);

/** Asks to move a municipality, a part of the way. */
export const moveOf = (service: Service, code: string, to: string): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/move`, { method: 'POST', headers: ADMIN, body: { to } });

/** Asks to call a move off, a part of the way. */
export const callOffOf = (service: Service, code: string): Promise<Answer> =>
  service.call(`/api/v2/admin/municipalities/${code}/move`, { method: 'DELETE', headers: ADMIN });

/** Calls a move off all the way. */
export async function callOffWhole(service: Service, code: string): Promise<void> {
  for (let calls = 0; calls < 20; calls += 1) {
    const { status, body } = await callOffOf(service, code);
    expect(status, JSON.stringify(body)).toBe(200);
    if (body.state === 'called_off') return;
  }
  expect.fail('the calling off does not end');
}

/** Moves a municipality all the way. */
export async function moveWhole(service: Service, code: string, to: string): Promise<void> {
  for (let calls = 0; calls < 20; calls += 1) {
    const { status, body } = await moveOf(service, code, to);
    expect(status, JSON.stringify(body)).toBe(200);
    if (body.state === 'done') return;
  }
  expect.fail('the move does not end');
}

/** A service of three databases, with a city in each, and credentials for them. */
export interface Nation {
  readonly service: Service;
  /** The headers of a credential for all cities. */
  readonly all: Record<string, string>;
  /** The headers of a credential for one city alone. */
  readonly ownOf: (where: { code: string }) => Record<string, string>;
}

/** Configures the nation; one car is parked in each city. */
export async function beginNation(): Promise<Nation> {
  await prepareSeveral();
  const service = new Service(SEVERAL);
  const { body } = await putDocument(service, NATION);
  expect(body).toMatchObject({ created: 1 + 3 * 6, updated: 0, unchanged: 0 });
  const codes = CITIES.map(({ code }) => code);
  const all = await credentialFor(service, codes);
  const own = new Map<string, Record<string, string>>();
  for (const where of CITIES) {
    own.set(where.code, await credentialFor(service, [where.code]));
    await parkIn(service, all, where);
  }
  // The configuration has left snapshots of empty streets.
  const { keys } = await env.SNAPSHOTS.list({ prefix: 'minute:' });
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
  return { service, all, ownOf: ({ code }) => own.get(code) ?? expect.fail(code) };
}
