import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { exerciseService } from './exercise.ts';
import { recordedStatements } from './recorded.ts';
import { scansFinder } from './scans.ts';

/** A city's rows when it is discarded, a few at a time, so that every row that is read is deleted; at last the city. */
const CLEANS_UP =
  /^delete from "(\w+)" where .* in \(\s*select .* from "\1" where "\1"\."(?:municipality_)?id" = \? and \(select "municipalities"\."restoring" .* limit 500\) returning 1 as deleted$/s;

/** Of a city's configuration: its versions and a source's imports are few, and are read or deleted as a whole. */
const OF_FEW =
  /^(?:delete from "configuration_versions"|insert into "configuration_versions" .*"restoring" = \?\)|select .* from "imports"\s+where "imports"\."municipality_id" = \? and not "imports"\."is_kept")/s;

/** They want statistics to be there, or bring another cell's database up to date. */
const OF_OTHERS = /(from|into|table) sqlite_stat1|^analyze\b|d1_migrations/;

let statements: readonly string[] = [];
let scansOf: (statements: readonly string[]) => Promise<string[][]>;

beforeAll(async () => {
  statements = [...(await recordedStatements(exerciseService))].filter((sql) => !OF_OTHERS.test(sql));
  scansOf = await scansFinder();
});

/** The statements that scan tables that grow. */
async function scanning() {
  const judged = statements.filter((text) => !CLEANS_UP.test(text) && !OF_FEW.test(text));
  const scanned = await scansOf(judged);
  return judged
    .map((sql, index) => ({ sql, tables: scanned[index] }))
    .filter(({ tables }) => tables?.length !== 0);
}

describe('The service', () => {
  it('scans no table that grows, in any statement', async () => {
    expect(statements.length).toBeGreaterThan(50);
    expect(await scanning()).toEqual([]);
  });

  it('has no plate in the text of a statement, which a trace shows', () => {
    expect(statements.filter((text) => /[A-Z]{2}\d{3}[A-Z]{2}/.test(text))).toEqual([]);
  });

  it('binds no limit in a read for which a driver or a meter waits: it would be compiled again for each call', () => {
    const ofOffices = /"credentials"/;
    const bound = statements.filter((text) => /^select .*limit \?/s.test(text));
    expect(bound.filter((text) => !ofOffices.test(text))).toEqual([]);
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
    [
      'for the newest row that a condition lets through',
      'select max(recorded_at) from changes where request_id = ?',
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
