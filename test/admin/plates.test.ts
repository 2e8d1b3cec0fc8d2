import { env } from 'cloudflare:workers';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as schema from '../../src/db/schema/index.ts';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { refreshSnapshots } from '../../src/snapshots/refresh.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { configurationRow, record, sessionRow, subscriptionRow } from '../support/journal.ts';
import { CITY, RESIDENTS, ROME, seed, TENANT } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const EXPORT = '/api/v2/admin/plates/export';
const ERASE = '/api/v2/admin/plates/erase';
const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const REPORT = '/api/v2/parking/reports/active-by-area';
const NOW = Date.now();
const hour = { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS };

type Body = Record<string, unknown>;
const service = new Service();
let credential: TestCredential;
const post = async (path: string, body: Body) => (await service.post(path, body, ADMIN)).body;
const exported = (plate: string, more: Body = {}) => post(EXPORT, { tenant: 'acme', plate, ...more });

/** Erases until there is no more, and sums up. */
async function erased(plate: string, tenant = 'acme'): Promise<Record<string, number>> {
  const sum: Record<string, number> = { sessions: 0, subscriptions: 0, history: 0, calls: 0 };
  for (;;) {
    const answer = await post(ERASE, { tenant, plate });
    for (const [name, count] of Object.entries(answer.erased as Record<string, number>))
      sum[name] = (sum[name] ?? 0) + count;
    if (answer.more === false) return sum;
  }
}

/** Imports lines, and answers the counts. */
async function imported(what: 'sessions' | 'subscriptions', ...lines: readonly object[]): Promise<Body> {
  const body = lines.map((line) => JSON.stringify(line)).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson', ...credential.headers };
  const query = what === 'sessions' ? '?source_code=app1' : '';
  return (await service.call(`/api/v2/imports/${what}${query}`, { method: 'POST', body, headers })).body;
}

const NOTHING = { sessions: 0, subscriptions: 0, history: 0, calls: 0 };

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
      'call_log',
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
    subscriptions: [
      { id: 1, municipalityId: 1, subscriptionNumber: 'N1', typeId: 1, approval: 'approved', allAreas: true },
    ],
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

/** Calls about the plate: a check, two options queries, and one whose body is no JSON. */
async function makeCalls(): Promise<void> {
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
  await new Service().settle(OPTIONS, { method: 'POST', body: '{"plate": "ERASE1"', headers: json });
}

/** Every text of every table of the schema, with where it stands. */
async function textsOfAllTables(): Promise<[where: string, text: string][]> {
  const tables = Object.values(schema).filter((table) => is(table, SQLiteTable));
  expect(tables.length).toBeGreaterThan(15);
  const found: [string, string][] = [];
  for (const table of tables) {
    const { results } = await env.DB.prepare(`select * from ${getTableName(table)}`).all<Body>();
    for (const column of Object.values(getTableColumns(table))) {
      for (const row of results) {
        const value = row[column.name];
        if (typeof value === 'string') found.push([`${getTableName(table)}.${column.name}`, value]);
      }
    }
  }
  return found;
}

const holds = (text: string, plate: string): boolean =>
  text.toUpperCase().includes(plate) ||
  [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].some(
    ([json]) => normalizePlate(String(JSON.parse(json))) === plate,
  );

