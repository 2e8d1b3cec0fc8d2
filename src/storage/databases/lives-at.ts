import type { Env } from '../../env.ts';
import { type Database, databasesOf, getDatabase, isBound } from './bindings.ts';

/** A municipality's row in one database, as far as it says where the municipality lives. */
export interface LocationRow {
  /** The name of the database to look in instead; null if the municipality lives here. */
  readonly movedTo: string | null;
  readonly arriving: boolean;
  readonly stay: number;
}

/** The database whose row pointed here, and the stay that ended there. */
export interface CameFrom {
  readonly name: string;
  readonly stay: number;
}

/**
 * Whether a municipality lives in this row's database. An arriving copy is live once the row in the old database points to
 * it, for the same stay.
 *
 * @param cameFrom null if no row pointed here
 */
export const livesAt = ({ movedTo, arriving, stay }: LocationRow, cameFrom: CameFrom | null): boolean =>
  movedTo === null || (arriving && movedTo === cameFrom?.name && stay === cameFrom.stay + 1);

/** The rows of a municipality lead nowhere. A "no" could be wrong, so the call fails. */
export class LeadsNowhere extends Error {}

/** A row points to a database that does not have the municipality. */
export const noRow = (code: string, name: string): LeadsNowhere =>
  new LeadsNowhere(`the database ${name} has no row of the municipality ${code}`);

/**
 * Follows a municipality's rows from database to database, one read in each, until it is found to live in one. A copy that is
 * arriving lives there once the row that it was copied from points at it.
 *
 * @param first the name of the database to begin with
 * @returns what was read where it lives; null if the first database has no row of it
 * @throws LeadsNowhere
 */
export async function followRows<Read extends { readonly row: LocationRow }>(
  env: Env,
  code: string,
  first: string,
  read: (db: D1Database) => Promise<Read | null>,
): Promise<(Read & Database) | null> {
  let name = first;
  let cameFrom: CameFrom | null = null;
  for (let hops = 0; hops < databasesOf(env).length + 2; hops += 1) {
    if (!isBound(env, name)) {
      throw new LeadsNowhere(`no database is bound as ${name}`);
    }
    const db = getDatabase(env, name);
    const found = await read(db);
    if (found === null && cameFrom === null) {
      return null;
    }
    if (found === null) {
      throw noRow(code, name);
    }
    const { movedTo, stay } = found.row;
    if (movedTo === null || livesAt(found.row, cameFrom)) {
      return { ...found, name, db };
    }
    cameFrom = { name, stay };
    name = movedTo;
  }
  throw new LeadsNowhere(`the rows of the municipality ${code} point in a circle`);
}

/**
 * The name of the database where a municipality lives, found by its rows in all of them. Null if it lives in none of them,
 * and cannot be read.
 */
export function locateByRows(rows: ReadonlyMap<string, LocationRow>): string | null {
  for (const [name, row] of rows) {
    const origin = row.movedTo === null ? undefined : rows.get(row.movedTo);
    const pointsHere = origin?.movedTo === name && !origin.arriving;
    const cameFrom =
      row.movedTo !== null && origin && pointsHere ? { name: row.movedTo, stay: origin.stay } : null;
    if (livesAt(row, cameFrom)) {
      return name;
    }
  }
  return null;
}
