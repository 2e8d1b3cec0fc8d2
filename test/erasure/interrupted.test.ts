import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import {
  ERASE,
  EXPORT,
  eraseAll,
  exportOf,
  importLines,
  NOTHING,
  spells,
  textsOfAllTables,
} from '../admin/plates-support.ts';
import { Random } from '../domain/random.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { CITY, ROME, TENANT } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { session, subscription, text } from './lines.ts';

const NOW = Date.now();
const PLATE = 'ERASE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const city = new City(
  {
    ...CITY,
    // The code of another tenant's municipality.
    tenants: [TENANT, { id: 2, code: 'H501', name: 'Other', active: true }],
    municipalities: [ROME, { ...ROME, id: 2, code: 'L219', tenantId: 2 }],
  },
  { anew: true },
);
const { service } = city;

const sessions = (...lines: object[]) => importLines(service, city.headers, 'sessions', lines);
const subscriptions = (...lines: object[]) => importLines(service, city.headers, 'subscriptions', lines);
const exported = (plate: string, tenant?: string) => exportOf(service, plate, tenant);
const options = (plate: string, headers = {}) => city.post(OPTIONS, { plate, terminal_code: 'T1' }, headers);
const holding = async (plate = PLATE) => (await textsOfAllTables()).filter(([, kept]) => spells(kept, plate));

beforeEach(async () => {
  await sessions(session('one', PLATE), session('two', PLATE), session('three', 'OTHER1'));
  await subscriptions(subscription('N1', PLATE, 'OTHER1'), subscription('N2', PLATE));
  await sessions(session('two', 'RIGHT1'));
});

describe('An erasure that is cut off', () => {
  it.each([
    ['before', 1],
    ['after', 2],
  ] as const)(
    '%s the database has done any of its round trips is completed by the same again',
    async (side, first) => {
      const states = new Set<string>();
      const tally: Record<string, number>[] = [];
      let cutAt: number = shortOrThorough(first, 1);
      for (let isCut = true; isCut; cutAt += shortOrThorough(3, 1)) {
        await env.DB.prepare('delete from calls').run();
        await env.DB.prepare('delete from erased_plates').run();
        await sessions(session('one', `${PLATE}`), session('two', PLATE));
        await sessions(session('two', 'RIGHT1'));
        await subscriptions(subscription('N1', PLATE, 'OTHER1'), subscription('N2', PLATE));
        await options(PLATE);
        let trips = 0;
        isCut = false;
        const DB = databaseDouble({
          around: async (run) => {
            trips += 1;
            if (trips < cutAt) return run();
            isCut = true;
            if (trips === cutAt && side === 'after') await run();
            throw new Error('cut off');
          },
        });
        const body = { tenant: 'acme', plate: PLATE };
        const { status } = await new Service({ DB }).post(ERASE, body, ADMIN);
        expect(status).toBe(isCut ? 500 : 200);
        tally.push(await eraseAll(service, PLATE));
        expect(await holding()).toEqual([]);
        expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
        const { results } = await env.DB.prepare(
          'select count(distinct plate) as plates, count(*) as sessions from parking_sessions',
        ).all();
        states.add(JSON.stringify(results));
      }
      expect(cutAt).toBeGreaterThan(6);
      expect(tally.at(-1)).toEqual(NOTHING);
      expect([...states]).toEqual([JSON.stringify([{ plates: 3, sessions: 3 }])]);
    },
  );
});

