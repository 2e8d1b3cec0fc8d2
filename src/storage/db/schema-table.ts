import { sql } from 'drizzle-orm';
import { KNOWN_SCHEMA, schemaState } from './schema/index.ts';
import { first, statement } from './statement.ts';

const READ = statement(
  {},
  () => sql<{ readonly number: number }>`
  select ${schemaState.number}
  from ${schemaState}`,
);

/**
 * The number of the database's newest migration.
 *
 * @throws Error when it cannot be read
 */
export async function schemaOf(db: D1Database): Promise<number> {
  const row = await first(READ.prepare(db, {}));
  if (row === null) throw new Error('the database has no schema number');
  return row.number;
}

/** @throws Error if the database cannot be read, or lacks a migration that this version needs */
export async function requireSchema(db: D1Database): Promise<void> {
  const number = await schemaOf(db);
  if (number < KNOWN_SCHEMA)
    throw new Error(`the database has schema ${number}, and this version needs ${KNOWN_SCHEMA}`);
}
