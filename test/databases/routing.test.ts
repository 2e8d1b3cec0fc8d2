import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readDirectory } from '../../src/databases/directory-store.ts';
import worker from '../../src/worker.ts';
import { countedBindings } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import {
  administrate,
  CITIES,
  check,
  city,
  credentialFor,
  MILANO,
  NATION,
  options,
  parkIn,
  plateOf,
  putDocument,
  ROMA,
  report,
  TORINO,
} from './nation.ts';

const service = new Service(SEVERAL);
const ALL = CITIES.map(({ code }) => code);
let all: Record<string, string>;
const own = new Map<string, Record<string, string>>();
const ownOf = ({ code }: { code: string }) => own.get(code) ?? expect.fail(code);

beforeAll(async () => {
  await prepareSeveral();
  const { body } = await putDocument(service, NATION);
  expect(body).toMatchObject({ created: 1 + 3 * 6, updated: 0, unchanged: 0 });
  all = await credentialFor(service, ALL);
  for (const where of CITIES) {
    own.set(where.code, await credentialFor(service, [where.code]));
    await parkIn(service, all, where);
  }
  // The configuration has left snapshots of empty streets.
  const { keys } = await env.SNAPSHOTS.list({ prefix: 'minute:' });
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
});

const countIn = async (name: DatabaseName, table: string): Promise<number> =>
  (await SEVERAL[name].prepare(`select count(*) as n from ${table}`).first<{ n: number }>())?.n ?? 0;

describe('A municipality', () => {
  it('has everything in the database that its document named, and its ids from nowhere else', async () => {
    for (const { database } of CITIES) {
      for (const table of ['areas', 'sources', 'parking_sessions', 'subscriptions', 'plans']) {
        expect([database, table, await countIn(database, table)]).toEqual([
          database,
          table,
          table === 'areas' ? 2 : 1,
        ]);
      }
    }
    const ids = await Promise.all(
      CITIES.map(({ database }) => SEVERAL[database].prepare('select id from areas').raw<[number]>()),
    );
    expect(new Set(ids.flat(2)).size).toBe(6);
    expect(await countIn('DB_2', 'credentials')).toBe(0);
    const rows = (name: DatabaseName) =>
      SEVERAL[name].prepare('select id, tenant_id from municipalities where code = ?').bind('L219').first();
    expect(await rows('DB_2')).toEqual(await rows('DB'));
  });

  it.each(CITIES)('$name is checked, sold to and reported on, named or not', async (where) => {
    const plate = plateOf(where);
    const place = { municipality: { code: where.code, name: where.name } };
    for (const asking of [service, new Service(SEVERAL)]) {
      for (const [headers, body] of [
        [all, { municipality_code: where.code }],
        [ownOf(where), {}],
        [ownOf(where), {}],
      ] as const) {
        expect(
          (await check(asking, headers, { ...body, plate, area_code: 'P1', event: 'entry' })).body,
        ).toMatchObject({
          ...place,
          access_granted: true,
          access_reason_code: 'VALID_SESSION_AND_SUBSCRIPTION',
        });
        expect((await options(asking, headers, { ...body, plate })).body).toMatchObject({
          ...place,
          result_code: 'OPTIONS_AVAILABLE',
        });
        expect((await report(asking, headers, body)).body).toMatchObject({
          ...place,
          totals: { active_now: 1 },
        });
      }
      const elsewhere = CITIES.filter(({ code }) => code !== where.code);
      for (const { code } of elsewhere) {
        const { body } = await check(asking, all, { plate, municipality_code: code });
        expect(body).toMatchObject({ has_valid_entitlement: false, municipality: { code } });
        const refused = await check(asking, ownOf(where), { plate, municipality_code: code });
        expect([refused.status, refused.body.error]).toMatchObject([
          403,
          { code: 'MUNICIPALITY_NOT_ALLOWED' },
        ]);
      }
    }
  });

  it('must be named where the credential leaves a choice between databases', async () => {
    const { body } = await check(service, all, { plate: 'X' });
    expect(body.error).toMatchObject({ code: 'MUNICIPALITY_REQUIRED' });
  });

  it('is the only active one by the directory, wherever it is', async () => {
    const both = await credentialFor(service, [ROMA.code, TORINO.code]);
    await putDocument(service, { municipalities: [{ code: ROMA.code, active: false }] });
    expect((await check(service, both, { plate: plateOf(TORINO) })).body).toMatchObject({
      has_valid_entitlement: true,
      municipality: { code: TORINO.code },
    });
    await putDocument(service, { municipalities: [{ code: ROMA.code, active: true }] });
    await putDocument(service, { municipalities: [{ code: TORINO.code, active: false }] });
    expect((await check(service, both, { plate: plateOf(ROMA) })).body).toMatchObject({
      municipality: { code: ROMA.code },
    });
    const refused = await check(service, both, { plate: 'X', municipality_code: TORINO.code });
    expect(refused.body.error).toMatchObject({ code: 'MUNICIPALITY_NOT_ALLOWED' });
    await putDocument(service, { municipalities: [{ code: TORINO.code, active: true }] });
    expect((await check(service, both, { plate: 'X' })).body.error).toMatchObject({
      code: 'MUNICIPALITY_REQUIRED',
    });
  });

  it.each(CITIES)('$name costs a warm check one object call and one round trip, and no KV', async (where) => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const counted = new Service(bindings);
    const costs = [];
    for (const [headers, named] of [
      [all, { municipality_code: where.code }],
      [ownOf(where), { municipality_code: where.code }],
      [ownOf(where), {}],
    ] as const) {
      const body = { ...named, plate: plateOf(where), area_code: 'P1', event: 'entry' };
      await check(counted, headers, body);
      Object.assign(cost, { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 });
      expect((await check(counted, headers, body)).status).toBe(200);
      costs.push({ ...cost });
    }
    for (const one of costs) expect(one).toMatchObject({ roundTrips: 1, objectCalls: 1, kvCalls: 0 });
    // As in one database: where none is named, the credential's links are read too. Elsewhere its code is known by then.
    const [named, ownNamed, unnamed = 0] = costs.map(({ rowsRead }) => rowsRead);
    expect(ownNamed).toBe(named);
    expect(unnamed).toBeLessThanOrEqual((named ?? 0) + (where === ROMA ? 2 : 0));
  });

  it('costs a fresh isolate one read of KV, then one round trip', async () => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const body = { plate: plateOf(MILANO), municipality_code: MILANO.code };
    await vi.waitFor(async () => expect(await readDirectory(env.SNAPSHOTS)).toHaveLength(2));
    expect((await check(new Service(bindings), all, body)).status).toBe(200);
    expect(cost).toMatchObject({ roundTrips: 1, objectCalls: 1, kvCalls: 1 });
  });

  it('is found where the home points while KV knows nothing, and once found costs no more', async () => {
    await env.SNAPSHOTS.delete('databases');
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    const fresh = new Service(bindings);
    const body = { plate: plateOf(MILANO), municipality_code: MILANO.code };
    for (const roundTrips of [2, 1]) {
      Object.assign(cost, { roundTrips: 0 });
      expect((await check(fresh, all, body)).body).toMatchObject({ has_valid_entitlement: true });
      expect(cost.roundTrips).toBe(roundTrips);
    }
  });
});

