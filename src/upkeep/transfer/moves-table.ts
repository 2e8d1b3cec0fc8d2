import { and, eq, isNotNull, isNull, lt, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/instant.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { literal, prepareQuery } from '../../storage/db/sql.ts';
import {
  DATABASE_CLOCK,
  IS_STOPPED,
  nullIfRefused,
  undoWhere,
  WAITING_MS,
  writeBatch,
} from '../../storage/db/writable.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import { EVER, type Rows, storing } from './part-table.ts';

/** How long one call works, in milliseconds, before it answers with its progress. */
export const PART_MS = 4_000;
/** A database that takes longer for one round trip is away. */
export const STEP_MS = 5 * SECOND_MS;
/** The most statements of one call that copies, without the switch. */
export const MAX_STATEMENTS = 400;

/** A municipality's move from one named database to another. */
export interface Route {
  /** The municipality's. */
  readonly id: number;
  readonly code: string;
  readonly from: string;
  readonly to: string;
  /** The stay that the move leads to. A late statement of an earlier move then finds another stay, and changes nothing. */
  readonly stay: number;
}

/** A call that works on a move. */
export interface Mover extends Route {
  readonly source: D1Database;
  readonly target: D1Database;
  /** Random. Once another call takes over, this one can no longer write. */
  readonly turn: string;
}

/** A municipality's row in one database, with the move recorded there. */
export interface Standing {
  readonly row: typeof municipalities.$inferSelect;
  readonly move: typeof moves.$inferSelect | null;
}

export type Tenant = typeof tenants.$inferSelect;

const isOf = (id: number): SQL => eq(municipalities.id, id);

/** Selects this move's row, and no other move's. */
const isOfMove = ({ id, to, stay }: Route): SQL | undefined =>
  and(eq(moves.municipalityId, id), eq(moves.toDatabase, to), eq(moves.stay, stay));

/** Holds if the municipality still lives in this database, in the stay that the move ends. */
const livesHere = ({ stay }: Route): SQL =>
  sql`(${municipalities.movedTo} is null and ${municipalities.stay} = ${stay - 1})`;

/** Holds if this call was the last to stop writes. */
const isStoppedBy = (move: Mover): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(move)} and ${moves.turn} = ${move.turn})`;

const isCalledOff = (route: Route): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(route)}
    and ${moves.state} in ('calling_off', 'called_off'))`;

const undoUnless = (id: number, condition: SQL): SQL =>
  undoWhere(sql`${municipalities.id} = ${id} and not (${condition})`);

/** Undoes the transaction unless the municipality is arriving here by this move. */
const requireArriving = ({ id, stay }: Pick<Route, 'id' | 'stay'>, and = sql``): SQL =>
  undoUnless(id, sql`${municipalities.arriving} and ${municipalities.stay} = ${stay} ${and}`);

/** Undoes the transaction if another call works on the copy, or the copy has arrived. */
export const requireTurn = ({ id, turn }: Pick<Mover, 'id' | 'turn'>): SQL =>
  undoUnless(
    id,
    sql`${municipalities.arriving} and exists (
      select 1 from ${moves} where ${moves.municipalityId} = ${id} and ${moves.turn} = ${turn})`,
  );

/** Allows deleting the rows left from the earlier stay, unless the municipality lives there or is arriving again. */
export const requireLeft = ({ id, stay }: Route): SQL =>
  undoUnless(
    id,
    sql`${municipalities.movedTo} is not null and not ${municipalities.arriving} and ${municipalities.stay} = ${stay - 1}`,
  );

/** Allows deleting the copy of a move that is being called off, but no copy that is in use or arrives by a later move. */
export const requireCalledOff = (route: Route): SQL => requireArriving(route, sql`and ${isCalledOff(route)}`);

/** Sends statements as one transaction: see `writeBatch`. */
export const send = (db: D1Database, queries: readonly SQLWrapper[]): Promise<D1Result[]> =>
  writeBatch(
    db,
    queries.map((query) => prepareQuery(db, query)),
  );

/** Sends statements as one transaction. @returns the last one's row; null if it has no row, or a guard has undone them */
async function lastRow<Row>(db: D1Database, queries: readonly SQLWrapper[]): Promise<Row | null> {
  const results = await nullIfRefused(() => send(db, queries));
  return (results?.at(-1)?.results[0] ?? null) as Row | null;
}

const HAS_ROW = { id: municipalities.id };

/** How long a finished move can still be asked for, in milliseconds. */
const ANSWERED_MS = HOUR_MS;

