import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, type Instant, instant } from '../../src/domain/instant.ts';
import { deleteBatch } from '../../src/upkeep/retention/deletion-parts.ts';
import { DELETIONS, type Deletion } from '../../src/upkeep/retention/retention-table.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { versionedDeletion } from '../../src/upkeep/retention/versioned-table.ts';
import { databaseDouble } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import {
  calls,
  changesByDay,
  erased,
  erasures,
  payments,
  recordings,
  sessions,
  subscriptions,
  versions,
  versionsOfAll,
} from './many-rows.ts';
import { watchedLog } from './watched-log.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const LONG_AGO = NOW - 3_000 * DAY_MS;
const KIB = 1024;
const MIB = KIB * KIB;
const BATCH = { rows: 100, bytes: MIB };
const past = (before: Instant) => ({
  ...{ parking_session: before, subscription: before, callLog: before, rejected: before },
});

const VERSIONED = { parking_sessions: 'parking_session', subscriptions: 'subscription' } as const;
type Kind = Deletion | keyof typeof VERSIONED;
const KINDS = [
  ...(Object.keys(DELETIONS) as Deletion[]),
  ...(Object.keys(VERSIONED) as (keyof typeof VERSIONED)[]),
];
/** Kinds that are of more than one table: a batch takes so many rows of each. */
const TABLES: Partial<Record<Kind, number>> = { versions: 3, configurations: 2 };

const batchesOf = (kind: Kind, before: Instant) =>
  kind === 'parking_sessions' || kind === 'subscriptions'
    ? versionedDeletion(VERSIONED[kind], before, BATCH.rows)
    : (db: D1Database) => deleteBatch(db, DELETIONS[kind](past(before), BATCH));

/** What a batch deletes, and the rows that it reads for that. */
async function costOf(kind: Kind, before: Instant, takeBatch = batchesOf(kind, before)) {
  let rowsRead = 0;
  const DB = databaseDouble({
    around: async (run) => {
      const ran = (await run()) as D1Result | D1Result[];
      rowsRead += [ran].flat().reduce((sum, { meta }) => sum + meta.rows_read, 0);
      return ran;
    },
  });
  const { rows: deleted } = await takeBatch(DB);
  return { deleted, rowsRead };
}

async function count(table: string): Promise<number> {
  return (await env.DB.prepare(`select count(*) as there from ${table}`).first<number>('there')) ?? 0;
}

beforeAll(async () => {
  await seed(CITY);
});

