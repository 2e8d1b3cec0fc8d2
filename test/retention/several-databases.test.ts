import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { databasesOfStep, runRetentionStep } from '../../src/upkeep/retention/run-retention.ts';
import { NATION, putDocument } from '../databases/nation.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const NAMES = Object.keys(SEVERAL) as DatabaseName[];

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(new Service(SEVERAL), NATION);
  for (const name of NAMES) {
    await SEVERAL[name]
      .prepare(
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
         select municipality_id, 'app1', 'S', id, 'KEPT', ?1, ?2 from areas limit 1`,
      )
      .bind(NOW - 32 * DAY_MS, NOW - 31 * DAY_MS)
      .run();
  }
});

/** What the busiest of many databases takes in a day. */
const DAY = { sessions: 59_500, calls: 119_000 };
/** What a batch takes of a kind, and how many statements it sends; what a run sends where there is nothing to delete. */
const SENT = { sessions: { rows: 250, statements: 5 }, calls: { rows: 1_000, statements: 4 }, idle: 31 };
const OF_ONE_DATABASE = 450;

const statementsOf = ({ sessions, calls }: typeof DAY): number =>
  Math.ceil(sessions / SENT.sessions.rows) * SENT.sessions.statements +
  Math.ceil(calls / SENT.calls.rows) * SENT.calls.statements;

describe('The steps of the retention', () => {
  it.each([3, 12, 24, 25, 84, 100])(
    'give each of %i databases what it needs in a day, and none more than once an hour',
    (count) => {
      const served = Array.from({ length: count }, (): number[] => []);
      for (let at = 0; at < 7 * DAY_MS; at += 3 * MINUTE_MS) {
        const some = databasesOfStep([...served.keys()], instant(NOW + at));
        expect(some.length).toBeLessThanOrEqual(2);
        for (const index of some) served[index]?.push(at);
      }
      for (const runs of served) {
        expect(Math.floor(runs.length / 7) * (OF_ONE_DATABASE - SENT.idle)).toBeGreaterThan(
          1.25 * statementsOf(DAY),
        );
        expect(runs.every((at, index) => index === 0 || at - (runs[index - 1] ?? 0) >= HOUR_MS)).toBe(true);
      }
    },
  );

  it('keep up in each of 84 databases for a year in which days bring twice that, and none', () => {
    const names = Array.from({ length: 84 }, (_, index) => index);
    const left = names.map(() => 0);
    let most = 0;
    for (let day = 0; day < 365; day += 1) {
      const share = [1, 2, 0, 1][day % 4] ?? 1;
      const start = NOW + day * DAY_MS;
      // A day's rows are past their retention at its beginning.
      for (const index of names) left[index] = (left[index] ?? 0) + share * statementsOf(DAY);
      for (let at = start; at < start + DAY_MS; at += 3 * MINUTE_MS) {
        for (const index of databasesOfStep(names, instant(at))) {
          left[index] = Math.max(0, (left[index] ?? 0) - (OF_ONE_DATABASE - SENT.idle));
        }
      }
      most = Math.max(most, ...left);
    }
    // What a double day leaves is gone with the next one, which brings nothing.
    expect(most).toBeLessThan(statementsOf(DAY));
    expect(Math.max(...left)).toBe(0);
  });

  it('delete what the others leave: two databases a step, and none where there are but two', async () => {
    const sessions = (name: DatabaseName) => SEVERAL[name].prepare(`select count(*) from parking_sessions`);
    const days = { SESSION_RETENTION_DAYS: '30' };
    const stored = async () =>
      (await Promise.all(NAMES.map((name) => sessions(name).first<number>('count(*)')))).reduce(
        (sum: number, rows) => sum + (rows ?? 0),
        0,
      );
    const before = await stored();
    const start = Math.floor(NOW / HOUR_MS) * HOUR_MS;
    const { DB, DB_2 } = SEVERAL;
    for (let at = start; at < start + HOUR_MS; at += 3 * MINUTE_MS) {
      await runRetentionStep({ ...env, DB, DB_2, ...days }, instant(at));
    }
    expect(await stored()).toBe(before);
    const left = [];
    for (let at = start; at < start + HOUR_MS; at += 3 * MINUTE_MS) {
      await runRetentionStep({ ...env, ...SEVERAL, ...days }, instant(at));
      left.push(before - (await stored()));
    }
    expect(left).toEqual([2, ...Array(19).fill(3)]);
  });
});