/** @returns null if the database has no row of the municipality. Ignores a move that finished long ago */
export async function readStanding(db: D1Database, code: string): Promise<Standing | null> {
  const isKnown = or(
    isNull(moves.endedAt),
    sql`${moves.endedAt} > ${DATABASE_CLOCK} - ${literal(ANSWERED_MS)}`,
  );
  const [found] = await drizzle(db)
    .select({ row: municipalities, move: moves })
    .from(municipalities)
    .leftJoin(moves, and(eq(moves.municipalityId, municipalities.id), isKnown))
    .where(eq(municipalities.code, code));
  return found ?? null;
}

/** A tenant of the home, by its number or its code. */
export async function findTenant(home: D1Database, named: number | string): Promise<Tenant | null> {
  const column = typeof named === 'number' ? tenants.id : tenants.code;
  const [tenant] = await drizzle(home).select().from(tenants).where(eq(column, named));
  return tenant ?? null;
}

export const AT_START: MoveProgress = {
  ...{ step: 'clear', since: EVER, asOf: EVER, mark: '', position: null },
  ...{ taken: 0, erasures: 0, copied: 0 },
};

/** Inserts the move's row if it has none. Replaces the row of an earlier move. */
function insertMove(db: D1Database, route: Route, restore: RestoreProgress | null = null) {
  const { id, from, to, stay } = route;
  const set = {
    ...{ municipalityId: id, fromDatabase: from, toDatabase: to, stay, begunAt: DATABASE_CLOCK },
    ...{ progress: AT_START, turn: null, state: 'moving' as const, endedAt: null, erasures: 0, restore },
  };
  // `set` keeps the stops of writes: calling a move off and starting another must not allow further stops.
  return drizzle(db)
    .insert(moves)
    .values({ ...set, stops: 0, stopsSince: 0 })
    .onConflictDoUpdate({ target: moves.municipalityId, set, setWhere: lt(moves.stay, stay) });
}

/** Retention no longer waits for this move, or will stop waiting during this call. */
const isWaitedForNoMore = sql`${moves.begunAt} <= ${DATABASE_CLOCK} - ${literal(WAITING_MS - MINUTE_MS)}`;

/**
 * Records in the old database that the municipality is leaving. If retention no longer waits for the move, its copy is started
 * again: it may hold rows that retention has deleted.
 *
 * @returns the target, since another move may be under way, and the number of erasures since the move began; null if the
 *   municipality no longer lives there
 */
export function beginLeaving(
  move: Mover,
): Promise<{ readonly to: string; readonly erasures: number } | null> {
  const orm = drizzle(move.source);
  return lastRow(move.source, [
    undoUnless(move.id, livesHere(move)),
    insertMove(move.source, move),
    orm
      .update(moves)
      .set({ begunAt: DATABASE_CLOCK, erasures: sql`${moves.erasures} + 1` })
      .where(and(isOfMove(move), isWaitedForNoMore)),
    orm
      .select({ to: sql`${moves.toDatabase}`.as('to'), erasures: moves.erasures })
      .from(moves)
      .where(eq(moves.municipalityId, move.id)),
  ]);
}

/** The columns of the municipality's row, for the new database, which knows whether the tenant is active. */
function arrivingColumns(row: Standing['row'], { from, to, stay }: Route) {
  const { id: _, code: __, tenantId: ___, tenantActive: ____, ...columns } = row;
  const livedIn = [...new Set([...row.livedIn, from])].filter((name) => name !== to);
  return { ...columns, movedTo: from, arriving: true, stay, livedIn, writesStoppedUntil: null };
}

/** Inserts the rows of the municipality and of its move in the target. Has no effect if it lives there, or in a later stay. */
export function insertArriving(
  db: D1Database,
  { id, ...columns }: typeof municipalities.$inferInsert,
  tenant: Tenant,
  route: Route,
  restore: RestoreProgress | null = null,
): SQLWrapper[] {
  const orm = drizzle(db);
  const setWhere = sql`${municipalities.movedTo} is not null and ${municipalities.stay} < ${route.stay}`;
  return [
    // Documents keep an existing row up to date.
    orm.insert(tenants).values(tenant).onConflictDoNothing(),
    orm
      .insert(municipalities)
      .values({ id, ...columns })
      .onConflictDoUpdate({ target: municipalities.id, set: columns, setWhere }),
    requireArriving(route),
    insertMove(db, route, restore),
  ];
}

/**
 * Prepares the target for the municipality's copy, and takes it over: other calls can no longer write to it. Retention waits for
 * the copy for another day.
 *
 * @param turn this call's turn; null while the move is being called off
 * @returns the move's progress. Null: the municipality has arrived meanwhile, and may have moved on; or the move is being
 *   called off
 */
