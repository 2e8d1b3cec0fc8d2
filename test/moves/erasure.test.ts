import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseAll, NOTHING } from '../admin/plates-support.ts';
import {
  around,
  check,
  city,
  credentialFor,
  importLines,
  moveOf,
  moveWhole,
  putDocument,
} from '../databases/nation.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { ADMIN, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { placesOf } from './movers.ts';

const CODE = 'L219';
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let headers: Record<string, string>;
/** What was erased stays so under its keys: every test has a plate and keys of its own. */
let number = 0;
const plate = () => `ERASE${number}`;
const neighbour = () => `STAYS${number}`;

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [city({ code: CODE, name: 'Torino', database: 'DB_3' })],
  });
  headers = await credentialFor(service, [CODE]);
});

/** Two plates come to the city, wherever it lives. */
async function park(): Promise<void> {
  number += 1;
  const holding = [plate(), neighbour()];
  await importLines(
    service,
    headers,
    'sessions',
    CODE,
    holding.map((held, index) => ({
      ...{ session_id: `S-${number}-${index}`, plate: held, area_code: 'P1' },
      ...around(Date.now()),
    })),
  );
  await importLines(service, headers, 'subscriptions', CODE, [
    {
      ...{ subscription_number: `R-${number}`, type: 'RES', approval: 'approved', areas: 'all' },
      plates: holding.map((held) => ({ plate: held })),
      periods: [around(Date.now())],
    },
  ]);
}

async function moveTo(to: DatabaseName): Promise<void> {
  const { body } = await service.call('/api/v2/admin/databases', { headers: ADMIN });
  const databases = body.databases as { name: string; municipalities: string[] }[];
  const lives = databases.find(({ municipalities }) => municipalities.includes(CODE));
  if (lives?.name !== to) await moveWhole(service, CODE, to);
}

/** A call that is kept whole, with its plate. */
const buy = () =>
  service.settle('/api/v2/parking-meters/subscription-options', {
    method: 'POST',
    headers,
    body: { plate: plate(), terminal_code: 'T1' },
  });

const heldIn = (name: DatabaseName): string[] => [
  `${name} parking_sessions.plate`,
  `${name} subscription_plates.plate`,
];

/** A service that dies at the first statement of a kind. */
function dyingAt(name: DatabaseName, statement: RegExp): Service {
  const database = databaseDouble(
    {
      around: (run, sql) =>
        statement.test(sql) ? Promise.reject(new Error('D1_ERROR: the step was killed')) : run(),
    },
    SEVERAL[name],
  );
  return new Service({ ...SEVERAL, [name]: database, SNAPSHOTS: noSnapshots() });
}

const ERASE = '/api/v2/admin/plates/erase';

/** How far a move from DB_2 to DB_3 has come, and where the plate then is. */
const STATES = [
  { state: 'copying', dies: /set "writes_stopped_until"/, held: ['DB_2', 'DB_3'] },
  { state: 'switching', dies: /^update "municipalities" set "moved_to"/, held: ['DB_2', 'DB_3'] },
  { state: 'cleaning', dies: /delete from "parking_sessions"/, held: ['DB_2', 'DB_3'] },
] as const;

