import { type SQL, sql } from 'drizzle-orm';
import { alias, getTableConfig } from 'drizzle-orm/sqlite-core';
import { erasedPlates } from '../../storage/db/schema/index.ts';
import { list, tableAs } from '../../storage/db/sql.ts';
import type { StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { batch, MAX_STEPS } from './move-parts.ts';
import { ofCity } from './part-statements.ts';

/** The most that one statement deletes: some tens of milliseconds' work. */
const ROWS = 500;
/** With the lists that go with them. */
const LARGE_ROWS = 50;

const every = alias(erasedPlates, 'every');
const notTheNewest = sql`and ${erasedPlates.id} < (select max(${every.id}) from ${tableAs(erasedPlates, every)})`;

/** Deletes some rows of a municipality: where other rows go with them, only once those are gone, which are counted then. */
function deleteFrom(stored: StoredTable, id: number): SQL {
  const { table, stays, hasLargeRows } = stored;
  const { columns, primaryKeys } = getTableConfig(table);
  const key = list(primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary));
  const { from, where } = ofCity(stored, sql`${id}`);
  const areGone = STORED_TABLES.filter(({ goesWith }) => goesWith === table).map((other) => {
    const others = ofCity(other, sql`${id}`);
    return sql`and not exists (select 1 from ${others.from} where ${others.where})`;
  });
  return sql`delete from ${table} where (${key}) in (
    select ${key} from ${from} where ${where} ${stays === 'newest' ? notTheNewest : sql``} ${sql.join(areGone, sql` `)} limit ${hasLargeRows ? LARGE_ROWS : ROWS})`;
}

/** Each table before those that it refers to. */
const CLEANED = STORED_TABLES.filter(({ stays }) => stays !== 'all').toReversed();

/**
 * Deletes some of the rows of a municipality that does not live in this database. Its own row stays, as a pointer, and so do
 * the areas and the like: they are few.
 *
 * @param guard undoes the transaction where nothing may be deleted
 * @returns whether nothing is left
 */
export async function cleanUp(db: D1Database, municipalityId: number, guard: SQL): Promise<boolean> {
  const results = await batch(db, [guard, ...CLEANED.map((table) => deleteFrom(table, municipalityId))]);
  return results.every(({ meta }) => meta.changes === 0);
}

/** Cleans up until a call has done its part. @returns whether nothing is left */
export async function cleanUpUntil(
  endsAtMs: number,
  db: D1Database,
  id: number,
  guard: SQL,
): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS && performance.now() < endsAtMs; steps += 1) {
    if (await cleanUp(db, id, guard)) {
      return true;
    }
  }
  return false;
}
