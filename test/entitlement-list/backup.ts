import { env } from 'cloudflare:workers';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import * as schema from '../../src/storage/db/schema/index.ts';

/** What an import and the retention change, in an order in which foreign keys hold. */
const TABLES = [
  ...[schema.parkingSessions, schema.subscriptions, schema.subscriptionPlates, schema.changes],
  ...[schema.pastParkingSessions, schema.pastSubscriptions, schema.pastSubscriptionPlates, schema.imports],
].map((table) => {
  const { name, columns } = getTableConfig(table);
  // A generated column cannot be inserted.
  const stored = columns.filter(({ generated }) => generated === undefined);
  return { name, columns: stored.map((column) => column.name).join(', ') };
});

const run = (...statements: readonly string[]) =>
  env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));

/** Keeps a copy of the database's rights, and their past, in tables of its own. */
export async function backUp(): Promise<void> {
  await run(
    ...TABLES.map(({ name }) => `drop table if exists kept_${name}`),
    ...TABLES.map(({ name, columns }) => `create table kept_${name} as select ${columns} from ${name}`),
    'drop table if exists kept_past_since',
    'create table kept_past_since as select id, past_since from municipalities',
  );
}

/** Restores the database to what {@link backUp} has kept: rows erased or deleted since then are there again. */
export async function restore(): Promise<void> {
  await run(
    ...TABLES.toReversed().map(({ name }) => `delete from ${name}`),
    ...TABLES.map(
      ({ name, columns }) => `insert into ${name} (${columns}) select ${columns} from kept_${name}`,
    ),
    `update municipalities set past_since = kept.past_since from kept_past_since as kept
     where kept.id = municipalities.id`,
  );
}
