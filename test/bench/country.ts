import { administrate } from './city.ts';
import { furtherNames, type Runtime } from './runtime.ts';

export const MUNICIPALITIES = 1_000;
export const RUNNING = 420_000;
const CREDENTIALS = 2_000;
const AREAS_EACH = 4;
const ISSUED_AT_ONCE = 8;
const HOUR_MS = 3_600_000;

/** A credential, and the only municipality that it is for. */
export interface Caller {
  readonly token: string;
  readonly code: string;
  /** The database of its municipality. */
  readonly database: string;
}

/** A runtime whose databases hold a country. */
export interface Country {
  readonly runtime: Runtime;
  readonly callers: readonly [Caller, ...Caller[]];
  readonly configuredInSeconds: number;
}

/** A vehicle that is parked in the facility of every municipality. */
export const PARKED_EVERYWHERE = 'P20';
export const FACILITY = 'A0';

/** Spreads a country over the databases of a runtime: configured by one document, with its credentials and what runs now. */
export async function foundCountry(runtime: Runtime): Promise<Country> {
  const databases = ['DB', ...furtherNames(runtime.databases.length)];
  const databaseOf = (index: number): string => databases[index % databases.length] ?? 'DB';
  const startedAt = performance.now();
  await administrate(runtime, 'PUT', 'configuration', {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: Array.from({ length: MUNICIPALITIES }, (_, index) =>
      municipality(index, databaseOf(index)),
    ),
  });
  const configuredInSeconds = (performance.now() - startedAt) / 1_000;
  const [first, ...others] = Array.from({ length: CREDENTIALS }, (_, index) => ({
    code: codeOf(index % MUNICIPALITIES),
    database: databaseOf(index % MUNICIPALITIES),
  }));
  if (first === undefined) {
    throw new Error('a country has credentials');
  }
  const callers: [Caller, ...Caller[]] = [await issue(runtime, first)];
  for (let from = 0; from < others.length; from += ISSUED_AT_ONCE) {
    const some = others.slice(from, from + ISSUED_AT_ONCE);
    callers.push(...(await Promise.all(some.map((caller) => issue(runtime, caller)))));
  }
  let parked = 0;
  for (const db of runtime.databases) parked += await park(db);
  if (parked !== RUNNING) {
    throw new Error(`${parked} sessions run, not ${RUNNING}`);
  }
  return { runtime, callers, configuredInSeconds };
}

const codeOf = (index: number): string => `M${index}`;

const municipality = (index: number, database: string) => ({
  code: codeOf(index),
  name: `Municipality ${index}`,
  database,
  timezone: 'Europe/Rome',
  tenant: 'acme',
  areas: [
    { code: FACILITY, name: 'Centro', area_type: 'facility', capacity: 300 },
    ...Array.from({ length: AREAS_EACH - 1 }, (_, street) => ({
      code: `A${street + 1}`,
      name: `Via ${street + 1}`,
      area_type: 'street',
      capacity: 200,
    })),
  ],
  sources: [{ code: 'app', name: 'App', category: 'app' }],
});

async function issue(
  runtime: Runtime,
  { code, database }: Pick<Caller, 'code' | 'database'>,
): Promise<Caller> {
  const issued = await administrate(runtime, 'POST', 'credentials', {
    tenant: 'acme',
    name: 'barrier',
    scopes: ['plate_check'],
    municipalities: [code],
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  return { token: String(issued.access_token), code, database };
}

/** As many sessions that run now in each municipality that lives in the database, spread over its areas. Returns their number. */
async function park(db: Runtime['db']): Promise<number> {
  const parked = await db
    .prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       select m.id, 'app', 's' || n.i, a.id, 'P' || n.i, ?3 - ?4 - n.i * 1000, ?3 + 3 * ?4 + n.i * 1000
       from municipalities as m cross join n cross join areas as a on a.municipality_id = m.id and a.code = 'A' || (n.i % cast(?2 as integer))
       where m.moved_to is null`,
    )
    .bind(RUNNING / MUNICIPALITIES, AREAS_EACH, Date.now(), HOUR_MS)
    .run();
  return parked.meta.changes;
}
