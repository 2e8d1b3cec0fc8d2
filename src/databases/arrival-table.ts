import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { municipalities } from '../db/schema/index.ts';
import type { Env } from '../env.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from './bindings.ts';
import { allSideBySide } from './side-by-side.ts';

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
  await drizzle(db)
    .update(municipalities)
    .set({ movedTo: null, arriving: false })
    .where(
      and(
        eq(municipalities.code, code),
        eq(municipalities.movedTo, from),
        eq(municipalities.arriving, true),
        eq(municipalities.stay, stay),
      ),
    );
}

/** The copies of municipalities that still live elsewhere, each with the database it comes from and the stay that will begin. */
export const readArriving = (db: D1Database) =>
  drizzle(db)
    .select({ code: municipalities.code, from: municipalities.movedTo, stay: municipalities.stay })
    .from(municipalities)
    .where(eq(municipalities.arriving, true));

/** Completes all arrivals that were cut off at their last step: the row that they were copied from already points here. */
export async function completeArrivals(env: Env): Promise<void> {
  if (!hasSeveral(env)) {
    return;
  }
  await allSideBySide(databasesOf(env), async ({ name, db }) => {
    for (const { code, from, stay } of await readArriving(db)) {
      // A municipality that comes from a backup is not read until its last part is there.
      if (from !== null && isBound(env, from) && (await pointsTo(getDatabase(env, from), code, name, stay))) {
        await completeArrival(db, code, { from, stay });
      }
    }
  });
}

/** Whether the row that a copy was made from points at it, into this stay. */
async function pointsTo(db: D1Database, code: string, name: string, stay: number): Promise<boolean> {
  const [row] = await drizzle(db)
    .select({
      movedTo: municipalities.movedTo,
      arriving: municipalities.arriving,
      stay: municipalities.stay,
    })
    .from(municipalities)
    .where(eq(municipalities.code, code));
  return row !== undefined && row.movedTo === name && !row.arriving && row.stay + 1 === stay;
}
