import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { municipalities } from '../db/schema/index.ts';
import { bare, columns, parameter, type RowOf, statement } from '../db/sql.ts';
import { databasesOf, getDatabase, hasSeveral, isBound } from './bindings.ts';
import { allSideBySide } from './side-by-side.ts';

const { code, movedTo, arriving, stay } = municipalities;

/** 1: the municipality's code; 2: the database that it has come from; 3: the stay. */
const COMPLETE = statement(
  () => sql`update ${municipalities} set ${bare(movedTo)} = null, ${bare(arriving)} = false
    where ${code} = ${parameter(1)} and ${movedTo} = ${parameter(2)} and ${arriving} and ${stay} = ${parameter(3)}`,
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
  await db.prepare(COMPLETE()).bind(code, from, stay).run();
}

const COPY = { code, from: movedTo, stay };
const READ_ARRIVING = statement(() => sql`select ${columns(COPY)} from ${municipalities} where ${arriving}`);

/** The copies of municipalities that still live elsewhere, each with the database it comes from and the stay that will begin. */
export async function readArriving(db: D1Database): Promise<readonly RowOf<typeof COPY>[]> {
  const { results } = await db.prepare(READ_ARRIVING()).all<RowOf<typeof COPY>>();
  return results;
}

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

const PLACE = { movedTo, arriving, stay };
/** 1: the municipality's code. */
const READ_PLACE = statement(
  () => sql`select ${columns(PLACE)} from ${municipalities} where ${code} = ${parameter(1)}`,
);

/** Whether the row that a copy was made from points at it, into this stay. */
async function pointsTo(db: D1Database, code: string, name: string, stay: number): Promise<boolean> {
  const row = await db.prepare(READ_PLACE()).bind(code).first<RowOf<typeof PLACE>>();
  return row !== null && row.movedTo === name && row.arriving === 0 && row.stay + 1 === stay;
}
