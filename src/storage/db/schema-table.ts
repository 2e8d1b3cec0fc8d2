import { sql } from 'drizzle-orm';
import { batch, db, query } from './batch.ts';

/** The number in the name of the newest migration that this version needs. */
export const KNOWN_SCHEMA = 0;

/** Wrangler keeps this table: it has the name of each migration that was applied, such as `0000_schema.sql`. */
const NEWEST = query(() =>
  db.all<{ readonly number: number | null }>(
    sql`select max(cast(name as integer)) as number from d1_migrations`,
  ),
);

/**
 * The number of the database's newest migration.
 *
 * @throws Error when it cannot be read
 */
export async function schemaOf(d1: D1Database): Promise<number> {
  const [[newest]] = await batch(d1, [NEWEST], {});
  const number = newest?.number ?? null;
  if (number === null) throw new Error('the database has no migration');
  return number;
}

/** @throws Error if the database cannot be read, or lacks a migration that this version needs */
export async function requireSchema(d1: D1Database): Promise<void> {
  const number = await schemaOf(d1);
  if (number < KNOWN_SCHEMA)
    throw new Error(`the database has schema ${number}, and this version needs ${KNOWN_SCHEMA}`);
}