describe('A batch of the retention', () => {
  const kept = 5_000;

  beforeAll(async () => {
    await env.DB.batch([
      calls(kept, NOW, 'kept '),
      sessions(kept, 'kept ', NOW, NOW + 1),
      sessions(kept, 'kept, open ', NOW, null),
      sessions(kept, 'kept, cancelled ', NOW, NOW + 1, { cancelledAt: NOW }),
      sessions(kept, 'kept, sent late ', LONG_AGO, LONG_AGO + 1, { recordedAt: NOW }),
      subscriptions(kept, 'kept ', 'approved', NOW, 'authorization'),
      subscriptions(kept, 'kept, revoked ', 'approved', NOW, 'revocation'),
      subscriptions(kept, 'kept, rejected ', 'rejected', NOW, 'authorization'),
      subscriptions(kept, 'kept, unbounded ', 'approved', NOW, 'none'),
      ...versions(kept, NOW),
      ...recordings(kept, NOW),
      changesByDay(1, NOW + DAY_MS),
      ...payments(kept, 'kept ', NOW),
      erased(kept, 'kept ', NOW),
    ]);
  });

  it.each(KINDS)('of %s reads no row that is kept', async (kind) => {
    const { deleted, rowsRead } = await costOf(kind, instant(NOW - DAY_MS));
    expect(deleted).toBe(0);
    expect(rowsRead).toBeLessThan(30);
  });

  it.each(KINDS)('of %s reads a few rows for each that it deletes', async (kind) => {
    await env.DB.batch([
      calls(150, LONG_AGO, 'past '),
      sessions(150, 'past ', LONG_AGO, LONG_AGO + 1),
      sessions(150, 'past, open ', LONG_AGO, null),
      sessions(150, 'past, cancelled ', LONG_AGO, NOW, { cancelledAt: LONG_AGO }),
      subscriptions(150, 'past ', 'approved', LONG_AGO, 'authorization'),
      subscriptions(150, 'past, revoked ', 'approved', LONG_AGO, 'revocation'),
      subscriptions(150, 'past, unbounded ', 'approved', LONG_AGO, 'none'),
      subscriptions(150, 'past, rejected ', 'rejected', LONG_AGO, 'authorization'),
      changesByDay(150, LONG_AGO),
      ...payments(150, 'past ', LONG_AGO),
      erased(300, `past ${kind} `, LONG_AGO),
      erased(1, `newest ${kind} `, NOW),
      erasures(150, `past ${kind} `, LONG_AGO),
    ]);
    await env.DB.batch(kind === 'versions' ? versions(150, LONG_AGO) : recordings(150, LONG_AGO));
    if (kind !== 'versions') await versionsOfAll();
    const { deleted, rowsRead } = await costOf(kind, instant(NOW - DAY_MS));
    expect(deleted).toBe(BATCH.rows * (TABLES[kind] ?? 1));
    // The rows that go are looked for by each statement: for their versions, and for themselves.
    expect(rowsRead).toBeLessThan(BATCH.rows * 32);
    await env.DB.batch(
      [
        ...['calls where at', 'parking_sessions where recorded_at', 'subscriptions where changed_at'].map(
          (past) => `${past} = ${LONG_AGO}`,
        ),
        ...['changes', 'configuration_versions', 'payments', 'payment_changes'].map(
          (table) => `${table} where recorded_at < ${NOW}`,
        ),
        ...['past_parking_sessions', 'past_source_imports'].map(
          (table) => `${table} where replaced_at < ${NOW}`,
        ),
        `changes_by_day where day < ${Math.floor(NOW / DAY_MS)}`,
      ].map((rows) => env.DB.prepare(`delete from ${rows}`)),
    );
  });

  it.each(['parking_sessions', 'subscriptions'] as const)(
    'of %s passes those that are not over yet, however many there are, a bounded part at a time',
    async (kind) => {
      await env.DB.batch(
        kind === 'parking_sessions'
          ? [
              sessions(2_000, 'bought ahead ', LONG_AGO, NOW),
              sessions(150, 'past ', LONG_AGO + 1, LONG_AGO + 2),
            ]
          : [
              subscriptions(5_000, 'for ever ', 'approved', NOW, 'authorization', LONG_AGO),
              subscriptions(150, 'past ', 'approved', LONG_AGO + 1, 'authorization'),
            ],
      );
      const before = instant(NOW - DAY_MS);
      const takeBatch = batchesOf(kind, before);
      const taken: number[] = [];
      for (let isDone = false; !isDone; ) {
        const { deleted, rowsRead } = await costOf(kind, before, async (db) => {
          const batch = await takeBatch(db);
          ({ isDone } = batch);
          return batch;
        });
        expect(rowsRead).toBeLessThan(BATCH.rows * (kind === 'subscriptions' ? 75 : 32));
        taken.push(deleted);
      }
      expect(taken.reduce((sum, deleted) => sum + deleted, 0)).toBe(150);
      await env.DB.prepare('delete from parking_sessions where recorded_at < ?').bind(NOW).run();
      await env.DB.prepare('delete from subscriptions where changed_at < ?').bind(NOW).run();
    },
  );

  it.each([
    ['parking_sessions', 'past_parking_sessions', () => sessions(1, 'long past ', LONG_AGO, LONG_AGO + 1)],
    [
      'subscriptions',
      'past_subscriptions',
      () => subscriptions(1, 'long past ', 'approved', LONG_AGO, 'authorization'),
    ],
  ] as const)(
    'of %s takes no more than some versions of one that has thousands',
    async (kind, table, store) => {
      await store().run();
      const others = await count(table);
      const row = table.slice('past_'.length);
      await env.DB.prepare(
        table === 'past_subscriptions'
          ? `insert into past_subscriptions (id, municipality_id, record, recorded_at, replaced_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
           select (select max(id) from ${row}), 1, '{}', 0, i from n`
          : `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
           select (select max(id) from ${row}), 1, 1, 'X', 0, 0, i from n`,
      ).run();
      const before = instant(NOW - DAY_MS);
      const takeBatch = batchesOf(kind, before);
      for (let isDone = false; !isDone; ) {
        const left = await count(table);
        ({ isDone } = await takeBatch(env.DB));
        expect(left - (await count(table))).toBeLessThanOrEqual(4 * BATCH.rows);
      }
      const name = kind === 'subscriptions' ? 'subscription_number' : 'session_id';
      const left = await env.DB.prepare(`select ${name} from ${row} where ${name} glob 'long past *'`).all();
      expect(left.results).toEqual([]);
      expect(await count(table)).toBe(others);
    },
  );
});

