import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { moves, municipalities } from '../../storage/db/schema/index.ts';
import { prepareQuery } from '../../storage/db/sql.ts';
import { isRefusedWrite, undoWhere, writeBatch } from '../../storage/db/writable.ts';

/** How long one call works, in milliseconds, before it answers how far it has come. */
export const PART_MS = 4_000;
/** Steps of one call that cleans up, of some twenty statements each: an invocation has 1,000. */
export const MAX_STEPS = 25;
/** The statements of one call that copies, but for its switch. */
export const MAX_STATEMENTS = 400;

/** A municipality's way from one database to another, by their names, into a stay of its own. */
export interface Route {
  /** The municipality's. */
  readonly id: number;
  readonly code: string;
  readonly from: string;
  readonly to: string;
  /** The municipality's stay that it leads to. A statement of an earlier move that comes late meets a later stay. */
  readonly stay: number;
}

/** The move's own row, and that of no other move. */
export const isOfMove = ({ id, to, stay }: Route): SQL | undefined =>
  and(eq(moves.municipalityId, id), eq(moves.toDatabase, to), eq(moves.stay, stay));

/** Whether the municipality still lives in this database, in the stay that the move ends. */
export const livesHere = ({ stay }: Route): SQL =>
  sql`(${municipalities.movedTo} is null and ${municipalities.stay} = ${stay - 1})`;

/** The columns of the municipality's own row, for the row where it arrives. Whether its tenant is active is known there. */
export function arrivingColumns(row: typeof municipalities.$inferSelect, { from, to, stay }: Route) {
  const { id: _, code: __, tenantId: ___, tenantActive: ____, ...columns } = row;
  return {
    ...columns,
    movedTo: from,
    arriving: true,
    stay,
    livedIn: [...new Set([...row.livedIn, from])].filter((name) => name !== to),
    writesStoppedUntil: null,
  };
}

const undoUnless = (id: number, condition: SQL): SQL =>
  undoWhere(sql`${municipalities.id} = ${id} and not (${condition})`);

/** Undoes the transaction where the municipality does not live here any more. */
export const requireLivesHere = (route: Route): SQL => undoUnless(route.id, livesHere(route));

/** Undoes the transaction where the municipality is not arriving here by this move. */
export const requireArriving = ({ id, stay }: Pick<Route, 'id' | 'stay'>, and = sql``): SQL =>
  undoUnless(id, sql`${municipalities.arriving} and ${municipalities.stay} = ${stay} ${and}`);

/** Undoes the transaction where another call works on the copy, or it has arrived. */
export const requireTurn = (id: number, turn: string): SQL =>
  undoUnless(
    id,
    sql`${municipalities.arriving} and exists (
      select 1 from ${moves} where ${moves.municipalityId} = ${id} and ${moves.turn} = ${turn})`,
  );

/** Allows cleaning up what is left of the earlier stay, and nothing that lives there or is arriving again. */
export const requireLeft = ({ id, stay }: Route): SQL =>
  undoUnless(
    id,
    sql`${municipalities.movedTo} is not null and not ${municipalities.arriving} and ${municipalities.stay} = ${stay - 1}`,
  );

/** Sends statements as one transaction: see `writeBatch`. */
export const batch = (db: D1Database, queries: readonly SQLWrapper[]): Promise<D1Result[]> =>
  writeBatch(
    db,
    queries.map((query) => prepareQuery(db, query)),
  );

/** @returns null where the transaction was undone because the municipality is not where it was */
export async function nullIfRefused<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (isRefusedWrite(error)) {
      return null;
    }
    throw error;
  }
}
