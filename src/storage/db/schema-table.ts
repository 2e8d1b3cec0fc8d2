import { sql } from 'drizzle-orm';
import { batch, db, query } from './batch.ts';

/** The number in the name of the newest migration that this version needs. */
export const KNOWN_SCHEMA = 0;

/** The database's newest migration. Wrangler keeps the table: it has the name of each that was applied, such as `0000_schema.sql`. */
export const SCHEMA = query(() =>
  db.all<{ readonly number: number | null }>(
    sql`select max(cast(name as integer)) as number from d1_migrations`,
  ),
);

/** @throws Error if the database cannot be read, or lacks a migration that this version needs */
export async function requireSchema(d1: D1Database): Promise<void> {
  const [[newest]] = await batch(d1, [SCHEMA], {});
  const number = newest?.number ?? null;
  if (number === null || number < KNOWN_SCHEMA) {
    throw new Error(`the database has schema ${number}, and this version needs ${KNOWN_SCHEMA}`);
  }
}
