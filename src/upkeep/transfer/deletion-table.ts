import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { withTimeout } from '../../base/platform/deadline.ts';
import { erasedPlates } from '../../storage/db/schema/index.ts';
import { list, tableAs } from '../../storage/db/sql.ts';
import { keyOf, type StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { PART_MS, STEP_MS, send } from './moves-table.ts';
import { ofCity } from './part-table.ts';

/** Steps per call, of some twenty statements each: an invocation may send 1,000. */
const MAX_STEPS = 25;
/** The most rows that one statement deletes, which takes some tens of milliseconds. */
const ROWS = 500;
/** For rows with lists of their own. */
const LARGE_ROWS = 50;

const every = alias(erasedPlates, 'every');
const notTheNewest = sql`and ${erasedPlates.id} < (select max(${every.id}) from ${tableAs(erasedPlates, every)})`;

/** Deletes some rows of a municipality. A row with dependent rows is deleted after those. */
function deleteFrom(stored: StoredTable, municipality: SQL): SQL {
  const { table, stays, hasLargeRows } = stored;
  const key = list(keyOf(table));
  const { from, where } = ofCity(stored, municipality);
  const areGone = STORED_TABLES.filter(({ goesWith }) => goesWith?.table === table).map((other) => {
    const others = ofCity(other, municipality);
    return sql`and not exists (select 1 from ${others.from} where ${others.where})`;
  });
  return sql`delete from ${table} where (${key}) in (
    select ${key} from ${from} where ${where} ${stays === 'newest' ? notTheNewest : sql``} ${sql.join(areGone, sql` `)} limit ${hasLargeRows ? LARGE_ROWS : ROWS})`;
}

/** Each table before those that it refers to. */
const DELETED = STORED_TABLES.filter(({ stays }) => stays !== 'all').toReversed();

/**
 * Deletes the rows of a municipality that does not live in this database, some at a time. Keeps its own row, as a pointer, and
 * few others such as areas.
 *
 * @param guard undoes the transaction if nothing may be deleted
 * @param endsAtMs when the call must stop
 * @returns whether all are deleted
 */
export async function deleteRows(
  db: D1Database,
  municipality: number,
  guard: SQL,
  { endsAtMs = performance.now() + PART_MS, maxSteps = MAX_STEPS } = {},
): Promise<boolean> {
  for (let steps = 0; steps < maxSteps && performance.now() < endsAtMs; steps += 1) {
    const deletions = DELETED.map((table) => deleteFrom(table, sql`${municipality}`));
    const results = await withTimeout(STEP_MS, send(db, [guard, ...deletions]));
    if (results.every(({ meta }) => meta.changes === 0)) {
      return true;
    }
  }
  return false;
}
