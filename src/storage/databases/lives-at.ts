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

/** A row points to a database that does not have the municipality. A "no" could be wrong, so the call fails. */
export const noRow = (code: string, name: string): Error =>
  new Error(`the database ${name} has no row of the municipality ${code}`);

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