describe.each(STATES)('While a municipality is $state, an erasure', ({ state, dies, held }) => {
  beforeEach(async () => {
    await moveTo('DB_3');
    await park();
    await buy();
    await moveTo('DB_2');
    await buy();
    expect((await moveOf(dyingAt('DB_2', dies), CODE, 'DB_3')).status).toBe(500);
    const places = await placesOf(plate());
    expect(places).toEqual(expect.arrayContaining(held.flatMap(heldIn)));
    expect(places).toEqual(expect.arrayContaining(['DB_2 calls.request', 'DB_3 calls.request']));
  });

  if (state === 'switching') {
    it('is to come again, and the answer says so', async () => {
      const {
        status,
        headers: answered,
        body,
      } = await service.post(ERASE, { tenant: 'acme', plate: plate() }, ADMIN);
      expect([status, body.error]).toMatchObject([503, { code: 'MUNICIPALITY_MOVING' }]);
      expect(Number(answered.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      await moveWhole(service, CODE, 'DB_3');
    });
  }

  it('leaves the plate in no table and no kept call of either database, also when the move is done', async () => {
    if (state === 'switching') {
      await service.post(ERASE, { tenant: 'acme', plate: plate() }, ADMIN);
      await moveWhole(service, CODE, 'DB_3');
    }
    expect(await eraseAll(service, plate())).not.toEqual(NOTHING);
    expect(await placesOf(plate())).toEqual([]);
    if (state !== 'switching') await moveWhole(service, CODE, 'DB_3');
    expect(await placesOf(plate())).toEqual([]);
    expect(await eraseAll(service, plate())).toEqual(NOTHING);
    expect(await placesOf(neighbour())).toEqual(heldIn('DB_3'));
    for (const [asked, entitled] of [
      [plate(), false],
      [neighbour(), true],
    ] as const) {
      const { body } = await check(service, headers, { plate: asked });
      expect(body).toMatchObject({ has_valid_parking: entitled, has_valid_subscription: entitled });
    }
  });
});

describe('An erasure from two cities, of which one is switching', () => {
  const OTHER = 'L736';

  beforeAll(async () => {
    await putDocument(service, {
      municipalities: [city({ code: OTHER, name: 'Venezia', database: 'DB' })],
    });
  });

  beforeEach(async () => {
    await moveTo('DB_2');
    await park();
    const there = await credentialFor(service, [OTHER]);
    await importLines(service, there, 'sessions', OTHER, [
      { ...{ session_id: `S-${number}`, plate: plate(), area_code: 'P1' }, ...around(Date.now()) },
    ]);
  });

  const erase = (by = service) => by.post(ERASE, { tenant: 'acme', plate: plate() }, ADMIN);
  const EVERYWHERE = () => ['DB parking_sessions.plate', ...heldIn('DB_2')];

  it('is refused before it has erased anything', async () => {
    const dying = dyingAt('DB_2', /^update "municipalities" set "moved_to"/);
    expect((await moveOf(dying, CODE, 'DB_3')).status).toBe(500);
    const { status, body } = await erase();
    expect([status, body.error]).toMatchObject([503, { code: 'MUNICIPALITY_MOVING' }]);
    expect(await placesOf(plate())).toEqual(expect.arrayContaining(EVERYWHERE()));
    await moveWhole(service, CODE, 'DB_3');
    expect(await eraseAll(service, plate())).not.toEqual(NOTHING);
    expect(await placesOf(plate())).toEqual([]);
  });

  it('is to be continued where the switch begins once it has begun', async () => {
    const stop = (until: number | null) =>
      SEVERAL.DB_2.prepare('update municipalities set writes_stopped_until = ? where code = ?').bind(
        until,
        CODE,
      );
    const DB_2 = databaseDouble(
      {
        around: async (run, sql) => {
          if (/insert into "erasures"/.test(sql)) await stop(Date.now() + 60_000).run();
          return run();
        },
      },
      SEVERAL.DB_2,
    );
    const stopping = new Service({ ...SEVERAL, DB_2, SNAPSHOTS: noSnapshots() });
    const { status, body } = await erase(stopping);
    expect([status, body]).toMatchObject([200, { erased: { sessions: 1, subscriptions: 0 }, more: true }]);
    expect(await placesOf(plate())).toEqual(heldIn('DB_2'));
    expect((await erase()).status).toBe(503);
    await stop(null).run();
    expect(await eraseAll(service, plate())).not.toEqual(NOTHING);
    expect(await placesOf(plate())).toEqual([]);
  });
});

describe('A key that an erasure has taken away', () => {
  it('stays a digest where the municipality moves, and a line with the old key meets it there', async () => {
    await moveTo('DB_2');
    await park();
    const line = { session_id: `app/${plate()}/1`, plate: plate(), area_code: 'P1', ...around(Date.now()) };
    const send = (changed: object) =>
      importLines(service, headers, 'sessions', CODE, [{ ...line, ...changed }]);
    await send({});
    await eraseAll(service, plate());
    await moveWhole(service, CODE, 'DB_3');
    expect((await send({})).body).toMatchObject({ unchanged: 1 });
    expect((await send({ cancelled_at: line.starts_at })).body).toMatchObject({ updated: 1 });
    expect(await placesOf(plate())).toEqual([]);
  });
});

describe('A key that an erasure takes away after a move', () => {
  const PAYMENTS = '/api/v2/parking-meters/subscription-payments';
  const OPTIONS = '/api/v2/parking-meters/subscription-options';
  const scopes = ['subscription_options', 'subscription_payments', 'import'];
  let collected_at: string;
  const post = async (path: string, body: object) =>
    service.settle(path, { method: 'POST', headers: await credentialFor(service, [CODE], { scopes }), body });
  const pay = () =>
    post(PAYMENTS, {
      ...{ payment_id: `${plate()}-1`, plate: plate(), codice_tariffa: '101', importo_eurocent: 2_500 },
      collected_at,
    });

  /** A payment of a title, each with a key made from the plate, is kept in the old database. */
  beforeEach(async () => {
    await moveTo('DB');
    await park();
    await importLines(service, headers, 'subscriptions', CODE, [
      {
        ...{ subscription_number: `${plate()}-R`, type: 'RES', approval: 'approved', areas: 'all' },
        ...{ plates: [{ plate: plate() }], periods: [] },
      },
    ]);
    collected_at = new Date().toISOString();
    expect((await pay()).status).toBe(200);
    await moveTo('DB_3');
  });

  it('goes from the calls that are kept in the old database', async () => {
    const places = ['DB calls.request', 'DB calls.response', 'DB_3 payments.payment_id'];
    expect(await placesOf(plate())).toEqual(expect.arrayContaining(places));
    await eraseAll(service, plate());
    expect(await placesOf(plate())).toEqual([]);
    expect(await eraseAll(service, plate())).toEqual(NOTHING);
  });

  it('goes from those that were made in either of them since an erasure', async () => {
    await eraseAll(service, plate());
    for (const to of ['DB', 'DB_3'] as const) {
      await moveTo(to);
      expect((await pay()).status).toBe(200);
      await post(OPTIONS, { plate: neighbour(), terminal_code: `${plate()}-R` });
    }
    const places = ['DB calls.request', 'DB_3 calls.request'];
    expect(await placesOf(plate())).toEqual(expect.arrayContaining(places));
    expect(await eraseAll(service, plate())).toMatchObject({ payments: 0, calls: 4 });
    expect(await placesOf(plate())).toEqual([]);
  });

  it('goes by the same erasure again, at whichever of its round trips the first was cut off', async () => {
    let at = shortOrThorough(5, 1);
    for (let isCut = true; isCut; at += shortOrThorough(7, 1)) {
      isCut = false;
      let trips = 0;
      const watched = (database: D1Database) =>
        databaseDouble(
          {
            around: async (run) => {
              trips += 1;
              isCut ||= trips >= at;
              return isCut ? Promise.reject(new Error('D1_ERROR: the erasure was killed')) : run();
            },
          },
          database,
        );
      const [DB, DB_3] = [watched(SEVERAL.DB), watched(SEVERAL.DB_3)];
      const cut = new Service({ ...SEVERAL, DB, DB_3, SNAPSHOTS: noSnapshots() });
      const { status } = await cut.post(ERASE, { tenant: 'acme', plate: plate() }, ADMIN);
      expect(status).toBe(isCut ? 500 : 200);
    }
    await eraseAll(service, plate());
    expect(await placesOf(plate())).toEqual([]);
    expect(await eraseAll(service, plate())).toEqual(NOTHING);
  });
});

describe('What keeps a plate erased', () => {
  it('lasts as long in the new database, where an import prolongs it while the copy is made', async () => {
    await moveTo('DB_2');
    await park();
    const line = { session_id: `G-${number}`, plate: plate(), area_code: 'P1', ...around(Date.now()) };
    const send = (changed: object) =>
      importLines(service, headers, 'sessions', CODE, [{ ...line, ...changed }]);
    await send({});
    await eraseAll(service, plate());
    // The first pass is stored; the call dies before the writes are stopped.
    expect((await moveOf(dyingAt('DB_2', /set "writes_stopped_until"/), CODE, 'DB_3')).status).toBe(500);
    const ends_at = new Date(Date.now() + 48 * 3_600_000).toISOString();
    expect((await send({ ends_at })).body).toMatchObject({ updated: 1 });
    await moveWhole(service, CODE, 'DB_3');
    const lasts = await SEVERAL.DB_3.prepare('select max(guards_until) from erased_plates where kind = ?')
      .bind('parking_session')
      .first('max(guards_until)');
    expect(lasts).toBe(Date.parse(ends_at));
  });
});

describe('An erasure', () => {
  it.each([
    ['DB', 'DB_2', 1],
    ['DB_2', 'DB', 2],
  ] as const)(
    'leaves the plate nowhere, before whichever of its round trips a whole move from %s to %s comes',
    async (from, to, first) => {
      let at: number = shortOrThorough(first, 1);
      for (let trips = at; trips >= at; at += shortOrThorough(9, 1)) {
        await moveTo(from);
        await park();
        trips = 0;
        const watched = (database: D1Database) =>
          databaseDouble(
            {
              around: async (run) => {
                trips += 1;
                if (trips === at) await moveWhole(service, CODE, to);
                return run();
              },
            },
            database,
          );
        const two = { DB: watched(SEVERAL.DB), DB_2: watched(SEVERAL.DB_2), SNAPSHOTS: noSnapshots() };
        await eraseAll(new Service(two), plate());
        expect(await placesOf(plate()), `moved before round trip ${at}`).toEqual([]);
      }
    },
    120_000,
  );
});
