import { and, eq, isNotNull, isNull, lt, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/instant.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { literal, prepareQuery } from '../../storage/db/sql.ts';
import { DATABASE_CLOCK, IS_STOPPED, undoWhere, WAITING_MS, writeBatch } from '../../storage/db/writable.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import { EVER, type Rows, storing } from './part-table.ts';

/** How long one call works, in milliseconds, before it answers how far it has come. */
export const PART_MS = 4_000;
/** A database that takes longer for one round trip is away. */
export const STEP_MS = 5 * SECOND_MS;
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

/** A call that works on a move. */
export interface Mover extends Route {
  readonly source: D1Database;
  readonly target: D1Database;
  /** Random: a call that has been overtaken stores nothing any more. */
  readonly turn: string;
}

/** A municipality's row in one database, and what that knows of its move. */
export interface Standing {
  readonly row: typeof municipalities.$inferSelect;
  readonly move: typeof moves.$inferSelect | null;
}

export type Tenant = typeof tenants.$inferSelect;

const isOf = (id: number): SQL => eq(municipalities.id, id);

/** The move's own row, and that of no other move. */
const isOfMove = ({ id, to, stay }: Route): SQL | undefined =>
  and(eq(moves.municipalityId, id), eq(moves.toDatabase, to), eq(moves.stay, stay));

/** Whether the municipality still lives in this database, in the stay that the move ends. */
const livesHere = ({ stay }: Route): SQL =>
  sql`(${municipalities.movedTo} is null and ${municipalities.stay} = ${stay - 1})`;

/** The condition that this call was the last to stop the writes. */
const isStoppedBy = (move: Mover): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(move)} and ${moves.turn} = ${move.turn})`;

const isCalledOff = (route: Route): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(route)}
    and ${moves.state} in ('calling_off', 'called_off'))`;

const undoUnless = (id: number, condition: SQL): SQL =>
  undoWhere(sql`${municipalities.id} = ${id} and not (${condition})`);

/** Undoes the transaction where the municipality is not arriving here by this move. */
const requireArriving = ({ id, stay }: Pick<Route, 'id' | 'stay'>, and = sql``): SQL =>
  undoUnless(id, sql`${municipalities.arriving} and ${municipalities.stay} = ${stay} ${and}`);

/** Undoes the transaction where another call works on the copy, or it has arrived. */
export const requireTurn = ({ id, turn }: Pick<Mover, 'id' | 'turn'>): SQL =>
  undoUnless(
    id,
    sql`${municipalities.arriving} and exists (
      select 1 from ${moves} where ${moves.municipalityId} = ${id} and ${moves.turn} = ${turn})`,
  );

/** Allows deleting what is left of the earlier stay, and nothing that lives there or is arriving again. */
export const requireLeft = ({ id, stay }: Route): SQL =>
  undoUnless(
    id,
    sql`${municipalities.movedTo} is not null and not ${municipalities.arriving} and ${municipalities.stay} = ${stay - 1}`,
  );

/** Allows deleting the copy of a move that is called off, and nothing that lives there or arrives by a later move. */
export const requireCalledOff = (route: Route): SQL => requireArriving(route, sql`and ${isCalledOff(route)}`);

/** Sends statements as one transaction: see `writeBatch`. */
export const send = (db: D1Database, queries: readonly SQLWrapper[]): Promise<D1Result[]> =>
  writeBatch(
    db,
    queries.map((query) => prepareQuery(db, query)),
  );

/** Sends statements as one transaction. @returns the row of the last one; null for none, or where a guard has undone them */
async function lastRow<Row>(db: D1Database, queries: readonly SQLWrapper[]): Promise<Row | null> {
  const results = await nullIfRefused(() => send(db, queries));
  return (results?.at(-1)?.results[0] ?? null) as Row | null;
}

const HAS_ROW = { id: municipalities.id };

/** For so long a move that is over is answered once more, in milliseconds. */
const ANSWERED_MS = HOUR_MS;

/** @returns null if the database has no row of it. A move that has been over for long does not count */
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
  ...{ step: 'clear', since: EVER, asOf: EVER, position: null },
  ...{ taken: 0, erasures: 0, copied: 0 },
};

/** The move's row where it has none yet. What an earlier move has left behind does not count. */
function insertMove(db: D1Database, route: Route, restore: RestoreProgress | null = null) {
  const { id, from, to, stay } = route;
  const set = {
    ...{ municipalityId: id, fromDatabase: from, toDatabase: to, stay, begunAt: DATABASE_CLOCK },
    ...{ progress: AT_START, turn: null, state: 'moving' as const, endedAt: null, erasures: 0, restore },
  };
  // Who calls a move off and begins another does not get further stops of the writes: `set` leaves them as they are.
  return drizzle(db)
    .insert(moves)
    .values({ ...set, stops: 0, stopsSince: 0 })
    .onConflictDoUpdate({ target: moves.municipalityId, set, setWhere: lt(moves.stay, stay) });
}

