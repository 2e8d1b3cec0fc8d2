import { and, eq, isNull, lt, or, type SQLWrapper, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { HOUR_MS, MINUTE_MS } from '../../domain/instant.ts';
import { moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { literal, prepareQuery } from '../../storage/db/sql.ts';
import { DATABASE_CLOCK, WAITING_MS, writeBatch } from '../../storage/db/writable.ts';
import {
  arrivingColumns,
  batch,
  isOfMove,
  livesHere,
  nullIfRefused,
  type Route,
  requireArriving,
  requireLivesHere,
  requireTurn,
} from './move-parts.ts';
import { EVER, type Rows, storing } from './part-table.ts';

/** A municipality's row in one database, and what that knows of its move. */
export interface Standing {
  readonly row: typeof municipalities.$inferSelect;
  readonly move: typeof moves.$inferSelect | null;
}

export type Tenant = typeof tenants.$inferSelect;

/** For so long a move that is over is answered once more, in milliseconds. */
const ANSWERED_MS = HOUR_MS;

/** @returns null if the database has no row of it. A move that has been over for long does not count */
export async function readStanding(db: D1Database, code: string): Promise<Standing | null> {
  const [found] = await drizzle(db)
    .select({ row: municipalities, move: moves })
    .from(municipalities)
    .leftJoin(
      moves,
      and(
        eq(moves.municipalityId, municipalities.id),
        or(isNull(moves.endedAt), sql`${moves.endedAt} > ${DATABASE_CLOCK} - ${literal(ANSWERED_MS)}`),
      ),
    )
    .where(eq(municipalities.code, code));
  return found ?? null;
}

export const AT_START: MoveProgress = {
  step: 'clear',
  since: EVER,
  asOf: EVER,
  position: null,
  taken: 0,
  erasures: 0,
  copied: 0,
};

/** The move's row where it has none yet. What an earlier move has left behind does not count. */
export function insertMove(db: D1Database, route: Route, restore: RestoreProgress | null = null) {
  const { id, from, to, stay } = route;
  const values = {
    municipalityId: id,
    fromDatabase: from,
    toDatabase: to,
    stay,
    begunAt: DATABASE_CLOCK,
    progress: AT_START,
    turn: null,
    state: 'moving' as const,
    endedAt: null,
    erasures: 0,
    stops: 0,
    stopsSince: 0,
    restore,
  };
  // Who calls a move off and begins another does not get further stops of the writes.
  const { stops: _, stopsSince: __, ...set } = values;
  return drizzle(db)
    .insert(moves)
    .values(values)
    .onConflictDoUpdate({ target: moves.municipalityId, set, setWhere: lt(moves.stay, stay) });
}

/** Where a municipality goes, since another move may be under way. */
export interface Leaving {
  readonly to: string;
  /** How often something has been erased since: a copy that was begun before is begun again. */
  readonly erasures: number;
}

/** What is deleted by its age waits no longer for this move, or not until a call is over that begins now. */
const isWaitedForNoMore = sql`${moves.begunAt} <= ${DATABASE_CLOCK} - ${literal(WAITING_MS - MINUTE_MS)}`;

/**
 * Records in the old database that the municipality is leaving. The copy of a move that has taken too long to be waited for is
 * begun again: what has been deleted by its age may be in it.
 *
 * @returns null: it does not live there any more
 */
export async function beginLeaving(db: D1Database, route: Route): Promise<Leaving | null> {
  const orm = drizzle(db);
  const results = await nullIfRefused(() =>
    batch(db, [
      requireLivesHere(route),
      insertMove(db, route),
      orm
        .update(moves)
        .set({ begunAt: DATABASE_CLOCK, erasures: sql`${moves.erasures} + 1` })
        .where(and(isOfMove(route), isWaitedForNoMore)),
      orm
        .select({ to: sql`${moves.toDatabase}`.as('to'), erasures: moves.erasures })
        .from(moves)
        .where(eq(moves.municipalityId, route.id)),
    ]),
  );
  // The columns of the last statement.
  const [move = null] = (results?.at(-1)?.results ?? []) as Leaving[];
  return move;
}

/** The tenant as the home has it: a document writes the home first. */
export async function readTenant(home: D1Database, tenantId: number): Promise<Tenant> {
  const [tenant] = await drizzle(home).select().from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) {
    throw new Error(`there is no tenant ${tenantId}`);
  }
  return tenant;
}

/** The rows of the municipality and of its move where it goes. Refused where it lives, and in a later stay. */
export function insertArriving(
  db: D1Database,
  row: Standing['row'],
  tenant: Tenant,
  route: Route,
): SQLWrapper[] {
  const orm = drizzle(db);
  const { id, code, tenantId } = row;
  const columns = arrivingColumns(row, route);
  return [
    // Where there is one, documents keep it as it is.
    orm.insert(tenants).values(tenant).onConflictDoNothing(),
    orm
      .insert(municipalities)
      .values({ id, code, tenantId, ...columns })
      .onConflictDoUpdate({
        target: municipalities.id,
        set: columns,
        // Where it lives, nothing arrives.
        setWhere: sql`${municipalities.movedTo} is not null and ${municipalities.stay} < ${route.stay}`,
      }),
    requireArriving(route),
    insertMove(db, route),
  ];
}

/**
 * Prepares for the municipality's copy where it goes, and takes the turn: whoever had it before stores nothing any more.
 * What has been begun already goes on.
 *
 * @returns how far the move has come. Null: the municipality has come, and has perhaps gone on, in the meantime; or the move
 *   is called off
 */
export async function beginArriving(
  db: D1Database,
  row: Standing['row'],
  tenant: Tenant,
  route: Route,
  turn: string,
): Promise<MoveProgress | null> {
  const results = await nullIfRefused(() =>
    batch(db, [
      ...insertArriving(db, row, tenant, route),
      drizzle(db)
        .update(moves)
        .set({ turn })
        .where(and(isOfMove(route), eq(moves.state, 'moving')))
        .returning({ progress: moves.progress }),
    ]),
  );
  // The column of the last statement, which drizzle would parse.
  const [move] = (results?.at(-1)?.results ?? []) as { progress: string }[];
  return move === undefined ? null : (JSON.parse(move.progress) as MoveProgress);
}

/**
 * Counts the stay in the old database again, where that was restored to before a stay that the new one knows of: else the
 * new one would take the move for one that is over.
 *
 * @returns whether that was so
 */
export async function repeatStay(from: D1Database, to: D1Database, route: Route): Promise<boolean> {
  const known = await readStanding(to, route.code);
  if (known === null || known.row.movedTo === null || known.row.stay < route.stay) {
    return false;
  }
  const counted = await drizzle(from)
    .update(municipalities)
    .set({ stay: known.row.stay })
    .where(and(eq(municipalities.id, route.id), livesHere(route)))
    .returning({ id: municipalities.id });
  return counted.length > 0;
}

/** Stores rows, and how far the move or the restore has come with them: both or neither. */
export async function storeRows(
  db: D1Database,
  id: number,
  turn: string,
  rows: readonly Rows[],
  reached: { readonly progress: MoveProgress } | { readonly restore: RestoreProgress },
): Promise<void> {
  await writeBatch(db, [
    prepareQuery(db, requireTurn(id, turn)),
    ...storing(db, id, rows),
    prepareQuery(db, drizzle(db).update(moves).set(reached).where(eq(moves.municipalityId, id))),
  ]);
}

/** Records, where the municipality has arrived, that the old copy is being cleaned up. */
export async function keepCleaning(db: D1Database, route: Route, copied: number): Promise<void> {
  const progress: MoveProgress = { ...AT_START, step: 'clean', copied };
  await drizzle(db).update(moves).set({ progress }).where(isOfMove(route));
}

/** Forgets the move in the old database, and then records in the new one that it is done. */
export async function endMove(from: D1Database, to: D1Database, route: Route): Promise<void> {
  await drizzle(from).delete(moves).where(isOfMove(route));
  await drizzle(to)
    .update(moves)
    .set({ state: 'done', endedAt: DATABASE_CLOCK })
    .where(and(isOfMove(route), eq(moves.state, 'moving')));
}