describe('A run of the retention', () => {
  it('deletes calls of 64 KiB and as long an answer a few at a time, and all of them', async () => {
    await calls(100, LONG_AGO, 'whole ', 64 * KIB).run();
    const batches: number[] = [];
    const DB = databaseDouble({
      around: async (run, sql) => {
        const before = await count('calls');
        const result = await run();
        if (/"calls"|call_log/.test(sql)) batches.push(before - (await count('calls')));
        return result;
      },
    });
    await runRetention({ ...env, DB }, NOW);
    expect(batches.reduce((sum, deleted) => sum + deleted, 0)).toBe(100);
    expect(Math.max(...batches) * 2 * 64 * KIB).toBeLessThanOrEqual(2 * MIB);
    expect(
      await env.DB.prepare(`select count(*) from logged_calls where at = ?`).bind(LONG_AGO).raw(),
    ).toEqual([[0]]);
  });

  it('deletes a call that is larger than a batch may be', async () => {
    await calls(2, LONG_AGO, 'large ', 600 * KIB).run();
    expect((await costOf('call_log', NOW)).deleted).toBe(1);
    expect((await costOf('call_log', NOW)).deleted).toBe(1);
  });

  it('leaves to the next run what is more than one takes, and says so', async () => {
    await sessions(2_000, 'backlog ', LONG_AGO, LONG_AGO + 1).run();
    const log = watchedLog();
    // One batch of each kind takes 24; five more of the only one that has anything to delete take four each.
    await runRetention(env, NOW, { statements: 46, ms: 60_000 });
    const first = log.lines.splice(0);
    expect(first).toContainEqual({
      event: 'retention',
      deletion: 'parking_sessions',
      deleted: 1_500,
      backlog: true,
    });
    await runRetention(env, NOW);
    log.restore();
    expect(log.lines).toContainEqual({
      event: 'retention',
      deletion: 'parking_sessions',
      deleted: 500,
      backlog: false,
    });
  });

  it('leaves the database to others between batches, for longer than a batch took', async () => {
    const [took, paused]: [number[], number[]] = [[], []];
    let endedAt: number | null = null;
    const DB = databaseDouble({
      around: async (run) => {
        const startedAt = performance.now();
        if (endedAt !== null) paused.push(startedAt - endedAt);
        const result = await run();
        const results = [result].flat() as D1Result[];
        await scheduler.wait(20);
        // What is sent by itself only reads.
        const hasDeleted =
          Array.isArray(result) &&
          results.some(({ results: rows }) => rows.some((row) => Object.values(row as object)[0]));
        endedAt = hasDeleted ? performance.now() : null;
        if (hasDeleted) took.push(performance.now() - startedAt);
        return result;
      },
    });
    await sessions(750, 'paused ', LONG_AGO, LONG_AGO + 1).run();
    await runRetention({ ...env, DB }, NOW);
    expect(took).toHaveLength(3);
    expect(paused).toHaveLength(3);
    for (const [batch, ms] of took.entries()) {
      expect(paused[batch]).toBeGreaterThan(3 * ms);
    }
  });

  it('sends no more statements than it may, and those that it sends reach every kind', async () => {
    await sessions(1_000, 'many ', LONG_AGO, LONG_AGO + 1).run();
    await subscriptions(100, 'many ', 'rejected', LONG_AGO, 'authorization').run();
    let statements = 0;
    const DB = databaseDouble({
      around: async (run) => {
        const results = await run();
        statements += [results].flat().length;
        return results;
      },
    });
    await runRetention({ ...env, DB }, NOW, { statements: 35, ms: 60_000 });
    // One batch of each kind has 29, one more of sessions four, and what is kept for backups takes one.
    expect(statements).toBe(34);
    const left = `select count(*) as there from subscriptions where changed_at = ?`;
    expect(await env.DB.prepare(left).bind(LONG_AGO).first('there')).toBeLessThan(100);
  });

  it(
    'keeps up with a very large city: a day’s sessions and calls go within a day’s runs',
    async () => {
      // A hundredth of a day at a time, with a hundredth of its statements; thirty on end in the thorough run.
      const part = 100;
      const runs = 24;
      const idle = 31;
      for (let day = 0; day < shortOrThorough(2, 30); day++) {
        await env.DB.batch([
          sessions(150_000 / part, `day ${day} `, LONG_AGO, LONG_AGO + 1),
          calls(300_000 / part, LONG_AGO, `day ${day} `),
        ]);
        await versionsOfAll();
        let statements = 0;
        const DB = databaseDouble({
          around: async (run) => {
            const results = await run();
            statements += [results].flat().length;
            return results;
          },
        });
        await runRetention({ ...env, DB }, NOW, { statements: 900, ms: 600_000 });
        const left =
          'select (select count(*) from parking_sessions where recorded_at = ?1) + (select count(*) from calls where at = ?1) as there';
        expect(await env.DB.prepare(left).bind(LONG_AGO).first('there')).toBe(0);
        expect((statements - idle) * part).toBeLessThan(runs * (900 - idle));
      }
    },
    shortOrThorough(60_000, 600_000),
  );
});