describe('The export', () => {
  it('holds all that a tenant has of a plate, and no other plate', async () => {
    await makeCalls();
    const answer = await exported(' erase 1');
    expect(answer).toMatchObject({
      sessions: [
        {
          municipality_code: 'H501',
          source_code: 'app1',
          session_id: 'one',
          plate: 'ERASE1',
          area_code: 'P1',
        },
        { session_id: 'two' },
      ],
      subscriptions: [
        {
          municipality_code: 'H501',
          subscription_number: 'N1',
          type: 'RES',
          areas: 'all',
          plates: [{ plate: 'ERASE1' }],
        },
      ],
      next: null,
    });
    expect((answer.history as Body[]).map(({ key, kind }) => [kind, key])).toEqual([
      ['parking_session', 'one'],
      ['parking_session', 'two'],
      ['parking_session', 'three'],
      ['parking_session', 'three'],
      ['subscription', 'N1'],
    ]);
    expect((answer.calls as Body[]).map(({ operation }) => operation).sort()).toEqual([
      'plate_check',
      'subscription_options',
    ]);
    expect(JSON.stringify(answer)).not.toContain('OTHER1');
    expect(JSON.stringify(answer)).not.toContain('plate_digest');
  });

  it('is empty for a plate that nobody knows', async () => {
    expect(await exported('NOBODY')).toMatchObject({
      sessions: [],
      subscriptions: [],
      history: [],
      calls: [],
      next: null,
    });
  });

  it('goes on where it was, a thousand at a time, in two round trips', async () => {
    const many = `with recursive n(value) as (select 1 union all select value + 1 from n where value < 2100) select value from n`;
    await env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
        select 1, 'app1', 'many ' || value, 2, 'MANY1', value, value + 1 from (${many})`,
    ).run();
    const { cost, bindings } = countedBindings();
    const counted = new Service(bindings);
    const ids: unknown[] = [];
    let after: unknown = null;
    do {
      Object.assign(cost, { roundTrips: 0 });
      const { body } = await counted.post(EXPORT, { tenant: 'acme', plate: 'MANY1', after }, ADMIN);
      expect(cost.roundTrips).toBeLessThanOrEqual(3);
      ids.push(...(body.sessions as Body[]).map(({ session_id }) => session_id));
      after = body.next;
    } while (after !== null);
    expect([ids.length, new Set(ids).size]).toEqual([2100, 2100]);
  });

  it.each([
    [{ tenant: 'nobody', plate: 'A' }, 'INVALID_REQUEST', 'tenant'],
    [{ tenant: 'acme', plate: 'A', after: '[1]' }, 'INVALID_REQUEST', 'after'],
    [{ tenant: 'acme', plate: '-' }, 'INVALID_PLATE', null],
  ])('refuses %j', async (body, code, path) => {
    const answer = await post(EXPORT, body);
    expect(answer).toMatchObject({ error: { code, ...(path && { details: { issues: [{ path }] } }) } });
  });
});

describe('The erasure', () => {
  it('leaves the plate in no text of any table, value of KV or answer of the call log', async () => {
    await makeCalls();
    await refreshSnapshots(env, () => instant(Date.now()));
    await env.DB.prepare('delete from parking_sessions where municipality_id = 2').run();
    expect((await textsOfAllTables()).some(([, text]) => holds(text, 'ERASE1'))).toBe(true);
    expect(await erased('erase 1')).toEqual({ sessions: 2, subscriptions: 1, history: 5, calls: 4 });
    expect((await textsOfAllTables()).filter(([, text]) => holds(text, 'ERASE1'))).toEqual([]);
    const { keys } = await env.SNAPSHOTS.list();
    expect(keys.length).toBeGreaterThan(0);
    for (const { name } of keys) {
      expect(holds(name, 'ERASE1')).toBe(false);
      expect(holds((await env.SNAPSHOTS.get(name)) ?? '', 'ERASE1')).toBe(false);
    }
  });

  it('twice is the same as once', async () => {
    await makeCalls();
    await erased('ERASE1');
    const before = await textsOfAllTables();
    expect(await erased('ERASE1')).toEqual(NOTHING);
    expect(await textsOfAllTables()).toEqual(before);
  });

  it('leaves the sessions with one pseudonym that no plate can be, and the other plate of the subscription', async () => {
    await erased('ERASE1');
    const { results } = await env.DB.prepare(
      'select plate from parking_sessions where municipality_id = 1 order by session_id',
    ).all<{ plate: string }>();
    const [one, three, two] = results.map(({ plate }) => plate);
    expect(three).toBe('OTHER1');
    expect(one).toBe(two);
    expect(normalizePlate(one ?? '')).not.toBe(one);
    expect((await env.DB.prepare('select plate from subscription_plates').all()).results).toEqual([
      { plate: 'OTHER1' },
    ]);
  });

  it('takes nothing of another tenant’s', async () => {
    await erased('ERASE1');
    expect(await post(EXPORT, { tenant: 'other', plate: 'ERASE1' })).toMatchObject({
      sessions: [{ session_id: 'theirs' }],
    });
  });

  it('changes no counter of a report', async () => {
    const report = async () => {
      const { body } = await new Service().post(REPORT, { area_type: 'facility' }, credential.headers);
      return [body.totals, body.rows];
    };
    const before = await report();
    await env.SNAPSHOTS.list().then(({ keys }) =>
      Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name))),
    );
    await erased('ERASE1');
    expect(await report()).toEqual(before);
  });

  it('of a plate that nobody knows is one of zeros', async () => {
    expect(await erased('NOBODY')).toEqual(NOTHING);
  });

  it('tells the journal of every right that it ended, under the pseudonym', async () => {
    await erased('ERASE1');
    const { results } = await env.DB.prepare(
      "select kind, key, left_area_id, substr(plate, 1, 1) as mark from journal where record is null and request_id is null and kind <> 'configuration' order by key",
    ).all();
    expect(results).toEqual([
      { kind: 'subscription', key: 'N1', left_area_id: null, mark: '*' },
      { kind: 'parking_session', key: 'one', left_area_id: 2, mark: '*' },
      { kind: 'parking_session', key: 'two', left_area_id: 2, mark: '*' },
    ]);
  });

  it('outlasts an import that names the plate again for the same session, and takes every other line', async () => {
    await erased('ERASE1');
    const line = (session_id: string, plate: string, endsAt = hour.endsAt) => ({
      session_id,
      plate,
      area_code: 'P1',
      starts_at: new Date(hour.startsAt).toISOString(),
      ends_at: new Date(endsAt).toISOString(),
    });
    expect(await imported('sessions', line('one', 'erase1'))).toMatchObject({ unchanged: 1, updated: 0 });
    expect(await imported('sessions', line('one', 'ERASE1', hour.endsAt + HOUR_MS))).toMatchObject({
      updated: 1,
    });
    // Corrected before it was erased: the plate stood in the journal alone.
    expect(await imported('sessions', line('three', 'ERASE1'))).toMatchObject({ updated: 1 });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [] });
    expect(await imported('sessions', line('two', 'CORRECT'), line('new', 'ERASE1'))).toMatchObject({
      created: 1,
      updated: 1,
    });
    expect(await exported('CORRECT')).toMatchObject({ sessions: [{ session_id: 'two' }] });
    expect(await exported('ERASE1')).toMatchObject({ sessions: [{ session_id: 'new' }] });
  });

  it('outlasts an import of the same subscription', async () => {
    await erased('ERASE1');
    const line = (subscription_number: string) => ({
      subscription_number,
      type: 'RES',
      plates: [{ plate: 'ERASE1' }, { plate: 'OTHER1' }],
      approval: 'approved',
      areas: 'all',
      periods: [],
    });
    expect(await imported('subscriptions', line('N1'))).toMatchObject({ unchanged: 1 });
    expect(await exported('ERASE1')).toMatchObject({ subscriptions: [] });
    expect(await imported('subscriptions', line('N2'))).toMatchObject({ created: 1 });
    expect(await exported('ERASE1')).toMatchObject({ subscriptions: [{ subscription_number: 'N2' }] });
  });

  it('is our failure while DIGEST_KEY is not usable', async () => {
    const broken = new Service({ DIGEST_KEY: 'short' });
    expect((await broken.post(ERASE, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
    expect((await broken.post(EXPORT, { tenant: 'acme', plate: 'A' }, ADMIN)).status).toBe(500);
  });
});
