import { sql } from 'drizzle-orm';
import { check, integer, sqliteTable } from 'drizzle-orm/sqlite-core';

/** The number of the newest migration that this version knows. Each migration sets its own: see `schema_state`. */
export const KNOWN_SCHEMA = 0;

/** One row: the migration of the tables, and the one that code must know to write them. */
export const schemaState = sqliteTable(
  'schema_state',
  {
    id: integer('id').primaryKey(),
    /** The number of the newest migration. */
    number: integer('number').notNull(),
    /** The migration that code must know. Code with an earlier one only reads and writes the call log. */
    lowestWriter: integer('lowest_writer').notNull(),
  },
  (t) => [check('schema_state_one_row', sql`${t.id} = 1`)],
);
