import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { KNOWN_SCHEMA } from '../../src/storage/db/schema/index.ts';
import { ERASE } from '../admin/plates-support.ts';
import {
  administrate,
  around,
  beginNation,
  check,
  MILANO,
  moveOf,
  moveWhole,
  type Nation,
  options,
  plateOf,
  ROMA,
  TORINO,
} from '../databases/nation.ts';
import { send, session, subscription } from '../moves/movers.ts';
import { ADMIN, type Answer } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';

/** Tables in which a migration may change every row: they do not grow. */
const SMALL = /^(schema_state|tenants|municipalities|areas|sources|subscription_types|plans|moves)$/;

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

let nation: Nation;

const outgrow = (db: D1Database, lowest = KNOWN_SCHEMA + 1) =>
  db.prepare('update schema_state set number = max(number, ?1), lowest_writer = ?1').bind(lowest).run();

beforeAll(async () => {
  nation = await beginNation();
});

afterEach(async () => {
  for (const db of Object.values(SEVERAL)) await outgrow(db, 0);
});

const mover = () => ({ service: nation.service, code: TORINO.code, headers: nation.ownOf(TORINO) });

const WRITES: readonly (readonly [what: string, write: () => Promise<Answer>])[] = [
  ['an import of a new session', () => send(mover(), 'sessions', session('S-2', 'NEW1'))],
  [
    'an import of which nothing is taken',
    () => send(mover(), 'sessions', session('S-1', 'XX', { area_code: 'nowhere' })),
  ],
  ['an import of a subscription', () => send(mover(), 'subscriptions', subscription('R-2', ['NEW1']))],
  [
    'a configuration',
    () =>
      nation.service.call('/api/v2/admin/configuration', {
        ...{ method: 'PUT', headers: ADMIN },
        body: { municipalities: [{ code: TORINO.code, name: 'Torino 2' }] },
      }),
  ],
  ['an erasure', () => nation.service.post(ERASE, { tenant: 'acme', plate: plateOf(TORINO) }, ADMIN)],
  ['a move from there', () => moveOf(nation.service, TORINO.code, 'DB_3')],
];

/** All that is stored in a database but the call log. */
async function storedIn(db: D1Database): Promise<unknown> {
  const tables = [
    'parking_sessions',
    'subscription_plates',
    'changes',
    'municipalities',
    'moves',
    'erasures',
  ];
  return Promise.all(
    [...tables, 'erased_plates', 'source_imports', 'changes_by_day'].map((table) =>
      db.prepare(`select * from ${table} order by 1`).raw(),
    ),
  );
}

describe('Where the schema has outgrown this version', () => {
  it.each(WRITES)('%s is refused, and logged', async (_, write) => {
    await outgrow(env.SECOND);
    const before = await storedIn(env.SECOND);
    const logged = vi.spyOn(console, 'error');
    const { status, body } = await write();
    expect([status, body.error]).toEqual([500, expect.objectContaining({ code: 'TEMPORARY_ERROR' })]);
    expect(logged.mock.calls.flat().join()).toContain('must not write there');
    expect(await storedIn(env.SECOND)).toEqual(before);
    await outgrow(env.SECOND, KNOWN_SCHEMA);
  });

  it('a move there is refused, and the city lives on where it was', async () => {
    await outgrow(env.SECOND);
    expect((await moveOf(nation.service, MILANO.code, 'DB_2')).status).toBe(500);
    const { body } = await check(nation.service, nation.ownOf(MILANO), { plate: plateOf(MILANO) });
    expect(body).toMatchObject({ has_valid_parking: true });
    await outgrow(env.SECOND, 0);
    await moveWhole(nation.service, MILANO.code, 'DB_2');
    await moveWhole(nation.service, MILANO.code, 'DB_3');
  });

  it('the retention leaves it alone, and fails at its end', async () => {
    await outgrow(env.SECOND);
    const before = await storedIn(env.SECOND);
    const run = runCron('17 * * * *', { ...env, ...SEVERAL }, () => instant(Date.now()));
    await expect(run).rejects.toThrow(AggregateError);
    expect(await storedIn(env.SECOND)).toEqual(before);
  });

  it('checks and meters have their answers, and the call log its rows', async () => {
    await outgrow(env.SECOND);
    const body = { plate: plateOf(TORINO) };
    for (const answer of [
      await check(nation.service, nation.ownOf(TORINO), body),
      await options(nation.service, nation.ownOf(TORINO), body),
    ]) {
      expect(answer.status).toBe(200);
      await vi.waitFor(() =>
        administrate(nation.service, 'GET', `/api/v2/admin/calls/${answer.body.request_id}`),
      );
    }
  });

  it('other databases are written as before', async () => {
    await outgrow(env.SECOND);
    const roma = { service: nation.service, code: ROMA.code, headers: nation.ownOf(ROMA) };
    expect((await send(roma, 'sessions', session('S-3', 'NEW3'))).status).toBe(200);
  });
});

describe('Where the schema is newer, and this version knows enough of it', () => {
  it.each(['from', 'to'] as const)('a city moves %s there', async (side) => {
    const db = side === 'to' ? env.THIRD : env.SECOND;
    await db
      .prepare('update schema_state set number = ?')
      .bind(KNOWN_SCHEMA + 3)
      .run();
    await moveWhole(nation.service, TORINO.code, 'DB_3');
    const { body } = await check(nation.service, nation.ownOf(TORINO), { plate: plateOf(TORINO) });
    expect(body).toMatchObject({ has_valid_parking: true, has_valid_subscription: true });
    await moveWhole(nation.service, TORINO.code, 'DB_2');
  });

  it('imports and configuration are taken', async () => {
    await outgrow(env.SECOND, KNOWN_SCHEMA);
    expect((await send(mover(), 'sessions', session('S-4', 'NEW4', around(Date.now())))).status).toBe(200);
    await administrate(nation.service, 'PUT', '/api/v2/admin/configuration', {
      municipalities: [{ code: TORINO.code, name: 'Turin' }],
    });
  });
});
