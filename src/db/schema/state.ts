import { sql } from 'drizzle-orm';
import { check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';

/** The number of the newest migration that this version knows. Each migration sets its own: see `schema_state`. */
export const KNOWN_SCHEMA = 30;

/** What a version has to know to read the rows of the journal. Whoever writes one raises the lowest writer to it. */
export const READS_JOURNAL = 29;

/** One row: which migration made the tables what they are, and which one code must know to write them. */
export const schemaState = sqliteTable(
  'schema_state',
  {
    id: integer('id').primaryKey(),
    /** The number of the newest migration. */
    number: integer('number').notNull(),
    /** Code that knows only an earlier one reads, and writes the call log, and nothing else. */
    lowestWriter: integer('lowest_writer').notNull(),
  },
  (t) => [check('schema_state_one_row', sql`${t.id} = 1`)],
);

/** How far each filling has come: what brings rows of an old form into the new one, some at a time. */
export const fillings = sqliteTable('fillings', {
  name: text('name').primaryKey(),
  /** Rows up to this key have the new form. */
  place: integer('place').notNull(),
  /** The last key of the step that is being done; null where there is none left. */
  upTo: integer('up_to'),
  /** When nothing was left for the first time. Rows that come later are looked at as well. */
  doneAt: instantColumn('done_at'),
});
