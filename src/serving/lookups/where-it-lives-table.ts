import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { databasesOf, getDatabase, HOME } from '../../storage/databases/bindings.ts';
import { type CameFrom, livesAt, noRow } from '../../storage/databases/lives-at.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { type Prepared, tableAs } from '../../storage/db/sql.ts';
import { batch, select, statement, value } from '../../storage/db/statement.ts';
import { municipality } from './municipality-table.ts';

const PLACE = {
  moved_to: municipality.movedTo,
  arriving: municipality.arriving,
  stay: municipality.stay,
  timezone: municipality.timeZone,
} as const;

const READ_PLACE = statement({ code: value<string>() }, ({ code }) =>
  select(
    PLACE,
    sql`
    from ${tableAs(municipalities, municipality)}
    where ${municipality.code} = ${code}`,
  ),
);

/**
 * Runs a statement in the database where a municipality lives.
 *
 * @returns its rows, the municipality's time zone, and that database; null for an unknown municipality
 */
export async function readWhereItLives<Row>(
  env: Env,
  code: string,
  prepare: (db: D1Database) => Prepared<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly timezone: string; readonly db: D1Database } | null> {
  let name = HOME;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    const db = getDatabase(env, name);
    const [places, { results }] = await batch(db, [READ_PLACE.prepare(db, { code }), prepare(db)]);
    const [place] = places.results;
    if (place === undefined && cameFrom === null) {
      return null;
    }
    if (place === undefined) {
      throw noRow(code, name);
    }
    const { moved_to: movedTo, stay, timezone } = place;
    if (movedTo === null || livesAt({ movedTo, arriving: place.arriving === 1, stay }, cameFrom)) {
      return { rows: results, timezone, db };
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  throw new Error(`the rows of the municipality ${code} point in a circle`);
}