/** What is deleted by its age waits no longer for this move, or not until a call is over that begins now. */
const isWaitedForNoMore = sql`${moves.begunAt} <= ${DATABASE_CLOCK} - ${literal(WAITING_MS - MINUTE_MS)}`;

/**
 * Records in the old database that the municipality is leaving. The copy of a move that has taken too long to be waited for is
 * begun again: what has been deleted by its age may be in it.
 *
 * @returns where it goes, since another move may be under way, and how often something has been erased since it was begun; null
 *   where it does not live there any more
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

/** The columns of the municipality's own row, for the row where it arrives. Whether its tenant is active is known there. */
function arrivingColumns(row: Standing['row'], { from, to, stay }: Route) {
  const { id: _, code: __, tenantId: ___, tenantActive: ____, ...columns } = row;
  const livedIn = [...new Set([...row.livedIn, from])].filter((name) => name !== to);
  return { ...columns, movedTo: from, arriving: true, stay, livedIn, writesStoppedUntil: null };
}

/** The rows of the municipality and of its move where it goes. Refused where it lives, and in a later stay. */
export function insertArriving(
  db: D1Database,
  { id, ...columns }: typeof municipalities.$inferInsert,
  tenant: Tenant,
  route: Route,
  restore: RestoreProgress | null = null,
): SQLWrapper[] {
  const orm = drizzle(db);
  // Where it lives, nothing arrives.
  const setWhere = sql`${municipalities.movedTo} is not null and ${municipalities.stay} < ${route.stay}`;
  return [
    // Where there is one, documents keep it as it is.
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
 * Prepares for the municipality's copy where it goes, and takes it over: no other call stores anything in it from now on.
 *
 * @param turn of the call that works on it now; null where the move is called off
 * @returns how far the move has come. Null: the municipality has come, and has perhaps gone on, in the meantime; or the move
 *   is called off
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
      .set(turn === null ? { turn, state: 'calling_off' } : { turn })
      .where(and(isOfMove(route), turn === null ? undefined : eq(moves.state, 'moving')))
      .returning({ progress: moves.progress }),
  ]);
  // Drizzle would parse the column.
  return taken && (JSON.parse(taken.progress) as MoveProgress);
}

/**
 * Counts the stay in the old database again, where that was restored to before a stay that the new one knows of: else the
 * new one would take the move for one that is over.
 *
 * @returns whether that was so
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

/** Stores rows, and how far the move or the restore has come with them: both or neither. */
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

/** How long one stop of the writes lasts, in milliseconds, unless the move ends it. */
const STOP_MS = 8_000;
/** With the length of a stop, this keeps a municipality's writes stopped for less than 30 s, however often calls are cut off. */
const MAX_STOPS = 3;
/** The time in which the stops are counted, in milliseconds. */
const COUNTED_MS = 10 * MINUTE_MS;

const isCounted = sql`(${moves.stopsSince} > ${DATABASE_CLOCK} - ${literal(COUNTED_MS)})`;

/**
 * Stops the writes where the municipality lives, for seconds.
 *
 * @returns whether it does live there, and they have not been stopped too often lately
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

/** Repeats in the copy the municipality's own row, and outside the home its tenant's. */
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
 * Turns the old row into a pointer: from here on the municipality lives where its copy is. Only while the writes are
 * stopped by this call, nothing has been erased since the copy was begun, and all that was recorded is copied.
 *
 * @returns whether it was done
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
          // A document about its tenant is never stopped.
          sql`coalesce(${lastRecordedAt(sql`${move.id}`)}, 0) <= ${asOf}`,
        ),
      )
      .returning(HAS_ROW),
  ]);
  return pointed !== null;
}

/**
 * Stores the configuration as a version where the municipality now lives, if the newest differs: a document about its tenant
 * alone may have reached this database and not the old one.
 */
export async function storeVersion(
  db: D1Database,
  code: string,
  call: { readonly requestId: string; readonly now: Instant },
): Promise<void> {
  await writeBatch(db, versionStatements(db, { municipalities: [code], tenants: [] }, call));
}

/** Makes the home's directory point to where the municipality now lives, unless a later move has already changed it. */
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

/** Records, where the municipality has arrived, that the old copy is being cleaned up. */
export async function keepCleaning(db: D1Database, route: Route, copied: number): Promise<void> {
  const progress: MoveProgress = { ...AT_START, step: 'clean', copied };
  await drizzle(db).update(moves).set({ progress }).where(isOfMove(route));
}

/** Forgets the move in the old database, and then records in the new one that it is done. */
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
 * Begins to call a move off, where the municipality lives: unless its writes are stopped. From here on it is in the stay to
 * which the move was to lead, so that no statement of the move changes anything there, and the next move has another one.
 *
 * @returns whether the move is being called off, or has been
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
 * Once a copy is deleted, a row is left that points elsewhere.
 *
 * @param guard undoes the transaction where the copy is in use
 * @param pointer where to, if it is another place than that which the copy came from
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

/** Records, where the municipality lives, that its move has been called off. */
export const endCallingOff = (db: D1Database, route: Route): Promise<void> =>
  endAs(db, route, 'calling_off', 'called_off');
