import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { databasesOf, getDatabase, HOME } from '../../storage/databases/bindings.ts';
import { type CameFrom, livesAt, noRow } from '../../storage/databases/lives-at.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { columns, parameter, type RowOf, statement, tableAs } from '../../storage/db/sql.ts';
import { municipality } from './municipality-table.ts';

const PLACE = {
  moved_to: municipality.movedTo,
  arriving: municipality.arriving,
  stay: municipality.stay,
  timezone: municipality.timeZone,
} as const;

/** 1: the municipality's code. */
const READ_PLACE = statement(
  () =>
    sql`select ${columns(PLACE)} from ${tableAs(municipalities, municipality)} where ${municipality.code} = ${parameter(1)}`,
);

/**
 * Runs a statement in the database where a municipality lives.
 *
 * @returns its rows and the municipality's time zone; null for an unknown municipality
 */
export async function readWhereItLives<Row>(
  env: Env,
  code: string,
  prepare: (db: D1Database) => D1PreparedStatement,
): Promise<{ readonly rows: readonly Row[]; readonly timezone: string } | null> {
  let name = HOME;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    const db = getDatabase(env, name);
    const [places, { results }] = (await db.batch([db.prepare(READ_PLACE()).bind(code), prepare(db)])) as [
      D1Result<RowOf<typeof PLACE>>,
      D1Result<Row>,
    ];
    const [place] = places.results;
    if (place === undefined && cameFrom === null) {
      return null;
    }
    if (place === undefined) {
      throw noRow(code, name);
    }
    const { moved_to: movedTo, stay, timezone } = place;
    if (movedTo === null || livesAt({ movedTo, arriving: place.arriving === 1, stay }, cameFrom)) {
      return { rows: results, timezone };
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  throw new Error(`the rows of the municipality ${code} point in a circle`);
}
