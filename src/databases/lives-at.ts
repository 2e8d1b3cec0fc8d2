/** What a municipality's row in one database says of where the municipality is. */
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

/** A row points at a database that has none of the municipality. Nothing is known of it then, which is no negative. */
export const noRow = (code: string, name: string): Error =>
  new Error(`the database ${name} has no row of the municipality ${code}`);
