import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { NATION, putDocument } from '../databases/nation.ts';
import { databaseDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const NAMES = Object.keys(SEVERAL) as DatabaseName[];
/** What a kind of rows takes in each database at most is 5, and 6 for plates: 56 in all. */
const STATEMENTS = 140;

beforeAll(async () => {
  for (const level of ['log', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
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
  return () => vi.restoreAllMocks();
});

/** Runs an hour, and tells how many statements it has taken. */
async function run(hours: number): Promise<number> {
  let statements = 0;
  const counted = NAMES.map((name) => {
    const around = async (act: () => Promise<unknown>) => {
      const result = await act();
      statements += [result].flat().length;
      return result;
    };
    return [name, databaseDouble({ around }, SEVERAL[name])];
  });
  const bindings = { ...env, ...Object.fromEntries(counted), ANONYMIZE_SESSIONS_AFTER_DAYS: '30' };
  const most = { statements: STATEMENTS, ms: 60_000 };
  await runRetention(bindings, instant(NOW + hours * HOUR_MS), most);
  return statements;
}

const platesLeft = async (): Promise<number> => {
  const rows = await Promise.all(
    NAMES.map((name) => SEVERAL[name].prepare(`select 1 from parking_sessions where plate = 'KEPT'`).all()),
  );
  return rows.flatMap(({ results }) => results).length;
};

describe('More databases than one run has statements for', () => {
  it('take turns by the hour, and in each turn every kind comes to its own, plates too', async () => {
    const left = [await platesLeft()];
    for (const hour of [0, 1, 2]) {
      expect(await run(hour)).toBeLessThanOrEqual(STATEMENTS);
      left.push(await platesLeft());
    }
    // Two databases an hour.
    expect(left).toEqual([3, 1, 0, 0]);
  });
});
