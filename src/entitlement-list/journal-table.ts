import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal, journalRetention, municipalities } from '../db/schema/index.ts';
import { aliased, parameter, statement } from '../db/sql.ts';
import { requireStillHere } from '../lookups/located-municipality.ts';
import type { ListState, Mark } from './cursor.ts';
import type { ListMunicipality } from './facility-table.ts';

const n = alias(journal, 'n');
const k = alias(journal, 'k');
const c = alias(journal, 'c');
const m = alias(municipalities, 'm');

/** Parameter 1: a number; 2: the municipality. */
const HEAD = statement(
  () => sql`
select ${n.sequence} as sequence, ${n.stamp} as stamp,
  (select ${k.stamp} from ${aliased(journal, k)} where ${k.sequence} = ${parameter(1)}) as known,
  (select max(${journalRetention.upToSequence}, ${journalRetention.goneUpToSequence}) from ${journalRetention}) as gone,
  (select ${c.sequence} from ${aliased(journal, c)}
    where ${c.municipalityId} = ${parameter(2)} and ${c.kind} = 'configuration' and ${c.sourceCode} is null and ${c.key} is null
    order by ${c.recordedAt}, ${c.sequence} limit 1) as first,
  (select ${m.movedTo} from ${aliased(municipalities, m)} where ${m.id} = ${parameter(2)}) as moved_to,
  (select ${m.arriving} from ${aliased(municipalities, m)} where ${m.id} = ${parameter(2)}) as arriving
from ${aliased(journal, n)}
where ${n.sequence} = (select max(${k.sequence}) from ${aliased(journal, k)})`,
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
 * Reads what {@link headStatement} has found.
 *
 * @param cursor what it rests on: the row is gone or another one after a restore, rows behind it may be past retention, and
 *   where the municipality has been elsewhere since, all that is recorded of it has come back behind it
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