describe('An import that is under way while a plate is erased', () => {
  /** A service whose import is overtaken by an erasure just before it stores. */
  const overtaken = () => {
    let isErased = false;
    const DB = databaseDouble({
      around: async (run, sql) => {
        if (!isErased && /insert into "?changes/.test(sql)) {
          isErased = true;
          expect(await eraseAll(service, PLATE)).not.toEqual(NOTHING);
        }
        return run();
      },
    });
    return new Service({ DB });
  };

  it('does not bring it back to a session, and takes all that is new', async () => {
    const lines = [
      session('one', PLATE, { ends_at: text(NOW + 2 * HOUR_MS) }),
      { session_id: 'bad' },
      session('four', 'FOUR4'),
    ];
    expect(await importLines(overtaken(), city.headers, 'sessions', lines)).toMatchObject({
      ...{ received: 3, created: 1, rejected: 1 },
    });
    // What it has stored goes with the same erasure later.
    await eraseAll(service, PLATE);
    expect(await holding()).toEqual([]);
    expect((await exported('FOUR4')).sessions).toHaveLength(1);
  });

  it('keeps none of it in a version that it replaces, of a session that it corrects or a subscription that it takes it off', async () => {
    expect(
      await importLines(overtaken(), city.headers, 'sessions', [
        session('one', 'RIGHT1'),
        session('two', PLATE),
      ]),
    ).toMatchObject({ updated: 2 });
    await eraseAll(service, PLATE);
    expect(await holding()).toEqual([]);
    await subscriptions(subscription('N3', PLATE, 'OTHER1'));
    await importLines(overtaken(), city.headers, 'subscriptions', [subscription('N3', 'OTHER1')]);
    await eraseAll(service, PLATE);
    expect(await holding()).toEqual([]);
  });

  it('leaves it nowhere though it corrects the session between what an erasure reads and what it stores', async () => {
    let isCorrected = false;
    const DB = databaseDouble({
      around: async (run, sql) => {
        if (!isCorrected && /insert into "?erased_plates/.test(sql)) {
          isCorrected = true;
          expect(await sessions(session('one', 'RIGHT1'))).toMatchObject({ updated: 1 });
          expect(await subscriptions(subscription('N1', 'OTHER1'))).toMatchObject({ updated: 1 });
        }
        return run();
      },
    });
    await eraseAll(new Service({ DB }), PLATE);
    expect(isCorrected).toBe(true);
    expect(await holding()).toEqual([]);
    expect((await exported('RIGHT1')).sessions).toHaveLength(2);
  });
});