export async function takeCopy(
  db: D1Database,
  row: Standing['row'],
  tenant: Tenant,
  route: Route,
  turn: string | null,
): Promise<MoveProgress | null> {
  const { id, code, tenantId } = row;
  const taken = await lastRow<{ progress: string }>(db, [
    ...insertArriving(db, { id, code, tenantId, ...arrivingColumns(row, route) }, tenant, route),
    drizzle(db)
      .update(moves)
      .set(turn === null ? { turn, state: 'calling_off' } : { turn, begunAt: DATABASE_CLOCK })
      .where(and(isOfMove(route), turn === null ? undefined : eq(moves.state, 'moving')))
      .returning({ progress: moves.progress }),
  ]);
  // Drizzle would parse the column.
  return taken && (JSON.parse(taken.progress) as MoveProgress);
}

/**
 * Raises the stay in the old database, if that was put back to before a stay that the new one knows: otherwise the new one
 * would take the move for a finished one.
 *
 * @returns whether the stay was raised
 */
export async function repeatStay(move: Mover): Promise<boolean> {
  const known = await readStanding(move.target, move.code);
  if (known === null || known.row.movedTo === null || known.row.stay < move.stay) {
    return false;
  }
  const counted = await drizzle(move.source)
    .update(municipalities)
    .set({ stay: known.row.stay })
    .where(and(isOf(move.id), livesHere(move)))
    .returning(HAS_ROW);
  return counted.length > 0;
}

/** Stores rows with the progress of the move or the restore, in one transaction. */
export async function storeRows(
  db: D1Database,
  worker: Pick<Mover, 'id' | 'turn'>,
  rows: readonly Rows[],
  reached: { readonly progress: MoveProgress } | { readonly restore: RestoreProgress },
): Promise<void> {
  await writeBatch(db, [
    prepareQuery(db, requireTurn(worker)),
    ...storing(db, worker.id, rows),
    prepareQuery(db, drizzle(db).update(moves).set(reached).where(eq(moves.municipalityId, worker.id))),
  ]);
}

/** How long one stop of writes lasts, in milliseconds, unless the move ends it. */
const STOP_MS = 8_000;
/** With {@link STOP_MS}, limits the time without writes to 30 s, however often calls are cut off. */
const MAX_STOPS = 3;
/** The time in which stops are counted, in milliseconds. */
const COUNTED_MS = 10 * MINUTE_MS;

const isCounted = sql`(${moves.stopsSince} > ${DATABASE_CLOCK} - ${literal(COUNTED_MS)})`;

/**
 * Stops writes to the municipality for seconds.
 *
 * @returns false if it no longer lives there, or writes were stopped too often lately
 */
export async function stopWrites(move: Mover): Promise<boolean> {
  const orm = drizzle(move.source);
  const stopped = await lastRow(move.source, [
    undoUnless(move.id, livesHere(move)),
    orm
      .update(moves)
      .set({
        turn: move.turn,
        stops: sql`iif(${isCounted}, ${moves.stops} + 1, 1)`,
        stopsSince: DATABASE_CLOCK,
      })
      .where(and(isOfMove(move), sql`not (${isCounted} and ${moves.stops} >= ${literal(MAX_STOPS)})`)),
    orm
      .update(municipalities)
      .set({ writesStoppedUntil: sql`${DATABASE_CLOCK} + ${literal(STOP_MS)}` })
      .where(and(isOf(move.id), isStoppedBy(move)))
      .returning(HAS_ROW),
  ]);
  return stopped !== null;
}

export async function resumeWrites(move: Mover): Promise<void> {
  await drizzle(move.source)
    .update(municipalities)
    .set({ writesStoppedUntil: null })
    .where(and(isOf(move.id), livesHere(move), isStoppedBy(move)));
}

/** Copies the municipality's own row, and outside the home its tenant's. */
export async function copyRow(move: Mover, row: Standing['row'], tenant: Tenant | null): Promise<void> {
  const orm = drizzle(move.target);
  const { name, active, dailyChanges, id: tenantId = 0 } = tenant ?? {};
  await send(move.target, [
    requireTurn(move),
    ...(tenant === null
      ? []
      : [orm.update(tenants).set({ name, active, dailyChanges }).where(eq(tenants.id, tenantId))]),
    orm.update(municipalities).set(arrivingColumns(row, move)).where(isOf(row.id)),
  ]);
}

/**
 * Turns the old row into a pointer: from now on the municipality lives in its copy. Requires that this call has stopped
 * writes, nothing was erased since the copy began, and all changes are copied.
 *
 * @returns whether the row is now a pointer
 */
