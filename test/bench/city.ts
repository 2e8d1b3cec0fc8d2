import { ADMIN_TOKEN, type Runtime } from './runtime.ts';

const HOUR_MS = 3_600_000;

/** A runtime whose database holds a city, and a token for everything in it. */
export interface City {
  readonly runtime: Runtime;
  readonly token: string;
}

/** A city in an empty runtime. */
export async function foundCity(runtime: Runtime, sessions: number): Promise<City> {
  await configure(runtime);
  const token = await issueToken(runtime);
  await park(runtime, sessions);
  return { runtime, token };
}

/** One municipality with a facility, streets, a source, titles and plans. */
async function configure(runtime: Runtime): Promise<void> {
  await giveKnownIds(runtime);
  await administrate(runtime, 'PUT', 'configuration', {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [
      {
        code: 'H501',
        name: 'Roma',
        timezone: 'Europe/Rome',
        tenant: 'acme',
        areas: [
          { code: 'P1', name: 'Centro', area_type: 'facility', capacity: 300 },
          ...Array.from({ length: 20 }, (_, index) => ({
            code: `S${index}`,
            name: `Via ${index}`,
            area_type: 'street',
            capacity: 40,
          })),
        ],
        sources: [{ code: 'app', name: 'App', category: 'app' }],
        subscription_types: [{ code: 'RES', name: 'Residenti' }],
        plans: ['101', '102', '103'].map((code) => ({
          codice_tariffa: code,
          subscription_type: 'RES',
          importo_eurocent: 2500,
          duration: 'P1M',
          descrizione: 'RESIDENTI MENSILE',
        })),
      },
    ],
  });
  await runtime.db.batch([
    runtime.db
      .prepare(
        `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
         select i, 1, 'N' || i, (select id from subscription_types), 'approved', json_array(json_array(?1, ?2)), ?1 from n`,
      )
      .bind(Date.now() - HOUR_MS, Date.now() + 24 * HOUR_MS),
    runtime.db
      .prepare(
        `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) select i, 1, 'T' || i, ?1 from n`,
      )
      .bind(Date.now() - HOUR_MS),
  ]);
}

/** The service draws ids at random; the bench's own statements want to know the municipality's and the facility's: 1. */
async function giveKnownIds({ db }: Runtime): Promise<void> {
  const place = { code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' };
  const version = { ...place, areas: [], sources: [], subscription_types: [], plans: [] };
  await db.batch([
    db.prepare(`insert into tenants (id, code, name, active) values (1, 'acme', 'Acme', 1)`),
    db.prepare(
      `insert into municipalities (id, tenant_id, code, name, time_zone, active, plate_check_enabled,
         subscriptions_enabled, subscription_options_enabled, report_enabled)
       values (1, 1, 'H501', 'Roma', 'Europe/Rome', 1, 1, 1, 1, 1)`,
    ),
    db.prepare(
      `insert into areas (id, municipality_id, code, name, area_type, capacity, active, service_enabled,
         plate_control_enabled, subscription_access, entry_grace_minutes, exit_grace_minutes)
       values (1, 1, 'P1', 'Centro', 'facility', 300, 1, 1, 1, 0, 0, 0)`,
    ),
    db
      .prepare('insert into configuration_versions (municipality_id, recorded_at, record) values (1, 1, ?)')
      .bind(JSON.stringify(version)),
  ]);
}

/** A credential of the tenant, for everything in the city unless it is to have less. */
export async function issueToken(
  runtime: Runtime,
  scopes: readonly string[] = [
    ...['plate_check', 'subscription_options', 'subscription_payments', 'report', 'import', 'evidence'],
  ],
): Promise<string> {
  const issued = await administrate(runtime, 'POST', 'credentials', {
    tenant: 'acme',
    name: 'bench',
    scopes,
    municipalities: ['H501'],
    // As many as a budget can have: a run stays below it.
    rate_limit: { limit: 10_000, window_seconds: 1 },
  });
  return String(issued.access_token);
}

/** Parks vehicles `X1`, `X2`, …, each with a session that runs now. */
async function park({ db }: Runtime, sessions: number): Promise<void> {
  await db
    .prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
       with recursive n(i) as (select 1 where ?1 > 0 union all select i + 1 from n where i < ?1)
       select 1, 'app', 's' || i, (select id from areas where code = iif(i % 21, 'S' || (i % 21 - 1), 'P1')),
         'X' || i, ?2, ?2 + 7200000, ?2 from n`,
    )
    .bind(sessions, Date.now() - HOUR_MS)
    .run();
}

/** Asks the administration. */
export async function administrate(
  { service }: Runtime,
  method: string,
  what: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${service}/api/v2/admin/${what}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) {
    throw new Error(`${method} ${what}: ${JSON.stringify(answer)}`);
  }
  return answer;
}
