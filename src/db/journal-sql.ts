import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { journal } from './schema/journal.ts';

type JournalColumn = Exclude<keyof typeof journal.$inferInsert, 'sequence' | 'stamp'>;

/**
 * Appends to the journal, in the order of the rows of `from`.
 *
 * @param values of each row, by column; a column that is left out is null
 * @param from the rest of the select, from its `from` on
 */
export function appendToJournal(values: Readonly<Partial<Record<JournalColumn, SQL>>>, from: SQL): SQL {
  const columns = getTableColumns(journal);
  const names = (Object.keys(values) as JournalColumn[]).map((name) => sql.identifier(columns[name].name));
  return sql`insert into ${journal} (${sql.join(names, sql`, `)})
select ${sql.join(Object.values(values), sql`, `)} ${from}`;
}

/**
 * The instant of rows that are stored now: our clock, but never earlier than the newest row of all, so that it never
 * decreases along the sequence, whichever isolate's clock is behind.
 *
 * @param now the clock, read when the batch is sent
 */
export const recordedAt = (now: SQL): SQL => sql`max(${now}, coalesce(
  (select ${journal.recordedAt} from ${journal} where ${journal.sequence} = (select max(${journal.sequence}) from ${journal})), 0))`;
