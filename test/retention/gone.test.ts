import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY } from '../support/seed.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const DAYS = { parking_session: 400, subscription: 1_825 } as const;
const LONG_AGO = NOW - 3_000 * DAY_MS;
const KINDS = ['parking_session', 'subscription'] as const;

const store = {
  parking_session: (end: number) =>
    env.DB.prepare(
      `insert or replace into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       values (1, 'app1', 'X', 1, 'AB123CD', ?1 - 1, ?1)`,
    )
      .bind(end)
      .run(),
  subscription: (end: number) =>
    env.DB.prepare(
      `insert or replace into subscriptions (municipality_id, subscription_number, type_id, approval, authorized_until, all_areas)
       values (1, 'X', 1, 'approved', ?, 1)`,
    )
      .bind(end)
      .run(),
};
const tell = (kind: (typeof KINDS)[number], at: number, awaits: number | null = null) =>
  env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, source_code, key, plate, record, awaits)
     values (1, ?1, ?2, iif(?1 = 'subscription', null, 'app1'), 'X', 'AB123CD', '{}', ?3)`,
  )
    .bind(kind, at, awaits)
    .run();
/** The newest row of all is never deleted: it is of something else. */
const tellOther = (at: number) =>
  env.DB.prepare(`insert into journal (municipality_id, kind, recorded_at, source_code, record)
     values (1, 'import', ?, 'app1', '{"outcome":"succeeded"}')`)
    .bind(at)
    .run();
const stored = async (): Promise<unknown> =>
  env.DB.prepare(
    `select (select count(*) from parking_sessions) + (select count(*) from subscriptions) as there`,
  ).first('there');
const recorded = async (): Promise<unknown[]> =>
  (
    await env.DB.prepare(`select recorded_at from journal where key = 'X' order by sequence`).all<{
      recorded_at: number;
    }>()
  ).results.map(({ recorded_at }) => (recorded_at - NOW) / DAY_MS);

beforeEach(() => freshDatabase({ ...CITY, sources: [APP_SOURCE] }));

describe.each(KINDS)('Of a %s that is sent again with dates long past,', (kind) => {
  it('goes what is stored, and its history stays until the newest of it is past its retention', async () => {
    await tell(kind, NOW - 2 * DAY_MS);
    await tell(kind, NOW - DAY_MS);
    await tellOther(NOW);
    await store[kind](LONG_AGO);
    await runRetention(env, NOW);
    expect([await stored(), await recorded()]).toEqual([0, [-2, -1]]);
    await runRetention(env, instant(NOW + (DAYS[kind] - 1) * DAY_MS));
    expect((await recorded()).at(-1)).toBe(-1);
    await runRetention(env, instant(NOW + (DAYS[kind] - 1) * DAY_MS + 1));
    expect(await recorded()).toEqual([]);
  });

  it('stays all of it where it has come back meanwhile', async () => {
    await tell(kind, NOW);
    await tellOther(NOW);
    await store[kind](LONG_AGO);
    await runRetention(env, NOW);
    await store[kind](NOW + 9_000 * DAY_MS);
    await runRetention(env, instant(NOW + 2_000 * DAY_MS));
    expect([await stored(), await recorded()]).toEqual([1, [0]]);
  });

  it('leaves nothing of it in the newest row of all, which stays for its number', async () => {
    await tell(kind, NOW);
    await store[kind](LONG_AGO);
    await runRetention(env, NOW);
    await runRetention(env, instant(NOW + 2_000 * DAY_MS));
    const { results } = await env.DB.prepare('select key, plate, record, awaits from journal').all();
    expect(results).toEqual([{ key: null, plate: null, record: null, awaits: null }]);
  });

  it('goes the history with it where that is past its retention already', async () => {
    await tell(kind, NOW - (DAYS[kind] + 1) * DAY_MS);
    await tellOther(NOW);
    await store[kind](LONG_AGO);
    await runRetention(env, NOW);
    expect([await stored(), await recorded()]).toEqual([0, []]);
  });
});

describe('Of a session that is sent again once it has gone, and stands in its own row alone,', () => {
  const cameBack = (knownAt: number) =>
    env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, known_at)
       values (1, 'app1', 'X', 1, 'AB123CD', ?1 - 1, ?1, ?2)`,
    )
      .bind(LONG_AGO, knownAt)
      .run();

  it.each([
    ['', true],
    [', the newest of all included', false],
  ])('stays the history until what it says itself is past its retention%s', async (_, isFollowed) => {
    await tell('parking_session', NOW - 402 * DAY_MS);
    if (isFollowed) await tellOther(NOW);
    await cameBack(NOW - DAY_MS);
    await runRetention(env, NOW);
    expect([await stored(), await recorded()]).toEqual([0, [-402, -1]]);
    await runRetention(env, instant(NOW + 399 * DAY_MS));
    expect((await recorded()).at(-1)).toBe(-1);
    await tellOther(NOW);
    await runRetention(env, instant(NOW + 399 * DAY_MS + 1));
    expect(await recorded()).toEqual([]);
  });
});

describe('What came with a municipality that moved', () => {
  it('goes with its time, though younger rows stand before it', async () => {
    await tellOther(NOW);
    const [first, second] = [NOW - 403 * DAY_MS, NOW - 401 * DAY_MS];
    await tell('parking_session', first, first);
    await tell('parking_session', second, second);
    await tellOther(NOW);
    await store.parking_session(NOW);
    await runRetention(env, NOW);
    expect(await recorded()).toEqual([-401]);
  });

  it('keeps a subscription’s history as long as anywhere, though it has gone', async () => {
    const at = NOW - 401 * DAY_MS;
    await tell('subscription', at, at);
    await tellOther(NOW);
    await runRetention(env, NOW);
    expect(await recorded()).toEqual([-401]);
    await runRetention(env, instant(at + DAYS.subscription * DAY_MS + 1));
    expect(await recorded()).toEqual([]);
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
    ['goes with its last period', EDGE - 1, NOW, 0],
    ['stays until then', EDGE, EDGE - 1, 1],
    ['goes with its last change where it has no period', null, EDGE - 1, 0],
    ['stays until then where it has no period', null, EDGE, 1],
  ])('%s', async (_, lastPeriod, changedAt, left) => {
    await unbounded(lastPeriod, changedAt);
    await runRetention(env, NOW);
    expect(await stored()).toBe(left);
  });
});
