import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  check,
  city,
  credentialFor,
  moveWhole,
  options,
  parkIn,
  plateOf,
  putDocument,
  report,
} from '../databases/nation.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { idOf, send, session, settle } from './movers.ts';
import { comparable } from './twins.ts';

const CODE = 'L219';
const PLATE = plateOf({ code: CODE });
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;
/** Where it goes next. */
let to: DatabaseName = 'DB_3';

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [city({ code: CODE, name: 'Torino', database: 'DB_2' })],
  });
  headers = await credentialFor(service, [CODE], {
    scopes: ['plate_check', 'subscription_options', 'report', 'import', 'evidence', 'entitlement_list'],
  });
  await parkIn(service, headers, { code: CODE });
});

/** A service in whose way another one moves the municipality, before one of its round trips, by its number from 1. */
function overtaken(at: number) {
  let trips = 0;
  const watched = (database: D1Database) =>
    databaseDouble(
      {
        around: async (run) => {
          trips += 1;
          if (trips === at) {
            await moveWhole(service, CODE, to);
            to = to === 'DB_3' ? 'DB_2' : 'DB_3';
          }
          return run();
        },
      },
      database,
    );
  const databases = { DB: watched(env.DB), DB_2: watched(env.SECOND), DB_3: watched(env.THIRD) };
  return { late: new Service({ ...databases, SNAPSHOTS: noSnapshots() }), trips: () => trips };
}

const named = { municipality_code: CODE };
const ASKING: Readonly<Record<string, (by: Service) => Promise<unknown>>> = {
  check: async (by) => comparable(await check(by, headers, { ...named, plate: PLATE })),
  'check that names no municipality': async (by) => comparable(await check(by, headers, { plate: PLATE })),
  options: async (by) => comparable(await options(by, headers, { ...named, plate: PLATE })),
  report: async (by) => comparable(await report(by, headers, named)),
  evidence: async (by) => {
    const answer = await by.post(EVIDENCE, { ...named, plate: PLATE, at: new Date().toISOString() }, headers);
    return withoutInstants(answer);
  },
  'entitlement list': async (by) => {
    const { status, body } = await by.call(
      `/api/v2/facilities/P1/entitlement-list?municipality_code=${CODE}`,
      { headers },
    );
    const lines = (body.lines as { type: string; kind?: string; plate?: string }[]).filter(
      ({ type }) => type === 'entry',
    );
    return [status, lines.map(({ kind, plate }) => [kind, plate])];
  },
  export: async (by) => {
    const found = new Set<string>();
    for (let after: unknown = null, pages = 0; pages === 0 || after !== null; pages += 1) {
      const body = { tenant: 'acme', plate: PLATE, after };
      const answer = await by.post('/api/v2/admin/plates/export', body, ADMIN);
      expect(answer.status).toBe(200);
      const { sessions, subscriptions, history, next } = answer.body as Record<string, unknown[]>;
      // What has moved on is reported twice rather than not at all.
      for (const item of [sessions, subscriptions, history].flat()) found.add(JSON.stringify(item));
      after = next ?? null;
    }
    return [...found];
  },
};

const withoutInstants = ({ status, body }: Answer): unknown => {
  const { as_known_then, as_known_now, differs, history_count, history } = body;
  return [status, as_known_then, as_known_now, differs, history_count, history];
};

describe('What is asked while its municipality moves', () => {
  it.each(Object.keys(ASKING))(
    '(%s) has the same answer, before whichever of its round trips the whole move comes',
    async (name) => {
      const ask = ASKING[name] ?? expect.fail(name);
      const expected = await ask(service);
      for (let at = 1, isAtEnd = false; !isAtEnd; at += shortOrThorough(3, 1)) {
        const { late, trips } = overtaken(at);
        expect(await ask(late), `moved before round trip ${at}`).toEqual(expected);
        isAtEnd = trips() < at;
      }
    },
  );
});

describe('An export of several pages of a database', () => {
  it('has what a municipality brings that arrives in between two of them', async () => {
    const tenant = 'pages';
    await putDocument(service, { tenants: [{ code: tenant, name: 'Pages' }] });
    const large = await settle(service, 'LARGE', 'DB_2', { tenant });
    const arriving = await settle(service, 'ARRIVING', 'DB_3', { tenant });
    await send(large, 'sessions', session('L-0', PLATE));
    const past = { starts_at: '2026-01-01T00:00Z', ends_at: '2026-01-01T01:00Z' };
    await send(arriving, 'sessions', session('A-0', PLATE, past));
    await SEVERAL.DB_2.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000)
       select municipality_id, source_code, 'L-' || value, area_id, plate, starts_at, ends_at
       from parking_sessions, n where municipality_id = ${idOf(large.code)}`,
    ).run();
    const found = new Set<unknown>();
    let hasMoved = false;
    for (let after: unknown = null, pages = 0; pages === 0 || after !== null; pages += 1) {
      const answer = await service.post(
        '/api/v2/admin/plates/export',
        { tenant, plate: PLATE, after },
        ADMIN,
      );
      expect(answer.status).toBe(200);
      const sessions = answer.body.sessions as { session_id: string }[];
      for (const { session_id } of sessions) found.add(session_id);
      after = answer.body.next;
      if (sessions.length > 0 && !hasMoved) {
        hasMoved = true;
        expect(found.has('A-0')).toBe(false);
        await moveWhole(service, arriving.code, 'DB_2');
      }
    }
    expect([found.size, found.has('A-0')]).toEqual([1_002, true]);
  });
});