describe('The minute’s run', () => {
  it('makes the snapshots of all databases in as many values as those of one', async () => {
    const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
    await worker.scheduled(createScheduledController({ cron: '* * * * *' }), { ...env, ...bindings });
    expect(cost.kvCalls).toBe(1 + 3);
    const listed = await service.call('/api/v2/public/municipalities');
    expect((listed.body.municipalities as unknown[]).length).toBe(3);
    for (const where of CITIES) {
      const shown = await service.call(`/api/v2/public/municipalities/${where.code}/occupancy`);
      expect(shown.body).toMatchObject({
        municipality: { code: where.code },
        areas: [{ available_now: 299 }, {}],
      });
    }
  });
});

describe('A call', () => {
  it('is logged where its municipality lives, and found wherever that is', async () => {
    for (const where of CITIES) {
      const answer = await service.settle('/api/v2/parking-entitlements/search', {
        method: 'POST',
        headers: all,
        body: { plate: 'X', municipality_code: where.code },
      });
      const id = String(answer.body.request_id);
      await vi.waitFor(async () => {
        const rows = await Promise.all(
          CITIES.map(({ database }) =>
            SEVERAL[database].prepare('select 1 from call_log where request_id = ?').bind(id).first(),
          ),
        );
        expect(rows.map((row) => row !== null)).toEqual(CITIES.map((one) => one === where));
      });
      const found = await administrate(service, 'GET', `/api/v2/admin/calls/${id}`);
      expect(found.body.call).toMatchObject({ municipality_code: where.code });
    }
    const unknown = await service.call(`/api/v2/admin/calls/${crypto.randomUUID()}`, { headers: ADMIN });
    expect(unknown.status).toBe(404);
  });

  it('without a municipality is in the home’s log', async () => {
    const answer = await service.settle('/api/v2/parking-meters/subscription-options', {
      method: 'POST',
      headers: all,
      body: { plate: 'X' },
    });
    const id = String(answer.body.request_id);
    const row = await env.DB.prepare('select outcome from call_log where request_id = ?').bind(id).first();
    expect(row).toEqual({ outcome: 'MUNICIPALITY_REQUIRED' });
  });
});