describe('An erasure', () => {
  it('leaves the calls of another tenant whose code is that of the municipality', async () => {
    const { headers } = await issueCredential({ tenantId: 2 }, [2]);
    await options(PLATE, headers);
    expect((await exported(PLATE, 'H501')).calls).toHaveLength(1);
    expect((await exported(PLATE)).calls).toEqual([]);
    await eraseAll(service, PLATE);
    expect((await exported(PLATE, 'H501')).calls).toHaveLength(1);
  });

  it('reads rows of the plate and not of the others, and so does an export', async () => {
    const many = `with recursive n(value) as (select 1 union all select value + 1 from n where value < 30000)`;
    await env.DB.batch(
      [
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
          ${many} select 1, 'app1', 'many ' || value, 2, 'MANY' || value, value, value + 1, 1 from n`,
        `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
          select id, 1, 2, plate, starts_at, 0, 1 from parking_sessions where session_id glob 'many *'`,
        `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
          ${many} select 1000 + value, 1, 1, 'MANY' || value, 0, 1 from n`,
        `insert into calls (id, at, operation, tenant, municipality_code, http_status, outcome, duration_ms, plate_digest)
          ${many} select unhex(printf('%012x7000%016x', value, value)), value, 'plate_check', 'acme', 'H501', 200, 'OK', 1, randomblob(16) from n`,
        `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code)
          ${many} select 1, 'many ' || value, 'MANY' || value, '101', 1, value, value, value, 'PLAN_NOT_FOUND' from n`,
        `insert into erased_plates (municipality_id, digest, erased_at)
          ${many} select 1, 'digest ' || value, value from n`,
      ].map((sql) => env.DB.prepare(sql)),
    );
    const { cost, bindings } = countedBindings();
    const counted = new Service(bindings);
    await counted.post(EXPORT, { tenant: 'acme', plate: PLATE }, ADMIN);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThan(200);
    expect(await eraseAll(counted, PLATE)).not.toEqual(NOTHING);
    expect(cost.rowsRead).toBeLessThan(1_000);
    // And of a plate with many, a few times those of it.
    await env.DB.exec("update parking_sessions set plate = 'LONG1' where starts_at <= 1000");
    await env.DB.exec("update past_parking_sessions set plate = 'LONG1' where starts_at <= 1000");
    cost.rowsRead = 0;
    expect(await eraseAll(counted, 'LONG1')).toMatchObject({ sessions: 1_000, history: 2_000 });
    expect(cost.rowsRead).toBeLessThan(20 * 2_000);
  });
});

describe('Among random plates, sessions, corrections, subscriptions and calls', () => {
  it.each(Array.from({ length: shortOrThorough(2, 6) }, (_, index) => RUN_SEED + index))(
    'the erased one is nowhere, and all others have all they had (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const PLATES = ['QUICK7', 'BROWN7', 'JUMPY7', 'VEXED7'];
      const some = () => random.pick(PLATES);
      const respelled = (plate: string) =>
        [...plate].map((letter) => letter + random.pick(['', ' ', '-', '\u0301'])).join('');
      const spelled = () => respelled(some());
      /** Some are made from a plate, whether it was ever theirs or not. */
      const keys = Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0 ? `r${index}` : `no ${index}/${spelled().trim()}`,
      );
      const sessionKeys = keys.slice(4);
      const numbers = keys.slice(0, 4);
      const kept = { sessions: new Map<string, object>(), subscriptions: new Map<string, object>() };
      const held = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
      const hold = (what: keyof typeof kept, key: string, line: object, plates: readonly string[]) => {
        kept[what].set(key, line);
        for (const plate of plates) held.get(key)?.add(plate);
        return line;
      };
      const [gone = '', ...others] = PLATES;
      for (let step = 0; step < 12; step += 1) {
        const drawn = random.list(1 + random.below(4), () => [random.pick(sessionKeys), some()] as const);
        const lines = drawn.map(([key, plate]) => session(key, respelled(plate)));
        // Of a file's lines with one key, the last is stored.
        for (const [key, plate] of new Map(drawn)) {
          hold('sessions', key, lines[drawn.findLastIndex(([of]) => of === key)] ?? {}, [plate]);
        }
        await sessions(...lines);
        const [number, plates] = [random.pick(numbers), PLATES.filter(() => random.oneIn(2))];
        await subscriptions(hold('subscriptions', number, subscription(number, ...plates), plates));
        await options(spelled());
      }
      const isMade = (key: string): boolean => spells(key, gone) && held.get(key)?.has(gone) === true;
      const otherKeys = keys.filter((key) => !isMade(key));
      const holdingGone = async () =>
        (await textsOfAllTables()).filter(([, text]) =>
          spells(
            otherKeys.reduce((left, key) => left.replaceAll(key, ''), text),
            gone,
          ),
        );
      /**
       * What is exported, with one word for each key that is a digest, or is to be one: items of one instant are in the order of their
       * keys.
       */
      const withoutMadeKeys = (exports: unknown[], isRenamed: typeof isMade): unknown =>
        JSON.parse(JSON.stringify(exports), (name, value) => {
          if (['key', 'session_id', 'subscription_number'].includes(name) && isRenamed(value)) return 'made';
          return Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value;
        });
      const all = async () =>
        Promise.all(others.map(async (plate) => ({ ...(await exported(plate)), request_id: 0 })));
      const before = withoutMadeKeys(await all(), isMade);
      expect((await holdingGone()).length).toBeGreaterThan(0);
      await eraseAll(service, gone);
      expect(await holdingGone()).toEqual([]);
      const isDigest = (key: string) => /^\*[0-9a-f]{64}$/.test(key);
      expect(withoutMadeKeys(await all(), isDigest)).toEqual(before);
      expect(await eraseAll(service, gone)).toEqual(NOTHING);
      for (const [what, lines] of Object.entries(kept)) {
        const again = what === 'sessions' ? sessions : subscriptions;
        expect(await again(...lines.values())).toMatchObject({ unchanged: lines.size, rejected: 0 });
      }
      expect(await holdingGone()).toEqual([]);
    },
  );
});
