import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { calls, digests, payments, recordings, sessions, subscriptions, versions } from './many-rows.ts';
import { watchedLog } from './watched-log.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const LONG_AGO = NOW - 3_000 * DAY_MS;
const KEPT = 2_000;
/** The statements of a run that finds nothing. */
const IDLE = 18;

/** How many statements a run sends, and the rows that they read. */
async function costOf(run: (DB: D1Database) => Promise<unknown>) {
  const { cost, bindings } = countedBindings();
  let statements = 0;
  const DB = databaseDouble(
    {
      around: async (send) => {
        const results = await send();
        statements += [results].flat().length;
        return results;
      },
    },
    bindings.DB,
  );
  await run(DB);
  return { statements, rowsRead: cost.rowsRead };
}
const retain = () => costOf((DB) => runRetention({ ...env, DB }, NOW));

async function count(table: string): Promise<number> {
  return (await env.DB.prepare(`select count(*) as there from ${table}`).first<number>('there')) ?? 0;
}

const everything = (count: number, name: string, at: number) => [
  calls(count, at, name),
  sessions(count, name, at, at + 1),
  sessions(count, `${name}, open `, at, null),
  sessions(count, `${name}, cancelled `, at, NOW + DAY_MS, { cancelledAt: at }),
  subscriptions(count, name, 'approved', at, 'authorization'),
  subscriptions(count, `${name}, revoked `, 'approved', at, 'revocation'),
  subscriptions(count, `${name}, rejected `, 'rejected', at, 'none'),
  ...recordings(count, at),
  payments(count, name, at),
  ...digests(count, name, at),
];
const TABLES = [
  ...['calls', 'parking_sessions', 'subscriptions', 'past_parking_sessions', 'past_subscriptions'],
  ...['past_subscription_plates', 'configuration_versions', 'imports', 'payments', 'changes'],
  ...['erased_plates', 'rejected_plates'],
];
const countAll = async () =>
  Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await count(table)])));

beforeEach(() => freshDatabase({ ...CITY, subscriptionTypes: [RESIDENTS] }));

describe('A run of the retention', () => {
  describe('in a city that keeps much', () => {
    beforeEach(async () => {
      await env.DB.batch(everything(KEPT, 'kept', NOW));
      await env.DB.batch(versions(KEPT, NOW));
      // Sent late: over, but last changed today.
      await sessions(KEPT, 'late', LONG_AGO, LONG_AGO + 1, { recordedAt: NOW }).run();
    });

    it('reads no row that is kept, where nothing is past its time', async () => {
      const { rowsRead, statements } = await retain();
      expect(statements).toBe(IDLE);
      expect(rowsRead).toBeLessThan(100);
    });

    it('deletes all that is past its time, and reads some rows for each', async () => {
      const kept = await countAll();
      await env.DB.batch(everything(400, 'past', LONG_AGO));
      const { rowsRead } = await retain();
      expect(await countAll()).toEqual({
        ...kept,
        // The newest before the bound says what stood at it.
        configuration_versions: KEPT + 1,
        imports: KEPT + 1,
        // The configuration that is kept bears one.
        changes: KEPT + 1,
      });
      expect(rowsRead).toBeLessThan(400 * 12 * 40);
    });
  });

  it('looks at each row that is not over once, however many there are', async () => {
    await env.DB.batch([
      sessions(2_500, 'bought ahead ', LONG_AGO, NOW),
      sessions(300, 'past ', LONG_AGO + 1, LONG_AGO + 2),
      subscriptions(2_500, 'for ever ', 'approved', NOW, 'authorization', LONG_AGO),
      subscriptions(60, 'past ', 'approved', LONG_AGO + 1, 'authorization'),
      payments(2_500, 'long ', LONG_AGO, NOW),
      payments(300, 'past ', LONG_AGO + 1),
    ]);
    const { rowsRead } = await retain();
    expect(await count('parking_sessions')).toBe(2_500);
    expect(await count('subscriptions')).toBe(2_500);
    expect(await count('payments')).toBe(2_500);
    expect(rowsRead).toBeLessThan(3 * 2_800 * 12);
  });

  it('deletes the versions of a session or subscription before it, however many it has', async () => {
    await sessions(1, 'long past ', LONG_AGO, LONG_AGO + 1, { recordedAt: LONG_AGO + 5_000 }).run();
    await subscriptions(1, 'long past ', 'approved', LONG_AGO, 'authorization', LONG_AGO + 5_000).run();
    await env.DB.batch(versions(5_000, LONG_AGO));
    const most = { deleted: 0 };
    const DB = databaseDouble({
      around: async (send) => {
        const before = await count('past_parking_sessions');
        const result = await send();
        most.deleted = Math.max(most.deleted, before - (await count('past_parking_sessions')));
        return result;
      },
    });
    await runRetention({ ...env, DB }, NOW);
    expect(await countAll()).toMatchObject({
      ...{ parking_sessions: 0, past_parking_sessions: 0, subscriptions: 0 },
      ...{ past_subscriptions: 0, past_subscription_plates: 0 },
    });
    expect(most.deleted).toBe(250);
  });

  it('leaves to the next run what is more than one takes, and says so', async () => {
    await sessions(2_000, 'backlog ', LONG_AGO, LONG_AGO + 1).run();
    const log = watchedLog();
    const lineOf = (lines: unknown[]) =>
      lines.find((line) => (line as { table: string }).table === 'parking_sessions');
    await runRetention(env, NOW, 14);
    const first = lineOf(log.lines.splice(0)) as { deleted: number };
    expect(first).toMatchObject({ event: 'retention', backlog: true });
    expect(first.deleted).toBeLessThan(2_000);
    await runRetention(env, NOW);
    log.restore();
    expect(lineOf(log.lines)).toMatchObject({ deleted: 2_000 - first.deleted, backlog: false });
  });

  it('leaves the database to others after each step that has deleted', async () => {
    const waits = vi.spyOn(scheduler, 'wait');
    await calls(2_500, LONG_AGO, 'paused ').run();
    await runRetention(env, NOW);
    expect(waits).toHaveBeenCalledTimes(3);
    waits.mockRestore();
  });
});

it('A day’s sessions and calls of a very large city go within a day’s runs', async () => {
  // A hundredth of a day, with a hundredth of its statements.
  const part = 100;
  const runs = 24;
  await env.DB.batch([
    sessions(150_000 / part, 'day ', LONG_AGO, LONG_AGO + 1),
    calls(300_000 / part, LONG_AGO, 'day '),
  ]);
  const { statements } = await retain();
  expect([await count('parking_sessions'), await count('calls')]).toEqual([0, 0]);
  expect((statements - IDLE) * part).toBeLessThan(runs * (900 - IDLE));
});
