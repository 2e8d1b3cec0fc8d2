import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { KNOWN_SCHEMA } from '../../src/storage/db/schema/index.ts';
import { ERASE } from '../admin/plates-support.ts';
import {
  beginCells,
  type City,
  check,
  HERE,
  options,
  putDocument,
  send,
  session,
  settle,
  subscription,
} from '../backup/cells.ts';
import { ADMIN, type Answer } from '../support/service.ts';

/** Tables in which a migration may change every row: they do not grow. */
const SMALL = /^(schema_state|tenants|municipalities|areas|sources|subscription_types|plans|restores)$/;

const numbered = env.TEST_MIGRATIONS.map(({ name, queries }) => ({
  name,
  queries,
  number: Number.parseInt(name, 10),
}));
/** The first one makes the tables. All others change a database that is at work. */
const changes = numbered.slice(1);

const withoutComments = (query: string): string => query.replaceAll(/^\s*--.*$/gm, '').trim();

/** The tables of which a statement fills rows, however many there are. */
function filledBy(query: string): string | null {
  const text = withoutComments(query);
  const found = /^(?:update(?: or \w+)?|delete from|(?:insert|replace)(?: or \w+)? into)\s+[`"]?(\w+)/i.exec(
    text,
  );
  return found?.[1] !== undefined && !SMALL.test(found[1]) ? found[1] : null;
}

/**
 * Whether a statement takes away or renames what the version before still reads and writes while this one is deployed, an
 * index that its statements name too. It goes a release later. A view is for people alone.
 */
const takesAway = (query: string): boolean =>
  /^(?:drop (?!view\b)|alter table .+ (?:drop|rename)\b)/is.test(withoutComments(query));

/** Whether a statement adds a column that rows of the version before, which does not know it, cannot be stored without. */
const demandsNew = (query: string): boolean =>
  /^alter table .+ add .+ not null/is.test(withoutComments(query)) && !/\bdefault\b/i.test(query);

describe('The migrations', () => {
  it.each(numbered)('$name sets the number of the schema', ({ queries, number }) => {
    const sets = new RegExp(
      `(insert into \`schema_state\` .*values \\(1, ${number}, \\d+\\))|(update \`schema_state\` set \`number\` = ${number}\\b)`,
      'i',
    );
    expect(queries.filter((query) => sets.test(query))).toHaveLength(1);
  });

  it('end with the number that the code knows', async () => {
    expect(numbered.at(-1)?.number).toBe(KNOWN_SCHEMA);
    expect(await env.DB.prepare('select number from schema_state').first('number')).toBe(KNOWN_SCHEMA);
  });

  it.each(changes)('$name fills no table that grows: a filling does, in steps', ({ queries }) => {
    expect(queries.flatMap((query) => filledBy(query) ?? [])).toEqual([]);
  });

  it.each(changes)('$name only adds: what the version before uses goes a release later', ({ queries }) => {
    expect(queries.filter((query) => takesAway(query) || demandsNew(query))).toEqual([]);
  });

  it.each([
    ['DROP TABLE `changes`', true],
    ['-- Why.\ndrop index `parking_sessions_by_plate`', true],
    ['DROP VIEW `logged_calls`', false],
    ['ALTER TABLE `areas` DROP COLUMN `address`', true],
    ['ALTER TABLE `areas` RENAME COLUMN `address` TO `street`', true],
    ['ALTER TABLE `areas` RENAME TO `places`', true],
    ['ALTER TABLE `areas` ADD `address` text NOT NULL', true],
    ['ALTER TABLE `areas` ADD `address` text', false],
    [`ALTER TABLE \`areas\` ADD \`address\` text DEFAULT '' NOT NULL`, false],
  ])('are found to take from the version before in %s: %s', (query, expected) => {
    expect(takesAway(query) || demandsNew(query)).toBe(expected);
  });

  it.each([
    ['UPDATE `changes` SET `batch` = 1', 'changes'],
    ['-- Why.\nupdate or replace "calls" set at = 1', 'calls'],
    ['INSERT INTO `__new_parking_sessions` SELECT * FROM `parking_sessions`', '__new_parking_sessions'],
    ['DELETE FROM subscriptions', 'subscriptions'],
    ['UPDATE `schema_state` SET `number` = 21', null],
    ['CREATE INDEX a ON calls (tenant)', null],
  ])('are found to fill a table in %s', (query, table) => {
    expect(filledBy(query)).toBe(table);
  });
});

let city: City;

const outgrow = (lowest = KNOWN_SCHEMA + 1) =>
  env.DB.prepare('update schema_state set number = max(number, ?1), lowest_writer = ?1').bind(lowest).run();

beforeAll(async () => {
  await beginCells();
  city = await settle('H501');
});

afterEach(() => outgrow(0));

const WRITES: readonly (readonly [what: string, write: () => Promise<Answer>])[] = [
  ['an import of a new session', () => send(city, 'sessions', session('S-2', 'NEW1'))],
  [
    'an import of which nothing is taken',
    () => send(city, 'sessions', { ...session('S-1', 'XX'), area_code: 'nowhere' }),
  ],
  ['an import of a subscription', () => send(city, 'subscriptions', subscription('R-2', ['NEW1']))],
  [
    'a configuration',
    () =>
      HERE.call('/api/v2/admin/configuration', {
        ...{ method: 'PUT', headers: ADMIN },
        body: { municipalities: [{ code: city.code, name: 'Roma 2' }] },
      }),
  ],
  ['an erasure', () => HERE.post(ERASE, { tenant: 'acme', plate: 'AA000AA' }, ADMIN)],
];

/** All that is stored but the call log. */
async function stored(): Promise<unknown> {
  const tables = ['parking_sessions', 'subscription_plates', 'changes', 'municipalities', 'erasures'];
  return Promise.all(
    [...tables, 'erased_plates', 'source_imports', 'changes_by_day'].map((table) =>
      env.DB.prepare(`select * from ${table} order by 1`).raw(),
    ),
  );
}

describe('Where the schema has outgrown this version', () => {
  it.each(WRITES)('%s is refused, and logged', async (_, write) => {
    await outgrow();
    const before = await stored();
    const logged = vi.spyOn(console, 'error');
    const { status, body } = await write();
    expect([status, body.error]).toEqual([500, expect.objectContaining({ code: 'TEMPORARY_ERROR' })]);
    expect(logged.mock.calls.flat().join()).toContain('must not write there');
    expect(await stored()).toEqual(before);
  });

  it('the retention leaves it alone, and fails at its end', async () => {
    await outgrow();
    const before = await stored();
    await expect(runCron('17 * * * *', env, () => instant(Date.now()))).rejects.toThrow(AggregateError);
    expect(await stored()).toEqual(before);
  });

  it('checks and meters have their answers, and the call log its rows', async () => {
    await outgrow();
    for (const ask of [check, options]) {
      const answer = await ask(HERE, city.headers, { plate: 'AA000AA' });
      expect(answer.status).toBe(200);
      await vi.waitFor(async () => {
        const call = await HERE.call(`/api/v2/admin/calls/${answer.body.request_id}`, { headers: ADMIN });
        expect(call.status).toBe(200);
      });
    }
  });
});

it('Where the schema is newer, and this version knows enough of it, imports and configuration are taken', async () => {
  await outgrow(KNOWN_SCHEMA);
  expect((await send(city, 'sessions', session('S-4', 'NEW4'))).status).toBe(200);
  await putDocument(HERE, { municipalities: [{ code: city.code, name: 'Rom' }] });
});
