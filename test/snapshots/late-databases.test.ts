import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Patience, refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { packKey, readSnapshot } from '../../src/core/snapshots/snapshot-store.ts';
import { type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { CITIES, city, NATION, putDocument, ROMA, TORINO } from '../databases/nation.ts';
import { never } from '../support/afterwards.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { Traffic, withoutWaiting } from '../support/stopped-clock.ts';

/** Of another database, in the same pack as Turin. */
const NEIGHBOUR = Array.from({ length: 500 }, (_, index) => `N${index}`).find(
  (code) => packKey(code) === packKey(TORINO.code),
);
const CODES = [...CITIES.map(({ code }) => code), NEIGHBOUR ?? expect.fail('no neighbour')];
const OTHERS = CODES.filter((code) => code !== TORINO.code);

const PATIENCE: Patience = { listMs: 1_500, batchMs: 1_500, allMs: 10_000 };

let minute: Instant;

beforeAll(async () => {
  await prepareSeveral();
  const neighbour = city({ code: CODES.at(-1) ?? '', name: 'Neighbour', database: 'DB_3' });
  await putDocument(new Service(SEVERAL), {
    ...NATION,
    municipalities: [...NATION.municipalities, neighbour],
  });
  minute = instant(Date.now());
});

/** A minute has passed since the last snapshots, which are all there. */
beforeEach(async () => {
  await refreshSnapshots({ ...env, ...SEVERAL }, () => minute);
  minute = instant(minute + MINUTE_MS);
});

/** What happens to a round trip that lists municipalities, and to one that reads them. */
interface Trips {
  readonly list?: (run: () => Promise<unknown>) => Promise<unknown>;
  readonly batch?: (run: () => Promise<unknown>) => Promise<unknown>;
}

/** Runs with one database that is not as it should be, and tells of its round trips, and of the values written. */
async function run(trips: Trips, patience = PATIENCE, name: DatabaseName = 'DB_2') {
  const asked: string[] = [];
  const puts: string[] = [];
  const traffic = new Traffic();
  const late = databaseDouble(
    {
      around: (act, sql) => {
        const kind = sql.includes(';') ? 'batch' : 'list';
        asked.push(kind);
        return (trips[kind] ?? ((as) => as()))(() => traffic.around(act));
      },
    },
    SEVERAL[name],
  );
  const SNAPSHOTS = snapshotsDouble((act, method, key) => {
    if (method === 'put') puts.push(key);
    return traffic.around(act);
  });
  const inTime = {
    DB: databaseDouble(traffic, SEVERAL.DB),
    DB_2: databaseDouble(traffic, SEVERAL.DB_2),
    DB_3: databaseDouble(traffic, SEVERAL.DB_3),
  };
  const bindings = { ...env, ...inTime, [name]: late, SNAPSHOTS };
  return withoutWaiting(traffic, async () => {
    const startedAt = performance.now();
    const failure = await refreshSnapshots(bindings, () => minute, patience).catch((error: unknown) => error);
    return { asked, puts, failure, tookMs: performance.now() - startedAt };
  });
}

const snapshotOf = (code: string) => readSnapshot(env.SNAPSHOTS, code, minute);
const instantsOf = (codes: readonly string[]) =>
  Promise.all(codes.map(async (code) => (await snapshotOf(code))?.at));

describe.each([
  ['never lists its municipalities', { list: never }, ['list']],
  ['lists its municipalities, and is never heard of again', { batch: never }, ['list', 'batch']],
] as const)('A database that %s', (_, trips, asked) => {
  it('keeps the snapshots of its own as they were, and no other’s, and is not asked again', async () => {
    const outcome = await run(trips);
    expect(outcome.tookMs).toBeLessThan(2_000);
    expect(outcome.failure).toBeInstanceOf(AggregateError);
    expect(outcome.asked).toEqual(asked);
    expect(await instantsOf(OTHERS)).toEqual(OTHERS.map(() => minute));
    expect(await instantsOf([TORINO.code])).toEqual([minute - MINUTE_MS]);
  });

  it('costs no value a second write', async () => {
    const { puts } = await run(trips);
    expect(puts.toSorted()).toEqual([...new Set(CODES.map(packKey)), 'public'].sort());
  });
});

describe('A home that never lists its municipalities', () => {
  it('keeps its own alone from having new snapshots', async () => {
    const { failure } = await run({ list: never }, PATIENCE, 'DB');
    expect(failure).toBeInstanceOf(AggregateError);
    const others = CODES.filter((code) => code !== ROMA.code);
    expect(await instantsOf(others)).toEqual(others.map(() => minute));
    expect(await instantsOf([ROMA.code])).toEqual([minute - MINUTE_MS]);
  });
});

describe('A database that is slow', () => {
  const slowBy = (milliseconds: number) => async (act: () => Promise<unknown>) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return act();
  };

  it('has its snapshots made if it answers in time', async () => {
    const { failure } = await run({ list: slowBy(300), batch: slowBy(300) });
    expect(failure).toBeUndefined();
    expect(await instantsOf(CODES)).toEqual(CODES.map(() => minute));
  });

  it('has what was read of it written once the time of all is over, and the others are not kept waiting', async () => {
    // Four batches, of which two are read in time.
    const many = Array.from({ length: 80 }, (_, index) =>
      city({ code: `M${index}`, name: 'x', database: 'DB_2' }),
    );
    await putDocument(new Service(SEVERAL), { municipalities: many });
    const { failure, asked, tookMs } = await run(
      { batch: slowBy(1_500) },
      { listMs: 1_500, batchMs: 5_000, allMs: 3_500 },
    );
    expect(tookMs).toBeLessThan(4_000);
    expect(failure).toBeInstanceOf(AggregateError);
    expect(await instantsOf(OTHERS)).toEqual(OTHERS.map(() => minute));
    const codes = [TORINO.code, ...many.map(({ code }) => code)];
    const made = (await instantsOf(codes)).filter((at) => at === minute).length;
    expect(asked.length).toBeLessThan(1 + Math.ceil(codes.length / 25));
    expect(made).toBe(25 * (asked.length - 2));
    expect(made).toBeGreaterThan(0);
  });
});
