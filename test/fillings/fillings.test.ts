import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { parkingSessions } from '../../src/db/schema/index.ts';
import { bare } from '../../src/db/sql.ts';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import type { Filling } from '../../src/fillings/fillings-table.ts';
import { runFillings } from '../../src/fillings/run-fillings.ts';
import { answerLost, type Fault, LOST, only, throws } from '../faults/breakable.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { RUN_SEED, shortOrThorough, THOROUGH } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const NOW = instant(Date.now());
const ROWS = 37;

/** Counts in each row how often it was filled. */
const COUNTING: Filling = {
  name: 'counting',
  table: parkingSessions,
  key: parkingSessions.id,
  fill: (isInRange) => [
    sql`update ${parkingSessions} set ${bare(parkingSessions.revision)} = coalesce(${parkingSessions.revision}, 0) + 1
where ${isInRange}`,
  ],
};

const park = (count: number, first = 1) =>
  env.DB.prepare(
    `with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?1 + ?2 - 1)
insert into parking_sessions (id, municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
select i, 1, 'app1', 'S-' || i, 1, 'P' || i, ?3, ?4 from n`,
  )
    .bind(first, count, NOW - HOUR_MS, NOW + HOUR_MS)
    .run();

const filled = () =>
  env.DB.prepare('select revision, count(*) as count from parking_sessions group by 1').raw<
    [number, number]
  >();

const most = (statements: number) => ({ statements, ms: 60_000, rows: 10 });
const fill = (statements = 900, DB = env.DB) =>
  runFillings({ ...env, DB }, NOW, { fillings: [COUNTING], max: most(statements) });

const place = () =>
  env.DB.prepare('select place, done_at from fillings').first<{ place: number; done_at: number | null }>();

beforeEach(async () => {
  await freshDatabase(CITY);
});

describe('A filling', () => {
  it('fills every row once', async () => {
    await park(ROWS);
    await fill();
    expect(await filled()).toEqual([[1, ROWS]]);
    expect(await place()).toEqual({ place: ROWS, done_at: NOW });
    await fill();
    expect(await filled()).toEqual([[1, ROWS]]);
  });

  it('is done where there is nothing', async () => {
    await fill();
    expect(await place()).toEqual({ place: 0, done_at: NOW });
  });

  it('goes on where a run has left it', async () => {
    await park(ROWS);
    await fill(4);
    expect(await place()).toEqual({ place: 10, done_at: null });
    await fill(8);
    expect(await place()).toEqual({ place: 30, done_at: null });
    await fill();
    expect(await filled()).toEqual([[1, ROWS]]);
  });

  it.each([
    ['is lost', throws(LOST)],
    ['is done, and its answer lost', answerLost(LOST)],
  ] as [string, Fault][])('fills every row once, whichever of its steps %s', async (_, fault) => {
    await park(ROWS);
    for (let step = 1; step <= 5; step += 1) {
      await env.DB.batch([
        env.DB.prepare('delete from fillings'),
        env.DB.prepare('update parking_sessions set revision = null'),
      ]);
      const around = only(step, fault);
      const run = fill(900, databaseDouble({ around }));
      await expect(run).rejects.toThrow(AggregateError);
      await fill();
      expect(await filled()).toEqual([[1, ROWS]]);
    }
  });

  it('fills every row once where two runs are under way', async () => {
    await park(ROWS);
    await Promise.all([fill(), fill()]);
    expect(await filled()).toEqual([[1, ROWS]]);
  });

  it('leaves a database alone whose schema has outgrown this version', async () => {
    await park(ROWS);
    await env.DB.prepare('update schema_state set lowest_writer = 9999').run();
    await expect(fill()).rejects.toThrow(AggregateError);
    expect(await filled()).toEqual([[null, ROWS]]);
  });

  it('takes what comes once it is done: a copy may bring the old form', async () => {
    await park(ROWS);
    await fill();
    await park(ROWS, ROWS + 1);
    await fill();
    expect(await filled()).toEqual([[1, 2 * ROWS]]);
  });
});

/** The longest of a hundred calls but for one, in milliseconds. */
async function p99Of(call: () => Promise<unknown>, count: number): Promise<number> {
  const times: number[] = [];
  for (let calls = 0; calls < count; calls += 1) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[Math.floor(count * 0.99)] as number;
}

describe('A large table', () => {
  it(
    'is filled in steps while checks and imports go on',
    async () => {
      const rows = shortOrThorough(2_000, 1_000_000);
      for (let first = 1; first <= rows; first += 50_000) await park(Math.min(rows, 50_000), first);
      const service = new Service();
      const { headers } = await issueCredential();
      let calls = 0;
      const call = async () => {
        calls += 1;
        const plate = `P${1 + ((RUN_SEED + calls * 7919) % rows)}`;
        const { body } = await service.post('/api/v2/parking-entitlements/search', { plate }, headers);
        expect(body).toMatchObject({ has_valid_parking: true });
        if (calls % 10 === 0) {
          const line = {
            session_id: `N-${calls}`,
            plate: 'NEW',
            area_code: 'S1',
            starts_at: new Date(NOW).toISOString(),
          };
          const answer = await service.call('/api/v2/imports/sessions?source_code=app1', {
            method: 'POST',
            headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
            body: JSON.stringify(line),
          });
          expect(answer.body).toMatchObject({ created: 1 });
        }
      };
      await p99Of(call, shortOrThorough(10, 200));
      const idle = await p99Of(call, shortOrThorough(20, 1_000));
      const many = { statements: Number.POSITIVE_INFINITY, ms: 30 * 60_000, rows: 250 };
      const running = runFillings(env, NOW, { fillings: [COUNTING], max: many });
      const busy = await p99Of(call, shortOrThorough(20, 1_000));
      await running;
      const counts = await env.DB.prepare(
        `select revision, count(*) from parking_sessions where session_id glob 'S-*' group by 1`,
      ).raw();
      expect(counts).toEqual([[1, rows]]);
      console.info(`filling ${rows} rows: p99 of calls ${(busy / idle).toFixed(2)} of idle\n`);
      // A step takes some milliseconds of the thread that all share here.
      expect(THOROUGH ? busy / idle : 1).toBeLessThan(4);
    },
    60 * 60_000,
  );
});
