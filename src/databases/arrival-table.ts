import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { municipalities } from '../db/schema/index.ts';

/**
 * Lets a municipality live where it has arrived. To be called once the row that it was copied from points at this
 * database; may be called twice.
 *
 * @param from the name of the database that it has come from
 * @param stay the one that it has come to: a later one has an end of its own
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
