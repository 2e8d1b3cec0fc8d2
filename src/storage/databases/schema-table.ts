import { sql } from 'drizzle-orm';
import { KNOWN_SCHEMA, schemaState } from '../db/schema/index.ts';
import { statement } from '../db/sql.ts';

const READ = statement(() => sql`select ${schemaState.number} from ${schemaState}`);

/**
 * The number of a database's newest migration.
 *
 * @throws Error when it cannot be read
 */
export async function schemaOf(db: D1Database): Promise<number> {
  const number = await db.prepare(READ()).first<number>('number');
  if (number === null) throw new Error('the database does not say which schema it has');
  return number;
}

/** @throws Error when a database cannot be read, or lacks a migration of this version */
export async function requireSchema(db: D1Database): Promise<void> {
  const number = await schemaOf(db);
  if (number < KNOWN_SCHEMA)
    throw new Error(`the database has schema ${number}, and this version needs ${KNOWN_SCHEMA}`);
}
