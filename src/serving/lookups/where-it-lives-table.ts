import { sql } from 'drizzle-orm';
import type { Env } from '../../env.ts';
import { HOME } from '../../storage/databases/bindings.ts';
import { followRows } from '../../storage/databases/lives-at.ts';
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
  return followRows(env, code, HOME, async (db) => {
    const [places, { results: rows }] = await batch(db, [READ_PLACE.prepare(db, { code }), prepare(db)]);
    const [place] = places.results;
    if (place === undefined) {
      return null;
    }
    const { moved_to: movedTo, arriving, stay, timezone } = place;
    return { row: { movedTo, arriving: arriving === 1, stay }, rows, timezone };
  });
}
