import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { versionedDeletion } from '../../src/upkeep/retention/versioned-table.ts';
import { importLines } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const DAYS = { parking_session: 400, subscription: 1_825 } as const;
const LONG_AGO = NOW - 3_000 * DAY_MS;
const KINDS = ['parking_session', 'subscription'] as const;
const PAST = {
  parking_session: ['past_parking_sessions'],
  subscription: ['past_subscriptions', 'past_subscription_plates'],
};

/** Stores one that is over, with when it was recorded last. */
const store = {
  parking_session: (end: number, recordedAt: number) =>
    env.DB.prepare(
      `insert into parking_sessions (id, municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
       values (1, 1, 'app1', 'X', 1, 'AB123CD', ?1 - 1, ?1, ?2)`,
    )
      .bind(end, recordedAt)
      .run(),
  subscription: (end: number, recordedAt: number) =>
    env.DB.prepare(
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, authorized_until, all_areas, changed_at)
       values (1, 1, 'X', 1, 'approved', ?, 1, ?)`,
    )
      .bind(end, recordedAt)
      .run(),
};

/** Stores a past version of it in each of its tables, until an instant. */
const keepUntil = (kind: (typeof KINDS)[number], at: number) =>
  env.DB.batch(
    (kind === 'parking_session'
      ? [
          `past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at) values (1, 1, 1, 'AB123CD', 0, 0, ${at})`,
        ]
      : [
          `past_subscriptions (id, municipality_id, record, recorded_at, replaced_at) values (1, 1, '{}', 0, ${at})`,
          `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at) values (1, 1, 1, 'AB123CD', 0, ${at})`,
        ]
    ).map((rows) => env.DB.prepare(`insert into ${rows}`)),
  );
const change = (...at: readonly number[]) =>
  env.DB.batch(
    at.map((one) => env.DB.prepare('insert into changes values (1, ?, randomblob(16), 0)').bind(one)),
  );

const columnOf = async (sql: string): Promise<unknown[]> =>
  (await env.DB.prepare(sql).raw()).map(([value]) => value);
const stored = async (): Promise<unknown> =>
  env.DB.prepare(
    `select (select count(*) from parking_sessions) + (select count(*) from subscriptions) as there`,
  ).first('there');
/** How many days ago its past versions were replaced, in each of its tables. */
const past = (kind: (typeof KINDS)[number]): Promise<unknown[][]> =>
  Promise.all(
    PAST[kind].map((table) =>
      columnOf(`select (replaced_at - ${NOW}) / ${DAY_MS} from ${table} order by replaced_at`),
    ),
  );
const inEach = (kind: (typeof KINDS)[number], ...days: readonly number[]) => PAST[kind].map(() => [...days]);
const pastSince = () => env.DB.prepare('select past_since from municipalities').first('past_since');

beforeEach(() => freshDatabase({ ...CITY, sources: [APP_SOURCE] }));

describe.each(KINDS)('A %s that is sent again with dates long past', (kind) => {
  it('stays until it was last recorded longer ago, and then goes with all its past', async () => {
    await store[kind](LONG_AGO, NOW - DAY_MS);
    await keepUntil(kind, NOW - 2 * DAY_MS);
    await keepUntil(kind, NOW - DAY_MS);
    await runRetention(env, NOW);
    expect([await stored(), await past(kind)]).toEqual([1, inEach(kind, -2, -1)]);
    await runRetention(env, instant(NOW + (DAYS[kind] - 1) * DAY_MS));
    expect([await stored(), await past(kind)]).toEqual([1, inEach(kind, -1)]);
    await runRetention(env, instant(NOW + (DAYS[kind] - 1) * DAY_MS + 1));
    expect([await stored(), await past(kind)]).toEqual([0, inEach(kind)]);
  });

  it('stays while it is not over, and loses of its past what was replaced longer ago', async () => {
    await store[kind](NOW + 9_000 * DAY_MS, LONG_AGO);
    for (const days of [DAYS[kind] + 1, DAYS[kind], 1]) await keepUntil(kind, NOW - days * DAY_MS);
    await runRetention(env, NOW);
    expect([await stored(), await past(kind)]).toEqual([1, inEach(kind, -DAYS[kind], -1)]);
  });

  it('forgets for lists what was known before the newest change past its retention, and nothing of a later one', async () => {
    const edge = NOW - DAYS.parking_session * DAY_MS;
    await store[kind](LONG_AGO, LONG_AGO);
    await change(edge - 2, edge - 1, edge);
    await runRetention({ ...env, CALL_LOG_RETENTION_DAYS: '9000' }, NOW);
    expect(await stored()).toBe(0);
    expect(await pastSince()).toBe(edge - 1);
  });
});

describe('Of changes', () => {
  it('those go that are older than the call log keeps calls, but never the newest', async () => {
    const edge = NOW - 90 * DAY_MS;
    await change(edge - 2, edge - 1, edge, NOW);
    await runRetention(env, NOW);
    expect(await columnOf('select recorded_at from changes order by 1')).toEqual([edge, NOW]);
    await runRetention(env, instant(NOW + 9_000 * DAY_MS));
    expect(await columnOf('select recorded_at from changes')).toEqual([NOW]);
  });

  it('the next one after all others have gone is later than the newest was', async () => {
    const { headers } = await issueCredential();
    const ahead = Date.now() + DAY_MS;
    await change(ahead - 1, ahead);
    await runRetention(env, instant(ahead + 9_000 * DAY_MS));
    const line = {
      ...{ session_id: 'S', plate: 'AB123CD', area_code: 'P1' },
      ...{ starts_at: '2026-03-07T10:00:00Z', ends_at: '2026-03-07T11:00:00Z' },
    };
    expect(await importLines(new Service(), headers, 'sessions', [line])).toMatchObject({ created: 1 });
    expect(await columnOf('select recorded_at from parking_sessions')).toEqual([ahead + 1]);
  });
});

describe('Of configurations', () => {
  const EDGE = NOW - 400 * DAY_MS;
  const configure = (...versions: readonly (readonly [at: number, part: number])[]) =>
    env.DB.batch(
      versions.map(([at, part]) =>
        env.DB.prepare(`insert into configuration_versions values (1, ?, ?, '{}')`).bind(at, part),
      ),
    );

  it('that stays which was the newest at the bound, with all its parts, and what came later', async () => {
    await configure([LONG_AGO, 0], [LONG_AGO, 1], [EDGE - 1, 0], [EDGE - 1, 1], [EDGE, 0], [NOW, 0]);
    await runRetention(env, NOW);
    expect(
      await columnOf(`select recorded_at || ' ' || part from configuration_versions order by 1`),
    ).toEqual([`${EDGE - 1} 0`, `${EDGE - 1} 1`, `${EDGE} 0`, `${NOW} 0`]);
  });

  it('the only one stays, however old', async () => {
    await configure([LONG_AGO, 0]);
    await runRetention(env, NOW);
    expect(await columnOf('select recorded_at from configuration_versions')).toEqual([LONG_AGO]);
  });
});

describe('Of how the imports of a source stood', () => {
  it('that goes which was followed longer ago: today’s row has the newest success', async () => {
    const edge = NOW - 400 * DAY_MS;
    const stood = (until: number) =>
      env.DB.prepare(
        `insert into past_source_imports (source_id, municipality_id, last_finished_at, last_outcome, recorded_at, replaced_at) values (1, 1, 0, 'failed', 0, ?)`,
      ).bind(until);
    await env.DB.batch([
      ...[stood(edge - 1), stood(edge)],
      env.DB.prepare(
        `insert into source_imports values (1, ${LONG_AGO}, 'failed', ${LONG_AGO - 1}, 'r', ${LONG_AGO})`,
      ),
    ]);
    await runRetention(env, NOW);
    expect(await columnOf('select replaced_at from past_source_imports')).toEqual([edge]);
    expect(await columnOf('select last_successful_at from source_imports')).toEqual([LONG_AGO - 1]);
  });
});

describe('A subscription without an end', () => {
  const unbounded = (lastPeriod: number | null, changedAt: number | null) =>
    env.DB.prepare(
      `insert into subscriptions (municipality_id, subscription_number, type_id, approval, all_areas, last_period_ends_at, changed_at)
       values (1, 'U', 1, 'approved', 1, ?, ?)`,
    )
      .bind(lastPeriod, changedAt)
      .run();
  const EDGE = NOW - DAYS.subscription * DAY_MS;

  it.each([
    ['goes with its last period', EDGE - 1, EDGE - 1, 0],
    ['stays until then', EDGE, EDGE - 1, 1],
    ['stays after it while it has changed since', EDGE - 1, EDGE, 1],
    ['goes with its last change where it has no period', null, EDGE - 1, 0],
    ['stays until then where it has no period', null, EDGE, 1],
  ])('%s', async (_, lastPeriod, changedAt, left) => {
    await unbounded(lastPeriod, changedAt);
    await runRetention(env, NOW);
    expect(await stored()).toBe(left);
  });
});

describe.each(KINDS)('A %s that an import changes while its batch is deleted', (kind) => {
  it('keeps the version that was replaced', async () => {
    await store[kind](LONG_AGO, LONG_AGO);
    const [table, column] =
      kind === 'subscription' ? ['subscriptions', 'changed_at'] : ['parking_sessions', 'recorded_at'];
    let trips = 0;
    const DB = databaseDouble({
      around: async (run) => {
        trips += 1;
        if (trips === 2) {
          await keepUntil(kind, NOW);
          await env.DB.prepare(`update ${table} set ${column} = ?`).bind(NOW).run();
        }
        return run();
      },
    });
    const takeBatch = versionedDeletion(kind, instant(NOW - DAY_MS), 100);
    expect((await takeBatch(DB)).rows).toBe(0);
    expect(trips).toBeGreaterThan(1);
    for (const past of PAST[kind]) {
      expect(await columnOf(`select replaced_at from ${past}`)).toEqual([NOW]);
    }
    expect(await columnOf(`select ${column} from ${table}`)).toEqual([NOW]);
  });
});
