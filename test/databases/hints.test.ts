import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { writeDirectory } from '../../src/storage/databases/directory-store.ts';
import { countedBindings, snapshotsDouble } from '../support/doubles.ts';
import { type Answer, Service } from '../support/service.ts';
import { prepareSeveral, SEVERAL } from '../support/several.ts';
import {
  administrate,
  around,
  CITIES,
  check,
  credentialFor,
  NATION,
  options,
  parkIn,
  plateOf,
  putDocument,
  report,
  TORINO,
} from './nation.ts';

let all: Record<string, string>;
let own: Record<string, string>;

beforeAll(async () => {
  await prepareSeveral();
  const service = new Service(SEVERAL);
  await putDocument(service, NATION);
  all = await credentialFor(
    service,
    CITIES.map(({ code }) => code),
  );
  own = await credentialFor(service, [TORINO.code]);
  await parkIn(service, all, TORINO);
});

/** A fresh isolate, whose round trips are counted. It finds no snapshots: a report has to look for its municipality. */
function isolate() {
  const { cost, bindings } = countedBindings({ DB_2: env.SECOND, DB_3: env.THIRD });
  const SNAPSHOTS = snapshotsDouble(async (run, _, key) => (key === 'databases' ? run() : null));
  return { cost, service: new Service({ ...bindings, SNAPSHOTS }) };
}

const plate = plateOf(TORINO);
const CALLS: Readonly<Record<string, (service: Service) => Promise<Answer>>> = {
  'a check': (service) => check(service, all, { plate, municipality_code: TORINO.code }),
  'a check that names none': (service) => check(service, own, { plate }),
  'a purchase': (service) => options(service, all, { plate, municipality_code: TORINO.code }),
  'a report': (service) => report(service, all, { municipality_code: TORINO.code }),
  'an import': (service) =>
    service.call(`/api/v2/imports/subscriptions?municipality_code=${TORINO.code}`, {
      method: 'POST',
      headers: { ...all, 'Content-Type': 'application/x-ndjson' },
      body: JSON.stringify({
        ...{
          subscription_number: 'R-1',
          type: 'RES',
          plates: [{ plate }],
          approval: 'approved',
          areas: 'all',
        },
        periods: [around(Date.now())],
      }),
    }),
};
const NAMES = Object.keys(CALLS);
const call = (name: string, service: Service): Promise<Answer> => (CALLS[name] ?? expect.fail(name))(service);

describe('A directory in KV', () => {
  const says = (database: string) =>
    writeDirectory(env.SNAPSHOTS, database === 'DB' ? [] : [{ code: TORINO.code, database }]);

  describe.each([
    ['a database that is not bound', 'DB_9', 2],
    ['a database that has no row of the municipality', 'DB_3', 3],
    ['nothing', 'DB', 2],
    ['the right database', 'DB_2', 1],
  ])('that names %s', (_, database, roundTrips) => {
    it.each(NAMES)('is a hint for %s', async (name) => {
      await says(database);
      const { service } = isolate();
      for (const _turn of ['first', 'second']) expect((await call(name, service)).status).toBe(200);
    });

    it(`costs an isolate’s first check ${roundTrips} round trips, and each later one a single one`, async () => {
      await says(database);
      const { cost, service } = isolate();
      const costs = [];
      for (const _turn of ['first', 'second', 'third']) {
        Object.assign(cost, { roundTrips: 0 });
        const { body } = await call('a check', service);
        expect(body).toMatchObject({ has_valid_entitlement: true, municipality: { code: TORINO.code } });
        costs.push(cost.roundTrips);
      }
      expect(costs).toEqual([roundTrips, 1, 1]);
    });
  });
});

describe('A row that a hint leads to', () => {
  it.each(NAMES)(
    'is of no use for %s where it is another tenant’s: the credential is refused as for any other city',
    async (name) => {
      await writeDirectory(env.SNAPSHOTS, [{ code: TORINO.code, database: 'DB_2' }]);
      const belongTo = (tenant: string) =>
        env.SECOND.prepare(`update municipalities set tenant_id = (${tenant}) where code = ?`)
          .bind(TORINO.code)
          .run();
      const tenant = await env.SECOND.prepare('select tenant_id from municipalities where code = ?')
        .bind(TORINO.code)
        .first<number>('tenant_id');
      await env.SECOND.prepare(
        `insert or ignore into tenants (id, code, name, active) values (99, 'other', 'Other', 1)`,
      ).run();
      await belongTo('99');
      const { status, body } = await call(name, isolate().service);
      await belongTo(String(tenant));
      expect([status, body.error]).toMatchObject([403, { code: 'MUNICIPALITY_NOT_ALLOWED' }]);
    },
  );
});

describe('What an isolate remembers', () => {
  const isolates = new Map(NAMES.map((name) => [name, isolate().service]));

  beforeAll(async () => {
    for (const [name, service] of isolates) expect((await call(name, service)).status).toBe(200);
    const path = `/api/v2/admin/municipalities/${TORINO.code}/move`;
    const move = () => administrate(new Service(SEVERAL), 'POST', path, { to: 'DB_3' });
    await vi.waitUntil(async () => (await move()).body.state === 'done');
    await env.SECOND.prepare('update municipalities set code = ? where code = ?')
      .bind('GONE', TORINO.code)
      .run();
  });

  it.each(NAMES)('is a hint for %s: where there is no row any more, the home is asked', async (name) => {
    const service = isolates.get(name) ?? expect.fail(name);
    for (const _turn of ['first', 'second']) expect((await call(name, service)).status).toBe(200);
  });
});

describe('A row of the home that leads to a database that is not bound', () => {
  it.each(NAMES)('is a failure for %s, never a negative', async (name) => {
    await env.SNAPSHOTS.delete('databases');
    await env.DB.prepare('update municipalities set moved_to = ? where code = ?')
      .bind('DB_9', TORINO.code)
      .run();
    const { service } = isolate();
    for (const _turn of ['first', 'second']) expect((await call(name, service)).status).toBe(500);
  });
});
