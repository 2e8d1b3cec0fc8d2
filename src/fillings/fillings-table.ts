import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { fillings } from '../db/schema/index.ts';
import { bare, prepareQuery } from '../db/sql.ts';
import { writeBatch } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';

/** What brings the rows of a table from an old form into the new one. Until it is done, code reads both. */
export interface Filling {
  /** Its progress is kept under this name: a new name starts from the beginning. */
  readonly name: string;
  readonly table: SQLiteTable;
  /** A whole number above zero that rises with each new row. */
  readonly key: SQLiteColumn;
  /** The statements that fill the rows in a range of keys. Done twice, they change nothing more. */
  readonly fill: (isInRange: SQL) => readonly SQL[];
}

/** What a step has done. */
interface Step {
  /** Every row that there is has the new form. */
  readonly isDone: boolean;
  /** How many were sent to D1. */
  readonly statements: number;
}

/**
 * Fills the next rows, and keeps how far it has come, in one transaction: it may be cut off anywhere, and run twice at once.
 * Once it is done it checks the rows that came later: a copy from another database may have brought the old form.
 */
export async function fillNext(
  db: D1Database,
  { name, table, key, fill }: Filling,
  rows: number,
  now: Instant,
): Promise<Step> {
  const isOf = sql`${fillings.name} = ${name}`;
  const ofPlace = (column: SQLiteColumn): SQL => sql`(select ${column} from ${fillings} where ${isOf})`;
  const lastKey = (place: SQL): SQL => sql`(select max(${bare(key)}) from (
    select ${key} from ${table} where ${key} > ${place} order by ${key} limit ${rows}))`;
  const begin = sql`insert into ${fillings} (${bare(fillings.name)}, ${bare(fillings.place)}, ${bare(fillings.upTo)})
select ${name}, 0, ${lastKey(sql`0`)} where true
on conflict (${bare(fillings.name)}) do update set ${bare(fillings.upTo)} = ${lastKey(sql`${fillings.place}`)}`;
  const keep = sql`update ${fillings} set ${bare(fillings.place)} = coalesce(${fillings.upTo}, ${fillings.place}),
  ${bare(fillings.doneAt)} = iif(${fillings.upTo} is null, coalesce(${fillings.doneAt}, ${now}), ${fillings.doneAt})
where ${isOf} returning ${fillings.upTo} is null as is_done`;
  const filled = fill(sql`${key} > ${ofPlace(fillings.place)} and ${key} <= ${ofPlace(fillings.upTo)}`);
  const statements = [begin, ...filled, keep].map((query) => prepareQuery(db, query));
  const results = await writeBatch<{ is_done?: number }>(db, statements);
  return { isDone: results.at(-1)?.results[0]?.is_done === 1, statements: statements.length + 1 };
}
