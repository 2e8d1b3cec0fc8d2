import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, municipalities } from '../../storage/db/schema/index.ts';
import { type Json, jsonArray, type Prepared, parsed, tableAs } from '../../storage/db/sql.ts';
import { type RowIn, select, statement, value } from '../../storage/db/statement.ts';
import type { ListState, Mark } from './cursor.ts';
import type { ListMunicipality } from './facility-table.ts';

const change = alias(changes, 'change');
const municipality = alias(municipalities, 'municipality');

/** The last bytes of a call's id, which are random. The first ones are its time: after a restore another call may have it. */
const callOf = ({ requestId }: { readonly requestId: SQLWrapper }): SQL<string> =>
  sql<string>`hex(substr(${requestId}, -6))`;

const HEAD = statement(
  {
    municipalityId: value<number>(),
    /** The instant of the cursor's mark, and the earliest instant on which the cursor depends. */
    mark: value<number | null>(),
    heldFrom: value<number | null>(),
  },
  ({ municipalityId, mark, heldFrom }) => {
    const ofMunicipality = sql`
      from ${tableAs(changes, change)}
      where ${change.municipalityId} = ${municipalityId}`;
    return select(
      {
        newest: sql<Json<MarkTuple> | null>`(
      select ${jsonArray([change.recordedAt, callOf(change)])}
      ${ofMunicipality}
        and ${change.recordedAt} = ${lastRecordedAt(municipalityId)}
    )`,
        known: sql<string | null>`(
      select ${callOf(change)}
      ${ofMunicipality}
        and ${change.recordedAt} = ${mark}
    )`,
        first: sql<number | null>`(
      select ${change.recordedAt}
      ${ofMunicipality}
        and ${change.recordedAt} = ${heldFrom}
    )`,
        next: sql<number | null>`(
      select min(${change.recordedAt})
      ${ofMunicipality}
        and ${change.recordedAt} > ${heldFrom}
    )`,
        past_since: municipality.pastSince,
      },
      sql`
      from ${tableAs(municipalities, municipality)}
      where ${municipality.id} = ${municipalityId}`,
    );
  },
);

type MarkTuple = [recordedAt: number, call: string];

/** The municipality's newest change, and whether the database still has everything that a cursor needs. */
export interface Head {
  readonly newest: Mark;
  readonly isWhole: boolean;
}

/** The changes that a cursor needs. */
export type CursorBase = Pick<ListState, 'mark' | 'held'>;

/** The mark of a municipality without any change: no cursor can depend on it. */
const NO_CHANGE: Mark = { recordedAt: 0, call: '' };

/** The statement to run in one transaction with the reads. */
export const headStatement = (
  db: D1Database,
  { id }: ListMunicipality,
  cursor: CursorBase | null,
): Prepared<RowIn<typeof HEAD>> =>
  HEAD.prepare(db, {
    municipalityId: id,
    mark: cursor?.mark.recordedAt ?? null,
    heldFrom: cursor?.held.from ?? null,
  });

/**
 * Returns the result of {@link headStatement}. A cursor has expired (`isWhole` is false) if one of its changes is no longer
 * kept, or is another change since the database was restored; also if retention or an erasure has since deleted part of the
 * past (`past_since`): then the caller's state is no longer known.
 */
export function headOf({ results: [row] }: D1Result<RowIn<typeof HEAD>>, cursor: CursorBase | null): Head {
  if (row === undefined) {
    return { newest: NO_CHANGE, isWhole: false };
  }
  const isWhole =
    cursor === null ||
    (row.known === cursor.mark.call && row.first !== null && row.past_since <= cursor.held.from);
  return { newest: row.newest === null ? NO_CHANGE : markOf(row.newest), isWhole };
}

function markOf(mark: Json<MarkTuple>): Mark {
  const [recordedAt, call] = parsed(mark);
  return { recordedAt, call };
}
