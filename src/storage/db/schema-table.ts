import { sql } from 'drizzle-orm';
import { first, statement } from './statement.ts';

/** The number in the name of the newest migration that this version needs. */
export const KNOWN_SCHEMA = 0;

/** Wrangler keeps this table: it has the name of each migration that was applied, such as `0000_schema.sql`. */
const READ = statement(
  {},
  () => sql<{ readonly number: number | null }>`
  select max(cast(name as integer)) as number
  from d1_migrations`,
);

/**
 * The number of the database's newest migration.
 *
 * @throws Error when it cannot be read
 */
export async function schemaOf(db: D1Database): Promise<number> {
  const number = (await first(READ.prepare(db, {})))?.number ?? null;
  if (number === null) throw new Error('the database has no migration');
  return number;
}

/** @throws Error if the database cannot be read, or lacks a migration that this version needs */
export async function requireSchema(db: D1Database): Promise<void> {
  const number = await schemaOf(db);
  if (number < KNOWN_SCHEMA)
    throw new Error(`the database has schema ${number}, and this version needs ${KNOWN_SCHEMA}`);
}
