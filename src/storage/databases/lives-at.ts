/** Where a municipality is, by its row in one database. */
export interface LocationRow {
  /** The name of another database. */
  readonly movedTo: string | null;
  readonly arriving: boolean;
  readonly stay: number;
}

/** The row that pointed here: the name of its database, and the stay that has ended there. */
export interface CameFrom {
  readonly name: string;
  readonly stay: number;
}

/**
 * Whether a municipality lives where this row is. A copy that is arriving lives there once the row that it was made from
 * points at it, into the same stay.
 *
 * @param cameFrom null where no row has led here
 */
export const livesAt = ({ movedTo, arriving, stay }: LocationRow, cameFrom: CameFrom | null): boolean =>
  movedTo === null || (arriving && movedTo === cameFrom?.name && stay === cameFrom.stay + 1);

/** A row points at a database that has no row of the municipality. So nothing is known of it, which must not become a "no". */
export const noRow = (code: string, name: string): Error =>
  new Error(`the database ${name} has no row of the municipality ${code}`);

/**
 * The name of the database where a municipality lives, by its rows in all of them. Null: in none of these, so it cannot be
 * read.
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
