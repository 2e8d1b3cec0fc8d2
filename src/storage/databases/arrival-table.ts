import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { municipalities } from '../db/schema/index.ts';
import { bare } from '../db/sql.ts';
import { all, first, type RowIn, select, statement, value } from '../db/statement.ts';
import { IS_STOPPED } from '../db/writable.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from './bindings.ts';
import { allSideBySide } from './side-by-side.ts';

const { id, code, movedTo, arriving, stay } = municipalities;

/** From the database that the municipality has come from. */
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
 * Makes a municipality live in the database where it has arrived. Call it once the row that it was copied from points
 * there; calling it twice does no harm.
 *
 * @param from the name of the database that it has come from
 * @param stay the stay that begins here; the arrival of a later one is not completed
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

/** The copies of municipalities that live elsewhere, and the municipalities whose writes are stopped. */
async function readMoving(db: D1Database): Promise<readonly RowIn<typeof READ_MOVING>[]> {
  const { results } = await all(READ_MOVING.prepare(db, {}));
  return results;
}

/** The copies of municipalities that still live elsewhere, each with the database it comes from and the stay that will begin. */
export const readArriving = async (db: D1Database): Promise<readonly RowIn<typeof READ_MOVING>[]> =>
  (await readMoving(db)).filter((row) => row.arriving === 1);

/**
 * Completes all arrivals that were cut off at their last step: the row that they were copied from already points here.
 *
 * @returns the ids of the municipalities whose writes were stopped, since their switch has begun
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
      // A municipality that comes from a backup is not read until its last part is there.
      if (from !== null && isBound(env, from) && (await pointsTo(getDatabase(env, from), code, name, stay))) {
        await completeArrival(db, code, { from, stay });
      }
    }
  });
  return stopped;
}

const READ_PLACE = statement({ code: value<string>() }, (named) =>
  select(
    { movedTo, arriving, stay },
    sql`
    from ${municipalities}
    where ${code} = ${named.code}`,
  ),
);

/** Whether the row that a copy was made from points at it, into this stay. */
async function pointsTo(db: D1Database, code: string, name: string, stay: number): Promise<boolean> {
  const row = await first(READ_PLACE.prepare(db, { code }));
  return row !== null && row.movedTo === name && row.arriving === 0 && row.stay + 1 === stay;
}
