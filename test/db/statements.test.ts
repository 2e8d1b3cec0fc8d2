import { env } from 'cloudflare:workers';
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it, type Mock, vi } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { resetService } from '../support/own-modules.ts';
import { someOf } from '../support/run-form.ts';
import { exerciseService } from './exercise.ts';
import { recordedStatements } from './recorded.ts';
import { planOf, scansFinder } from './scans.ts';

const SOURCES: Record<string, string> = import.meta.glob('../../src/**/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const MODULES = import.meta.glob<Record<string, unknown>>('../../src/**/*.ts');

/** Every module that makes statements, but those that make parts of them: a spy would walk their tables for ever. */
const SQL_MODULES = Object.entries(SOURCES)
  .filter(
    ([path, text]) =>
      /\.prepare\(|from 'drizzle-orm/.test(text) &&
      !/src\/(storage\/(db|history)|serving\/lookups)\/|-parts\.ts$|plate-subscriptions-table\.ts$/.test(
        path,
      ),
  )
  .map(([path]) => path);

/** Functions of these modules that ask the database nothing. */
const ASK_NOTHING = ['isConflict', 'isSameCredential'];

/** A city's rows when it is discarded, a few at a time, so that every row that is read is deleted; at last the empty city. */
const CLEANS_UP =
  /^delete from "(?:(\w+)" where .* from "\1"(?: indexed by "\w+")? where "\1"\."municipality_id" = \?[^;]* limit \?\)|municipalities" where "municipalities"\."id" = \?)$/s;

/** How many rows of each index have the same first columns. Credentials, calls and subscriptions are many, with little each. */
const OF_ONE_FULL_CITY = `update sqlite_stat1 set stat =
  case when tbl glob 'credential*' or tbl = 'calls' or idx = 'subscription_plates_by_subscription' then '1000000 1 1 1'
    when tbl = 'configuration_versions' then '1000000 9000 1 1' else '1000000 1000000 9000 700 1 1 1 1' end`;

/** They want statistics to be there, or bring another cell's database up to date. */
const OF_OTHERS = /(from|into|table) sqlite_stat1|^analyze\b|d1_migrations/;

let statements: readonly string[] = [];
let uncalled: readonly string[] = [];
let scansOf: (statements: readonly string[], isOfPlans?: boolean) => Promise<string[][]>;

// Vitest calls it when a spied module is ready, and this runtime's has none: nothing depends on it.
const { disable } = AsyncLocalStorage.prototype;

beforeAll(async () => {
  AsyncLocalStorage.prototype.disable = () => {};
  resetService();
  for (const path of SQL_MODULES) {
    vi.doMock(path, { spy: true });
  }
  statements = [...(await recordedStatements(exerciseService))].filter((sql) => !OF_OTHERS.test(sql));
  // Now: what a spy has seen is forgotten before each test.
  uncalled = await uncalledFunctions();
  scansOf = await scansFinder();
});

/** The statements that scan tables that grow. */
async function scanning(isOfPlans = false) {
  const judged = statements.filter((text) => !CLEANS_UP.test(text));
  const scanned = await scansOf(judged, isOfPlans);
  return judged
    .map((sql, index) => ({ sql, tables: scanned[index] }))
    .filter(({ tables }) => tables?.length !== 0);
}

async function uncalledFunctions(): Promise<string[]> {
  const uncalled: string[] = [];
  for (const path of SQL_MODULES) {
    const exported = (await MODULES[path]?.()) ?? {};
    for (const [name, value] of Object.entries(exported)) {
      const isFunction = typeof value === 'function' && !ASK_NOTHING.includes(name);
      if (isFunction && (value as Mock).mock.calls.length === 0) uncalled.push(`${path} ${name}`);
    }
  }
  return uncalled;
}

afterAll(() => {
  for (const path of SQL_MODULES) {
    vi.doUnmock(path);
  }
  resetService();
  AsyncLocalStorage.prototype.disable = disable;
});

describe('The service', () => {
  it('was seen to call every function that makes statements', async () => {
    expect(SQL_MODULES.length).toBeGreaterThan(10);
    expect(uncalled).toEqual([]);
  });

  it('scans no table that grows, in any statement', async () => {
    expect(statements.length).toBeGreaterThan(50);
    expect(await scanning()).toEqual([]);
  });

  it('has no plate in the text of a statement, which a trace shows', () => {
    expect(statements.filter((text) => /[A-Z]{2}\d{3}[A-Z]{2}/.test(text))).toEqual([]);
  });

  it('names the tables in a statement by words', () => {
    const letters = /(?<![\w"$.'])(?:"[a-z]\w?"|[a-z]\w?)\.["a-z]/;
    expect(letters.test('select "s"."id" from sessions as "s"') && letters.test('select s.id')).toBe(true);
    expect(statements.filter((sql) => letters.test(sql))).toEqual([]);
  });

  it.each([
    ['a nearly empty', null],
    ['a full', OF_ONE_FULL_CITY],
  ])('has each plan that it had, once it has dropped the statistics of %s database', async (_, asOf) => {
    const some = someOf(statements, 120);
    const plans = async () => Promise.all(some.map(planOf));
    const without = await plans();
    await env.DB.prepare('analyze').run();
    if (asOf !== null) {
      await env.DB.batch([env.DB.prepare(asOf), env.DB.prepare('analyze sqlite_schema')]);
    }
    expect(await plans()).not.toEqual(without);
    expect(await scanning(true)).toEqual([]);
    const { runCron } = await import('../../src/crons.ts');
    await runCron('*/10 * * * *', env, () => instant(Date.now()));
    const since = await plans();
    expect(some.filter((__, index) => since[index] !== without[index])).toEqual([]);
  });

  it('is judged without statistics, as D1 has none', async () => {
    const { results } = await env.DB.prepare(
      `select name from sqlite_schema where name glob 'sqlite_stat*'`,
    ).all();
    expect(results).toEqual([]);
  });
});

describe('A scan is found', () => {
  it.each([
    ['of a table', 'select * from parking_sessions where ends_at < ?1', 'parking_sessions'],
    ['behind an alias', 'select 1 from calls as c where c.tenant = ?', 'calls'],
    ['through an index', 'select id from subscriptions order by authorized_until', 'subscriptions'],
    [
      'by a join that the planner turns round',
      `delete from parking_sessions where id in (
         select s.id from municipalities m join parking_sessions s on s.municipality_id = m.id
         where s.runs_until < ?1 limit ?2)`,
      'parking_sessions',
    ],
    ['for a foreign key', 'delete from areas where id = ?', 'parking_sessions'],
    [
      'for the newest row that a condition lets through',
      'select max(recorded_at) from changes where batch = ?',
      'changes',
    ],
    ['of a city', 'select count(*) from parking_sessions where municipality_id = ?', 'parking_sessions'],
  ])('%s', async (_, sql, table) => {
    expect((await scansOf([sql])).flat()).toContain(table);
  });

  it('not where one row is read', async () => {
    expect(await scansOf(['select max(id) from parking_sessions'])).toEqual([[]]);
  });

  it('in what a trigger does', async () => {
    expect(await scansOf(['update tenants set name = ?'])).toEqual([[]]);
    await env.DB.prepare(
      `create trigger scanning after update of name on tenants begin
         delete from calls where tenant = new.code; end`,
    ).run();
    // Another text: a program that is known would not be made again.
    expect((await scansOf(['update tenants set name = ?1'])).flat()).toContain('calls');
    await env.DB.prepare('drop trigger scanning').run();
  });
});
