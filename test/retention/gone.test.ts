import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { importLines } from '../admin/plates-support.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';

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
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, authorized_until, periods, recorded_at)
       values (1, 1, 'X', 1, 'approved', ?, '[]', ?)`,
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
          `past_subscriptions (id, municipality_id, type_id, approval, periods, recorded_at, replaced_at) values (1, 1, 1, 'approved', '[]', 0, ${at})`,
          `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at) values (1, 1, 1, 'AB123CD', 0, ${at})`,
        ]
    ).map((rows) => env.DB.prepare(`insert into ${rows}`)),
  );
const change = (...at: readonly number[]) =>
  env.DB.batch(
    at.map((one) => env.DB.prepare('insert into changes values (1, ?, randomblob(16))').bind(one)),
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

const city = new City(CITY, { anew: true });

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
});

describe('A subscription of which a plate', () => {
  it.each([
    [
      'came since',
      `subscription_plates (subscription_id, municipality_id, plate, recorded_at) values (1, 1, 'A', ?)`,
    ],
    [
      'left since',
      `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at) values (9, 1, 1, 'A', 0, ?)`,
    ],
  ])('%s stays, until that is as long ago', async (_, row) => {
    await store.subscription(LONG_AGO, LONG_AGO);
    await env.DB.prepare(`insert into ${row}`)
      .bind(NOW - DAY_MS)
      .run();
    const until = NOW + (DAYS.subscription - 1) * DAY_MS;
    for (const [now, left] of [
      [NOW, 1],
      [until, 1],
      [until + 1, 0],
    ] as const) {
      await runRetention(env, instant(now));
      expect(await stored()).toBe(left);
    }
  });
});

describe('Of changes', () => {
  /** Of a session's versions only those that lived longer than 30 days are asked for by their instant. */
  const edge = NOW - 430 * DAY_MS;

  it('those go whose instant no row bears, but never the newest', async () => {
    await store.parking_session(NOW + 9_000 * DAY_MS, edge - 4);
    await env.DB.prepare('update parking_sessions set recorded_at = ?').bind(NOW).run();
    await store.subscription(NOW + 9_000 * DAY_MS, edge - 3);
    await change(edge - 4, edge - 3, edge - 2, edge - 1, edge, NOW);
    await runRetention(env, NOW);
    const left = () => columnOf('select recorded_at from changes order by 1');
    expect(await left(), 'a long version of a session, and a subscription').toEqual([
      ...[edge - 4, edge - 3, edge, NOW],
    ]);
    await runRetention(env, instant(NOW + 401 * DAY_MS));
    expect(await left(), 'the version is gone').toEqual([edge - 3, NOW]);
    await env.DB.prepare('delete from subscriptions').run();
    await env.DB.prepare('delete from parking_sessions').run();
    await runRetention(env, instant(NOW + 9_000 * DAY_MS));
    expect(await left(), 'the newest').toEqual([NOW]);
  });

  it.each([
    `parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, recorded_at)
     values (1, 'app1', 'Y', 1, 'A', ${NOW}, ?1)`,
    `subscription_plates (subscription_id, municipality_id, plate, recorded_at) values (1, 1, 'A', ?1)`,
    `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
     values (9, 1, 1, 'A', ?1, ${NOW})`,
    `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
     values (9, 1, 1, 'A', 0, ?1)`,
    `past_subscriptions (id, municipality_id, type_id, approval, periods, recorded_at, replaced_at)
     values (1, 1, 1, 'approved', '[]', ?1, ${NOW})`,
    `past_subscriptions (id, municipality_id, type_id, approval, periods, recorded_at, replaced_at)
     values (1, 1, 1, 'approved', '[]', 0, ?1)`,
    `payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code)
     values (1, 'P', 'A', '101', 1, 1, 1, ?1, 'PLAN_NOT_FOUND')`,
    `payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code,
       reversal_recorded_at) values (1, 'P', 'A', '101', 1, 1, 1, ${NOW}, 'PLAN_NOT_FOUND', ?1)`,
    `configuration_versions (municipality_id, recorded_at, record) values (1, ?1, '{}')`,
  ])('that stays whose instant one row bears: %s', async (row) => {
    await store.subscription(NOW + 9_000 * DAY_MS, NOW);
    await change(edge - 2, edge - 1, NOW);
    await env.DB.prepare(`insert into ${row}`)
      .bind(edge - 1)
      .run();
    await runRetention(env, NOW);
    expect(await columnOf('select recorded_at from changes order by 1')).toEqual([edge - 1, NOW]);
  });

  it('the next one after all others have gone is later than the newest was', async () => {
    const ahead = Date.now() + DAY_MS;
    await change(ahead - 1, ahead);
    await runRetention(env, instant(ahead + 9_000 * DAY_MS));
    const line = {
      ...{ session_id: 'S', plate: 'AB123CD', area_code: 'P1' },
      ...{ starts_at: '2026-03-07T10:00:00Z', ends_at: '2026-03-07T11:00:00Z' },
    };
    expect(await importLines(city.service, city.headers, 'sessions', [line])).toMatchObject({ created: 1 });
    expect(await columnOf('select recorded_at from parking_sessions')).toEqual([ahead + 1]);
  });
});

describe('Of configurations', () => {
  const EDGE = NOW - 400 * DAY_MS;
  const configure = (...versions: readonly number[]) =>
    env.DB.batch(
      versions.map((at) => env.DB.prepare(`insert into configuration_versions values (1, ?, '{}')`).bind(at)),
    );

  it('that stays which was the newest at the bound, and what came later', async () => {
    await configure(LONG_AGO, LONG_AGO + 1, EDGE - 1, EDGE, NOW);
    await runRetention(env, NOW);
    expect(await columnOf('select recorded_at from configuration_versions order by 1')).toEqual([
      ...[EDGE - 1, EDGE, NOW],
    ]);
  });
});

describe('Of the imports of a source', () => {
  it('those go that another followed before the bound, and the last one never', async () => {
    const edge = NOW - 400 * DAY_MS;
    const ended = (at: number) =>
      env.DB.prepare(
        `insert into imports (source_id, municipality_id, recorded_at, outcome, is_kept) values (1, 1, ?, 'failed', 1)`,
      ).bind(at);
    const left = () => columnOf('select recorded_at from imports order by 1');
    await env.DB.batch([LONG_AGO, edge - 1, edge, NOW].map(ended));
    await runRetention(env, NOW);
    expect(await left()).toEqual([edge - 1, edge, NOW]);
    await runRetention(env, instant(NOW + 9_000 * DAY_MS));
    expect(await left()).toEqual([NOW]);
  });
});

describe('A municipality that is being restored', () => {
  it('keeps what is past its time: later parts may refer to it', async () => {
    await store.parking_session(LONG_AGO, LONG_AGO);
    await env.DB.prepare("update municipalities set restoring = 'somewhere'").run();
    await runRetention(env, NOW);
    expect(await stored()).toBe(1);
    await env.DB.prepare('update municipalities set restoring = null').run();
    await runRetention(env, NOW);
    expect(await stored()).toBe(0);
  });
});

describe('Of payments', () => {
  it('those go that were recorded, and whose period ended, before the bound', async () => {
    const edge = NOW - DAYS.subscription * DAY_MS;
    const paid = (id: string, recordedAt: number, endsAt: number | null, reversedAt: number | null = null) =>
      env.DB.prepare(
        `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at,
           recorded_at, result_code, starts_at, ends_at, reversal_recorded_at)
         values (1, ?1, 'A', '101', 1, 1, 1, ?2, 'PERIOD_CREATED', iif(?3 is null, null, 1), ?3, ?4)`,
      ).bind(id, recordedAt, endsAt, reversedAt);
    await env.DB.batch([
      ...[paid('over', edge - 1, edge - 1), paid('without a period', edge - 1, null)],
      ...[paid('runs', edge - 1, edge), paid('recorded later', edge, edge - 1)],
      paid('reversed', edge - 1, NOW, edge - 1),
    ]);
    await runRetention(env, NOW);
    expect(await columnOf('select payment_id from payments order by 1')).toEqual(['recorded later', 'runs']);
  });
});

describe('Digests', () => {
  it('go a day after a line was rejected, and after the longest retention of an erased plate', async () => {
    const edge = NOW - DAYS.subscription * DAY_MS;
    await env.DB.batch(
      [
        ...[NOW - DAY_MS - 1, NOW - DAY_MS].map((at) => `rejected_plates values (null, 1, 'd', ${at})`),
        ...[edge - 1, edge].map((at) => `erased_plates values (1, 'd${at}', ${at})`),
      ].map((rows) => env.DB.prepare(`insert into ${rows}`)),
    );
    await runRetention(env, NOW);
    expect(await columnOf('select at from rejected_plates')).toEqual([NOW - DAY_MS]);
    expect(await columnOf('select erased_at from erased_plates')).toEqual([edge]);
  });
});
