import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { batch } from '../../src/storage/db/batch.ts';
import { KNOWN_SCHEMA, SCHEMA } from '../../src/storage/db/schema-table.ts';

/** Tables in which a migration may change every row: they do not grow. */
const SMALL = /^(tenants|municipalities|areas|sources|subscription_types|plans|restores)$/;

/** The first one makes the tables. All others change a database that is at work. */
const changes = env.TEST_MIGRATIONS.slice(1);

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
  it('end with the number that the code knows', async () => {
    expect(Number.parseInt(env.TEST_MIGRATIONS.at(-1)?.name ?? '', 10)).toBe(KNOWN_SCHEMA);
    expect(await batch(env.DB, [SCHEMA], {})).toEqual([[{ number: KNOWN_SCHEMA }]]);
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
    ['ALTER TABLE `areas` ADD `address` text NOT NULL', true],
    ['ALTER TABLE `areas` ADD `address` text', false],
    [`ALTER TABLE \`areas\` ADD \`address\` text DEFAULT '' NOT NULL`, false],
  ])('are found to take from the version before in %s: %s', (query, expected) => {
    expect(takesAway(query) || demandsNew(query)).toBe(expected);
  });

  it.each([
    ['-- Why.\nupdate or replace "calls" set at = 1', 'calls'],
    ['INSERT INTO `__new_parking_sessions` SELECT * FROM `parking_sessions`', '__new_parking_sessions'],
    ['DELETE FROM subscriptions', 'subscriptions'],
    ['UPDATE `tenants` SET `active` = 1', null],
    ['CREATE INDEX a ON calls (tenant)', null],
  ])('are found to fill a table in %s', (query, table) => {
    expect(filledBy(query)).toBe(table);
  });
});
