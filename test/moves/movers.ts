import { expect } from 'vitest';
import { spells, textsOfAllTables } from '../admin/plates-support.ts';
import { around, city, credentialFor, moveOf, moveWhole, putDocument } from '../databases/nation.ts';
import { noSnapshots } from '../support/doubles.ts';
import { type Answer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { NAMES } from './round-trips.ts';

const SCOPES = ['plate_check', 'subscription_options', 'report', 'import', 'evidence', 'entitlement_list'];

/** A service with three databases and a tenant. The log says nothing of what is killed. */
export async function beginMoving(): Promise<Service> {
  await prepareSeveral();
  const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
  await putDocument(service, { tenants: [{ code: 'acme', name: 'Acme' }] });
  return service;
}

/** A city that moves. */
export interface Mover {
  readonly service: Service;
  readonly code: string;
  /** Of a credential for it alone, with all scopes. */
  readonly headers: Record<string, string>;
}

/** A new city in a database. */
export async function settle(
  service: Service,
  code: string,
  database: DatabaseName,
  { tenant = 'acme' } = {},
): Promise<Mover> {
  await putDocument(service, { municipalities: [{ ...city({ code, name: code, database }), tenant }] });
  return { service, code, headers: await credentialFor(service, [code], { tenant, scopes: SCOPES }) };
}

/** Sends one line to a city, whatever becomes of it. */
export function send(
  { service, headers, code }: Mover,
  kind: 'sessions' | 'subscriptions',
  line: object,
): Promise<Answer> {
  const query = new URLSearchParams({
    municipality_code: code,
    ...(kind === 'sessions' && { source_code: 'app1' }),
  });
  return service.call(`/api/v2/imports/${kind}?${query}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  });
}

export const session = (session_id: string, plate: string, changed: object = {}) => ({
  ...{ session_id, plate, area_code: 'P1' },
  ...around(Date.now()),
  ...changed,
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

/** What a database tells of its sessions and subscriptions, present and past, and of the calls that changed them. */
export async function historyIn(name: DatabaseName, code: string): Promise<unknown[]> {
  const id = idOf(code);
  const results = await SEVERAL[name].batch(
    [
      `select session_id, plate, starts_at, recorded_at from parking_sessions where municipality_id = ${id} order by 1`,
      `select plate, recorded_at, replaced_at from past_parking_sessions where municipality_id = ${id} order by 3, 2, 1`,
      `select subscription_number, recorded_at, changed_at from subscriptions where municipality_id = ${id} order by 1`,
      `select plate, recorded_at from subscription_plates where municipality_id = ${id} order by 1`,
      `select replaced_at, record from past_subscriptions where municipality_id = ${id} order by 1`,
      `select plate, recorded_at, replaced_at from past_subscription_plates where municipality_id = ${id} order by 3, 1`,
      `select recorded_at, hex(request_id) as call, batch from changes where municipality_id = ${id} order by 1`,
      `select recorded_at, part, record from configuration_versions where municipality_id = ${id} order by 1, 2`,
    ].map((query) => SEVERAL[name].prepare(query)),
  );
  return results.map(({ results: rows }) => rows);
}

/** Moves a municipality all the way, unless it is there already. */
export async function moveThere(service: Service, code: string, to: DatabaseName): Promise<void> {
  const { status, body } = await moveOf(service, code, to);
  if (status === 422 || body.state === 'done') return;
  expect(status, JSON.stringify(body)).toBe(200);
  await moveWhole(service, code, to);
}

/** Where a plate stands, in tables of any database. */
export async function placesOf(plate: string): Promise<string[]> {
  const found = await Promise.all(
    NAMES.map(async (name) =>
      (await textsOfAllTables(SEVERAL[name])).map((each) => [name, ...each] as const),
    ),
  );
  const places = found.flat().filter(([, , text]) => spells(text, plate));
  return [...new Set(places.map(([name, where]) => `${name} ${where}`))].sort();
}
