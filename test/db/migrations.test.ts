import { applyD1Migrations } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { eraseAll } from '../admin/plates-support.ts';
import {
  administrate,
  around,
  CITIES,
  check,
  city,
  credentialFor,
  importLines,
  moveWhole,
  options,
  parkIn,
  plateOf,
  putDocument,
} from '../databases/nation.ts';
import { takeList } from '../entitlement-list/support.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { comparable } from '../moves/twins.ts';
import { noSnapshots } from '../support/doubles.ts';
import { Service } from '../support/service.ts';

const [ROMA] = CITIES;
const PLATE = plateOf(ROMA);
const ERASED = 'ERASE1';
const NOW = Date.now();

/** Databases of earlier versions, each as it was just before a migration. */
const EARLIER = [
  { before: 'late-sessions', db: env.REPLICA },
  { before: 'municipality-databases', db: env.SECOND },
] as const;

const erasedLine = { session_id: 'erased', plate: ERASED, area_code: 'P1', ...around(NOW) };
let headers: Record<string, string>;
/** When an officer had asked. */
let asked: number;

beforeAll(async () => {
  await fillEveryTable();
  asked = Date.now();
  for (const { before, db } of EARLIER) {
    const upTo = env.TEST_MIGRATIONS.findIndex(({ name }) => name.includes(before));
    expect(upTo).toBeGreaterThan(0);
    await applyD1Migrations(db, env.TEST_MIGRATIONS.slice(0, upTo));
    await copyInto(db);
  }
  await applyD1Migrations(env.THIRD, env.TEST_MIGRATIONS);
});

/** What the service stores of a city, its callers and administrators, and its own runs. */
async function fillEveryTable(): Promise<void> {
  const service = new Service();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [city(ROMA)],
  });
  const scopes = ['plate_check', 'subscription_options', 'report', 'import', 'evidence', 'entitlement_list'];
  headers = await credentialFor(service, [ROMA.code], { scopes });
  await administrate(service, 'POST', '/api/v2/admin/credentials/reconcile');
  await parkIn(service, headers, ROMA);
  const ended = { starts_at: new Date(NOW - 40 * DAY_MS).toISOString() };
  await importLines(service, headers, 'sessions', ROMA.code, [
    { ...erasedLine, session_id: 'open', ends_at: null, cancelled_at: null },
    erasedLine,
    {
      ...{ session_id: 'old', plate: 'OLD1', area_code: 'S1' },
      ...{ ...ended, ends_at: new Date(NOW - 39 * DAY_MS).toISOString() },
    },
  ]);
  await importLines(service, headers, 'subscriptions', ROMA.code, [
    {
      ...{ subscription_number: 'R-2', type: 'RES', approval: 'approved', areas: ['P1'] },
      plates: [{ plate: 'TWO1', valid_from: new Date(NOW).toISOString() }, { plate: ERASED }],
      periods: [around(NOW)],
    },
  ]);
  await service.settle('/api/v2/parking-meters/subscription-options', {
    method: 'POST',
    headers,
    body: { plate: PLATE },
  });
  await eraseAll(service, ERASED);
  await runCron('17 * * * *', { ...env, ANONYMIZE_SESSIONS_AFTER_DAYS: '30' }, () => instant(NOW));
  // A call as earlier versions have logged it.
  const logged = await columnsOf(env.DB, 'call_log');
  await env.DB.prepare(`insert into call_log select ${logged.join()} from logged_calls limit 1`).run();
  // An erasure and a reconciliation that were cut off.
  await env.DB.prepare(`insert into reconciliation values (1, 'a', ?)`).bind(NOW).run();
  await env.DB.prepare(`insert into erasure_keys values ('digest', 'key')`).run();
  await env.DB.prepare(`insert into erasures values ('digest', 'pseudonym', -1, '', ?)`).bind(NOW).run();
}

/** The names of the service's own tables. */
async function namesOf(db: D1Database): Promise<string[]> {
  const found = await db.prepare(`select name from sqlite_master where type = 'table'`).raw<[string]>();
  return found.flat().filter((name) => !/^(sqlite_|_cf_|d1_)/.test(name));
}

/** The columns that a table has there. */
async function columnsOf(db: D1Database, table: string): Promise<string[]> {
  const { results } = await db
    .prepare('select name from pragma_table_info(?)')
    .bind(table)
    .all<{ name: string }>();
  return results.map(({ name }) => `"${name}"`);
}

