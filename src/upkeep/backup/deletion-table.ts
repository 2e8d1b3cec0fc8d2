import { type SQL, sql } from 'drizzle-orm';
import { withTimeout } from '../../base/platform/deadline.ts';
import { SECOND_MS } from '../../domain/instant.ts';
import { list } from '../../storage/db/sql.ts';
import { keyOf, type StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { ofCity } from './part-table.ts';
import { requireTurn, send, type Worker } from './restore-table.ts';

/** How long one call works, in milliseconds, before it answers with its progress. */
const PART_MS = 4_000;
/** A database that takes longer for one round trip is away. */
const STEP_MS = 5 * SECOND_MS;
/** Steps per call, of some twenty statements each: an invocation may send 1,000. */
const MAX_STEPS = 25;
/** The most rows that one statement deletes, which takes some tens of milliseconds. */
const ROWS = 500;
/** For rows with lists of their own. */
const LARGE_ROWS = 50;

/** Deletes some rows of a municipality. A row with dependent rows is deleted after those. */
function deleteFrom(stored: StoredTable, municipality: SQL): SQL {
  const { table, hasLargeRows } = stored;
  const key = list(keyOf(table));
  const { from, where } = ofCity(stored, municipality);
  const areGone = STORED_TABLES.filter(({ goesWith }) => goesWith?.table === table).map((other) => {
    const others = ofCity(other, municipality);
    return sql`and not exists (select 1 from ${others.from} where ${others.where})`;
  });
  return sql`delete from ${table} where (${key}) in (
    select ${key} from ${from} where ${where} ${sql.join(areGone, sql` `)} limit ${hasLargeRows ? LARGE_ROWS : ROWS})`;
}

/** Tables whose rows are deleted together, each stage once the one before has no rows left. */
const STAGES = [
  STORED_TABLES.filter(({ isConfiguration }) => !isConfiguration).toReversed(),
  // The others refer to these, and these to each other.
  ...STORED_TABLES.filter(({ isConfiguration }) => isConfiguration)
    .toReversed()
    .map((table) => [table]),
];

/**
 * Deletes the rows of a municipality that is being restored, some at a time, but not its own row.
 *
 * @returns whether all are deleted
 */
export async function deleteRows(db: D1Database, worker: Worker): Promise<boolean> {
  const endsAtMs = performance.now() + PART_MS;
  let steps = 0;
  for (const tables of STAGES) {
    for (let isEmpty = false; !isEmpty; steps += 1) {
      if (steps === MAX_STEPS || performance.now() > endsAtMs) {
        return false;
      }
      const deletions = tables.map((table) => deleteFrom(table, sql`${worker.id}`));
      const results = await withTimeout(STEP_MS, send(db, [requireTurn(worker), ...deletions]));
      isEmpty = results.every(({ meta }) => meta.changes === 0);
    }
  }
  return true;
}