export async function pointOn(move: Mover, { erasures, asOf }: MoveProgress): Promise<boolean> {
  const pointed = await lastRow(move.source, [
    drizzle(move.source)
      .update(municipalities)
      .set({ movedTo: move.to, writesStoppedUntil: null })
      .where(
        and(
          isOf(move.id),
          livesHere(move),
          sql`${municipalities.writesStoppedUntil} > ${DATABASE_CLOCK}`,
          isStoppedBy(move),
          sql`(select ${moves.erasures} from ${moves} where ${isOfMove(move)}) = ${erasures}`,
          // Writes of its tenant's documents are never stopped.
          sql`coalesce(${lastRecordedAt(sql`${move.id}`)}, 0) <= ${asOf}`,
        ),
      )
      .returning(HAS_ROW),
  ]);
  return pointed !== null;
}

/**
 * Stores the configuration as a version in the new database, if the newest version differs: a document about the tenant alone
 * may have reached this database and not the old one.
 */
export async function storeVersion(
  db: D1Database,
  code: string,
  call: { readonly requestId: string; readonly now: Instant },
): Promise<void> {
  await writeBatch(db, versionStatements(db, { municipalities: [code], tenants: [] }, call));
}

/** Points the home's directory to the new database, unless a later move has already changed it. */
export async function renewPointer(home: D1Database, { id, to, stay }: Route): Promise<void> {
  await drizzle(home)
    .update(municipalities)
    .set({ movedTo: to, stay: stay - 1 })
    .where(
      and(
        isOf(id),
        isNotNull(municipalities.movedTo),
        eq(municipalities.arriving, false),
        lt(municipalities.stay, stay),
      ),
    );
}

/** Records in the new database that the old copy is being deleted. */
export async function keepCleaning(db: D1Database, route: Route, copied: number): Promise<void> {
  const progress: MoveProgress = { ...AT_START, step: 'clean', copied };
  await drizzle(db).update(moves).set({ progress }).where(isOfMove(route));
}

/** Deletes the move's row in the old database, then marks the move as done in the new one. */
export async function endMove(from: D1Database, to: D1Database, route: Route): Promise<void> {
  await drizzle(from).delete(moves).where(isOfMove(route));
  await endAs(to, route, 'moving', 'done');
}

const endAs = async (
  db: D1Database,
  route: Route,
  from: 'moving' | 'calling_off',
  state: 'done' | 'called_off',
) => {
  await drizzle(db)
    .update(moves)
    .set({ state, endedAt: DATABASE_CLOCK })
    .where(and(isOfMove(route), eq(moves.state, from)));
};

/**
 * Begins to call a move off in the database where the municipality lives, unless writes are stopped. Raises its stay to the
 * one that the move would have led to, so that late statements of the move change nothing, and the next move gets another.
 *
 * @returns whether the move is being called off, or was
 */
export async function beginCallingOff(db: D1Database, route: Route): Promise<boolean> {
  const orm = drizzle(db);
  const mayEnd = sql`exists (select 1 from ${municipalities}
    where ${isOf(route.id)} and ${livesHere(route)} and not ${IS_STOPPED})`;
  const calledOff = await lastRow(db, [
    orm
      .update(moves)
      .set({ state: 'calling_off' })
      .where(and(isOfMove(route), eq(moves.state, 'moving'), mayEnd)),
    orm
      .update(municipalities)
      .set({ stay: route.stay })
      .where(and(isOf(route.id), livesHere(route), isCalledOff(route))),
    orm
      .select({ id: moves.municipalityId })
      .from(moves)
      .where(and(isOfMove(route), isCalledOff(route))),
  ]);
  return calledOff !== null;
}

/**
 * Turns the row of a deleted copy into a pointer.
 *
 * @param guard undoes the transaction if the copy is in use
 * @param pointer the database to point to, if not the one that the copy came from
 */
export async function endArriving(
  db: D1Database,
  id: number,
  guard: SQL,
  pointer?: Pick<Standing['row'], 'movedTo' | 'stay'>,
): Promise<void> {
  const orm = drizzle(db);
  await send(db, [
    guard,
    orm
      .update(municipalities)
      .set({ arriving: false, ...pointer })
      .where(isOf(id)),
    orm.delete(moves).where(eq(moves.municipalityId, id)),
  ]);
}

/** Records where the municipality lives that its move was called off. */
export const endCallingOff = (db: D1Database, route: Route): Promise<void> =>
  endAs(db, route, 'calling_off', 'called_off');
