import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { requireStillHere } from '../../serving/lookups/located-municipality.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, municipalities } from '../../storage/db/schema/index.ts';
import { columns, jsonArray, parameter, type RowOf, statement, tableAs } from '../../storage/db/sql.ts';
import type { ListState, Mark } from './cursor.ts';
import type { ListMunicipality } from './facility-table.ts';

const MUNICIPALITY = parameter(1);

const change = alias(changes, 'change');
const municipality = alias(municipalities, 'municipality');

/** The last bytes of a call's id, which are random. The first ones are its time: after a restore another call may have it. */
const callOf = ({ requestId }: { readonly requestId: SQLWrapper }): SQL<string> =>
  sql<string>`hex(substr(${requestId}, -6))`;

const ofMunicipality = sql`from ${tableAs(changes, change)} where ${change.municipalityId} = ${MUNICIPALITY}`;

const HEAD_COLUMNS = {
  newest: sql<
    string | null
  >`(select ${jsonArray([change.recordedAt, callOf(change)])} ${ofMunicipality} and ${change.recordedAt} = ${lastRecordedAt(MUNICIPALITY)})`,
  known: sql<
    string | null
  >`(select ${callOf(change)} ${ofMunicipality} and ${change.recordedAt} = ${parameter(2)})`,
  first: sql<
    number | null
  >`(select ${change.recordedAt} ${ofMunicipality} and ${change.recordedAt} = ${parameter(3)})`,
  next: sql<
    number | null
  >`(select min(${change.recordedAt}) ${ofMunicipality} and ${change.recordedAt} > ${parameter(3)})`,
  moved_to: municipality.movedTo,
  arriving: municipality.arriving,
  past_since: municipality.pastSince,
} as const;

/** Parameter 2: the instant of the cursor's mark; 3: the first instant that it depends on. */
const HEAD = statement(
  () => sql`
select ${columns(HEAD_COLUMNS)} from ${tableAs(municipalities, municipality)} where ${municipality.id} = ${MUNICIPALITY}`,
);

/** The municipality's newest change, and whether all is there that a cursor needs. */
export interface Head {
  readonly newest: Mark;
  readonly isWhole: boolean;
}

/** What a cursor needs. */
export type CursorBase = Pick<ListState, 'mark' | 'held'>;

/** That of a municipality in which nothing was ever recorded: no cursor can depend on it. */
const NO_CHANGE: Mark = { recordedAt: 0, call: '' };

/** The statement to run in one transaction with what is read. */
export const headStatement = (
  db: D1DatabaseSession,
  { id }: ListMunicipality,
  cursor: CursorBase | null,
): D1PreparedStatement =>
  db.prepare(HEAD()).bind(id, cursor?.mark.recordedAt ?? null, cursor?.held.from ?? null);

/**
 * Reads what {@link headStatement} has found. A cursor has expired (`isWhole` is false) where one of its changes is no longer
 * kept, or is another one since the database was restored; and where retention or an erasure has taken from the past since
 * (`past_since`): what the caller holds may be told no more.
 *
 * @throws MovedOn
 */
export function headOf(
  result: D1Result | undefined,
  municipality: ListMunicipality,
  cursor: CursorBase | null,
): Head {
  // The shape is that of the statement.
  const [row] = (result?.results ?? []) as RowOf<typeof HEAD_COLUMNS>[];
  if (row === undefined) {
    return { newest: NO_CHANGE, isWhole: false };
  }
  requireStillHere(municipality, { movedTo: row.moved_to, isArriving: row.arriving === 1 });
  const isWhole =
    cursor === null ||
    (row.known === cursor.mark.call && row.first !== null && row.past_since <= cursor.held.from);
  return { newest: row.newest === null ? NO_CHANGE : markOf(row.newest), isWhole };
}

function markOf(json: string): Mark {
  // The shape is that of the statement.
  const [recordedAt, call] = JSON.parse(json) as [number, string];
  return { recordedAt, call };
}