describe('The configuration', () => {
  it('of each is got from where it lives, and can be put again', async () => {
    for (const where of CITIES) {
      const path = `/api/v2/admin/configuration?municipality_code=${where.code}`;
      const { body } = await administrate(service, 'GET', path);
      expect(body.configuration).toMatchObject({
        municipalities: [{ code: where.code, database: where.database }],
      });
      const again = await putDocument(service, body.configuration);
      expect(again.body).toMatchObject({ created: 0, updated: 0, unchanged: 7 });
    }
  });

  it('refuses a database that is not there, and one that would be another, and changes nothing', async () => {
    const refused = await service.call('/api/v2/admin/configuration', {
      method: 'PUT',
      headers: ADMIN,
      body: {
        municipalities: [
          { ...city({ code: 'A944', name: 'Bologna', database: 'DB_9' }) },
          { code: TORINO.code, name: 'Turin', database: 'DB_3' },
        ],
      },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toMatchObject({
      details: {
        issues: [
          { path: 'municipalities.0.database', message: expect.stringContaining('DB, DB_2, DB_3') },
          {
            path: 'municipalities.1.database',
            message: expect.stringContaining(`/municipalities/${TORINO.code}/move`),
          },
        ],
      },
    });
    const { body } = await administrate(
      service,
      'GET',
      `/api/v2/admin/configuration?municipality_code=${TORINO.code}`,
    );
    expect(body.configuration).toMatchObject({ municipalities: [{ name: TORINO.name }] });
  });

  it('switches a tenant off in every database, and on again', async () => {
    for (const active of [false, true]) {
      await putDocument(service, { tenants: [{ code: 'acme', active }] });
      for (const where of CITIES) {
        const { status } = await check(service, ownOf(where), { plate: 'X', municipality_code: where.code });
        expect([where.code, status]).toEqual([where.code, active ? 200 : 403]);
      }
    }
  });
});

describe('A credential', () => {
  it('may be bound to a source of a municipality outside the home, and not to one that nobody has', async () => {
    const issue = (source_code: string) =>
      service.call('/api/v2/admin/credentials', {
        method: 'POST',
        headers: ADMIN,
        body: { tenant: 'acme', name: 'x', scopes: ['import'], municipalities: [TORINO.code], source_code },
      });
    expect((await issue('app1')).status).toBe(201);
    expect((await issue('none')).body.error).toMatchObject({
      details: { issues: [{ path: 'source_code' }] },
    });
  });
});

describe('The list of databases', () => {
  it('says what lives in each, the home first', async () => {
    const { body } = await administrate(service, 'GET', '/api/v2/admin/databases');
    expect(body.databases).toEqual(
      CITIES.map(({ database, code }) => ({
        name: database,
        municipalities: [code],
        size_bytes: expect.any(Number),
      })),
    );
  });
});

describe('A database that should hold a municipality', () => {
  it('and has no row of it is a failure, never a negative', async () => {
    await env.THIRD.prepare('update municipalities set code = ? where code = ?')
      .bind('GONE', MILANO.code)
      .run();
    for (const asking of [service, new Service(SEVERAL)]) {
      for (const [headers, body] of [
        [all, { municipality_code: MILANO.code }],
        [ownOf(MILANO), {}],
      ] as const) {
        const answers = [
          await check(asking, headers, { ...body, plate: 'X' }),
          await options(asking, headers, { ...body, plate: 'X' }),
        ];
        for (const { status } of answers) expect(status).toBe(500);
      }
    }
    await env.THIRD.prepare('update municipalities set code = ? where code = ?')
      .bind(MILANO.code, 'GONE')
      .run();
    expect((await check(service, all, { plate: 'X', municipality_code: MILANO.code })).status).toBe(200);
  });
});