const rowsOf = (db: D1Database, table: string, columns: readonly string[]): Promise<unknown[][]> =>
  db.prepare(`select ${columns.join()} from ${table} order by 1, 2`).raw<unknown[]>();

/** What is stored in a database of an earlier version, by table. */
interface Stored {
  readonly columns: readonly string[];
  readonly rows: readonly unknown[][];
}
const stored = new Map<D1Database, Map<string, Stored>>();

/** Stores all rows, as far as the earlier version has tables and columns for them. */
async function copyInto(db: D1Database): Promise<void> {
  const tables = new Map<string, Stored>();
  const inserts: D1PreparedStatement[] = [db.prepare('pragma defer_foreign_keys = on')];
  // Triggers ask for a tenant, and for how far anonymization has come.
  const order = [
    'tenants',
    'municipalities',
    ...(await namesOf(db)).filter((name) => name !== 'anonymizations'),
  ];
  for (const table of new Set([...order, 'anonymizations'])) {
    const columns = await columnsOf(db, table);
    const rows = await rowsOf(env.DB, table, columns);
    expect([table, rows.length]).toEqual([table, expect.toSatisfy((count: number) => count > 0)]);
    tables.set(table, { columns, rows });
    const text = `insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`;
    inserts.push(...rows.map((row) => db.prepare(text).bind(...row)));
  }
  await db.batch(inserts);
  stored.set(db, tables);
}

/** What the service says of the city, by database. */
async function answersOf(service: Service): Promise<unknown[]> {
  const list = await takeList(service, headers);
  const evidence = await service.post(EVIDENCE, { plate: PLATE, at: new Date(asked).toISOString() }, headers);
  const { as_known_then: then, as_known_now: now, differs, history, sources } = evidence.body;
  return [
    comparable(await check(service, headers, { plate: PLATE, area_code: 'P1', event: 'entry' })),
    comparable(await check(service, headers, { plate: ERASED })),
    comparable(await options(service, headers, { plate: PLATE })),
    [then, now, differs, history, sources],
    list.lines.map((line) => ('kind' in line ? [line.kind, line.plate] : line)).sort(),
  ];
}

describe.each(EARLIER)('A database from before the migration $before', ({ db }) => {
  const service = new Service({ DB: db, DB_2: env.THIRD, SNAPSHOTS: noSnapshots() });

  it('keeps all its rows when it is brought up to date, in order', async () => {
    await applyD1Migrations(db, env.TEST_MIGRATIONS);
    const tables = stored.get(db) ?? expect.fail();
    expect(tables.size).toBeGreaterThan(15);
    for (const [table, { columns, rows }] of tables) {
      expect([table, await rowsOf(db, table, columns)]).toEqual([table, rows]);
    }
    expect((await namesOf(db)).sort()).toEqual((await namesOf(env.DB)).sort());
    expect((await db.prepare('pragma foreign_key_check').all()).results).toEqual([]);
  });

  it('then answers as a database that was never another', async () => {
    const [checked, ...others] = await answersOf(service);
    expect(checked).toMatchObject([200, { access_granted: true, has_valid_subscription: true }]);
    expect([checked, ...others]).toEqual(await answersOf(new Service({ SNAPSHOTS: noSnapshots() })));
  });

  it('then takes imports and configuration, and its triggers hold', async () => {
    const late = { ...erasedLine, session_id: 'late', plate: 'LATE1' };
    const [starts_at, ends_at] = [60, 59].map((days) => new Date(NOW - days * DAY_MS).toISOString());
    await importLines(service, headers, 'sessions', ROMA.code, [erasedLine, { ...late, starts_at, ends_at }]);
    expect((await check(service, headers, { plate: ERASED })).body).toMatchObject({ sessions_count: 0 });
    const behind = await db.prepare('select ended_up_to as at from anonymizations').first<{ at: number }>();
    expect(behind?.at).toBe(Date.parse(ends_at ?? ''));
    await putDocument(service, { tenants: [{ code: 'acme', active: false }] });
    const active = await db.prepare('select tenant_active from municipalities').first('tenant_active');
    expect(active).toBe(0);
    await putDocument(service, { tenants: [{ code: 'acme', active: true }] });
  });

  it('then lets its city move to another database, where it answers the same', async () => {
    const before = await answersOf(service);
    await moveWhole(service, ROMA.code, 'DB_2');
    expect(await answersOf(service)).toEqual(before);
    await moveWhole(service, ROMA.code, 'DB');
    expect(await answersOf(service)).toEqual(before);
  });
});
