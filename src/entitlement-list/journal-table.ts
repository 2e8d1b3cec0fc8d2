import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { isConfiguration } from '../db/journal-sql.ts';
import { journal, journalRetention, municipalities } from '../db/schema/index.ts';
import { parameter, statement, tableAs } from '../db/sql.ts';
import { requireStillHere } from '../lookups/located-municipality.ts';
import type { ListState, Mark } from './cursor.ts';
import type { ListMunicipality } from './facility-table.ts';

const newestRow = alias(journal, 'newest_row');
const anyRow = alias(journal, 'any_row');
const configuration = alias(journal, 'configuration');
const municipality = alias(municipalities, 'municipality');

/** Parameter 1: the number of the cursor's row; 2: the municipality. */
const HEAD = statement(
  () => sql`
select ${newestRow.sequence} as sequence, ${newestRow.stamp} as stamp,
  (select ${anyRow.stamp} from ${tableAs(journal, anyRow)} where ${anyRow.sequence} = ${parameter(1)}) as known,
  (select max(${journalRetention.upToSequence}, ${journalRetention.goneUpToSequence}) from ${journalRetention}) as gone,
  (select ${configuration.sequence} from ${tableAs(journal, configuration)}
    where ${configuration.municipalityId} = ${parameter(2)} and ${isConfiguration(configuration)}
    order by ${configuration.recordedAt}, ${configuration.sequence} limit 1) as first,
  (select ${municipality.movedTo} from ${tableAs(municipalities, municipality)} where ${municipality.id} = ${parameter(2)}) as moved_to,
  (select ${municipality.arriving} from ${tableAs(municipalities, municipality)} where ${municipality.id} = ${parameter(2)}) as arriving
from ${tableAs(journal, newestRow)}
where ${newestRow.sequence} = (select max(${anyRow.sequence}) from ${tableAs(journal, anyRow)})`,
);

interface HeadRow extends Mark {
  readonly known: Mark['stamp'] | null;
  readonly gone: number | null;
  /** The municipality's first row, its configuration. */
  readonly first: number | null;
  /** The municipality's own row. */
  readonly moved_to: string | null;
  readonly arriving: number | null;
}

/** The newest row of the journal, and whether it still has every row that a cursor needs. */
export interface JournalHead {
  readonly newest: Mark;
  readonly isWhole: boolean;
}

/** What a cursor needs of the journal. */
export type CursorBase = Pick<ListState, 'mark' | 'since'>;

/** The newest row of an empty journal: no cursor can depend on it. */
const NO_ROW = { sequence: 0, stamp: '' } as unknown as Mark;

/** The statement to run in one transaction with what is read. */
export const headStatement = (
  db: D1DatabaseSession,
  { id }: ListMunicipality,
  cursor: CursorBase | null,
): D1PreparedStatement => db.prepare(HEAD()).bind(cursor?.mark.sequence ?? null, id);

/**
 * Reads what {@link headStatement} has found. A cursor has expired (`isWhole` is false) where its row is missing, or is
 * another one since the database was restored; where retention has deleted rows after it; and where the municipality has
 * moved away and come back since, which records all of it once more.
 *
 * @throws MovedOn
 */
export function headOf(
  result: D1Result | undefined,
  municipality: ListMunicipality,
  cursor: CursorBase | null,
): JournalHead {
  // The shape is that of the statement.
  const [row] = (result?.results ?? []) as HeadRow[];
  if (row !== undefined) {
    requireStillHere(municipality, { movedTo: row.moved_to, isArriving: row.arriving === 1 });
  }
  const newest = row === undefined ? NO_ROW : { sequence: row.sequence, stamp: row.stamp };
  const isWhole =
    cursor === null ||
    (row !== undefined &&
      row.known === cursor.mark.stamp &&
      (row.gone ?? 0) <= cursor.since &&
      (row.first ?? 0) <= cursor.since);
  return { newest, isWhole };
}
