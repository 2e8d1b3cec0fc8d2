import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { municipalities } from '../db/schema/index.ts';
import { bare } from '../db/sql.ts';
import { all, first, type RowIn, select, statement, value } from '../db/statement.ts';
import { IS_STOPPED } from '../db/writable.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from './bindings.ts';
import { allSideBySide } from './side-by-side.ts';

const { id, code, movedTo, arriving, stay } = municipalities;

const COMPLETE = statement(
  { code: value<string>(), from: value<string>(), stay: value<number>() },
  (arrival) => sql`
  update ${municipalities}
  set ${bare(movedTo)} = null, ${bare(arriving)} = false
  where ${code} = ${arrival.code}
    and ${movedTo} = ${arrival.from}
    and ${arriving}
    and ${stay} = ${arrival.stay}`,
);

/**
 * Makes a municipality live in the database where it has arrived. Call it once the row in its old database points to this
 * one. Idempotent.
 *
 * @param from the name of its old database
 * @param stay the stay that begins here; a later arrival is not completed
 */
export async function completeArrival(
  db: D1Database,
  code: string,
  { from, stay }: { readonly from: string; readonly stay: number },
): Promise<void> {
  await COMPLETE.prepare(db, { code, from, stay }).run();
}

const READ_MOVING = statement({}, () =>
  select(
    { id, code, from: movedTo, stay, arriving },
    sql`
    from ${municipalities}
    where ${arriving}
      or ${IS_STOPPED}`,
  ),
);

/** Reads the arriving copies, and the municipalities whose writes are stopped. */
async function readMoving(db: D1Database): Promise<readonly RowIn<typeof READ_MOVING>[]> {
  const { results } = await all(READ_MOVING.prepare(db, {}));
  return results;
}

/** Reads the arriving copies: the municipality still lives in the database `from`, and its `stay` here has not begun. */
export const readArriving = async (db: D1Database): Promise<readonly RowIn<typeof READ_MOVING>[]> =>
  (await readMoving(db)).filter((row) => row.arriving === 1);

/**
 * Completes the arrivals that were cut off before their last step, when the old database already pointed to the new one.
 *
 * @returns the ids of the municipalities whose writes are stopped, because their switch has begun
 */
export async function completeArrivals(env: Env): Promise<ReadonlySet<number>> {
  const stopped = new Set<number>();
  if (!hasSeveral(env)) {
    return stopped;
  }
  await allSideBySide(databasesOf(env), async ({ name, db }) => {
    for (const { id, code, from, stay, arriving } of await readMoving(db)) {
      if (arriving === 0) {
        stopped.add(id);
        continue;
      }
      // A restore has `backup` for `from`, which is never bound: the restore itself completes its arrival.
      if (from !== null && isBound(env, from) && (await pointsTo(getDatabase(env, from), code, name, stay))) {
        await completeArrival(db, code, { from, stay });
      }
    }
  });
  return stopped;
}

const READ_LOCATION = statement({ code: value<string>() }, (named) =>
  select(
    { movedTo, arriving, stay },
    sql`
    from ${municipalities}
    where ${code} = ${named.code}`,
  ),
);

/** Whether the row in the old database points to the copy, for this stay. */
async function pointsTo(db: D1Database, code: string, name: string, stay: number): Promise<boolean> {
  const row = await first(READ_LOCATION.prepare(db, { code }));
  return row !== null && row.movedTo === name && row.arriving === 0 && row.stay + 1 === stay;
}
