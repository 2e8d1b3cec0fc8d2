import { and, eq, isNull, lt, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { HOUR_MS, MINUTE_MS } from '../../domain/instant.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { erasedPlates, moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress, RestoreProgress } from '../../storage/db/schema/moves.ts';
import { list, literal, prepareQuery, tableAs } from '../../storage/db/sql.ts';
import { keyOf, type StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { DATABASE_CLOCK, undoWhere, WAITING_MS, writeBatch } from '../../storage/db/writable.ts';
import { EVER, ofCity, type Rows, storing } from './part-table.ts';

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

/** The most that one statement deletes: some tens of milliseconds' work. */
const ROWS = 500;
/** With the lists that go with them. */
const LARGE_ROWS = 50;

const every = alias(erasedPlates, 'every');
const notTheNewest = sql`and ${erasedPlates.id} < (select max(${every.id}) from ${tableAs(erasedPlates, every)})`;

/** Deletes some rows of a municipality: where other rows go with them, only once those are gone, which are counted then. */
function deleteFrom(stored: StoredTable, id: number): SQL {
  const { table, stays, hasLargeRows } = stored;
  const key = list(keyOf(table));
  const { from, where } = ofCity(stored, sql`${id}`);
  const areGone = STORED_TABLES.filter(({ goesWith }) => goesWith?.table === table).map((other) => {
    const others = ofCity(other, sql`${id}`);
    return sql`and not exists (select 1 from ${others.from} where ${others.where})`;
  });
  return sql`delete from ${table} where (${key}) in (
    select ${key} from ${from} where ${where} ${stays === 'newest' ? notTheNewest : sql``} ${sql.join(areGone, sql` `)} limit ${hasLargeRows ? LARGE_ROWS : ROWS})`;
}

/** Each table before those that it refers to. */
const CLEANED = STORED_TABLES.filter(({ stays }) => stays !== 'all').toReversed();

/**
 * Deletes some of the rows of a municipality that does not live in this database. Its own row stays, as a pointer, and so do
 * the areas and the like: they are few.
 *
 * @param guard undoes the transaction where nothing may be deleted
 * @returns whether nothing is left
 */
export async function cleanUp(db: D1Database, municipalityId: number, guard: SQL): Promise<boolean> {
  const results = await batch(db, [guard, ...CLEANED.map((table) => deleteFrom(table, municipalityId))]);
  return results.every(({ meta }) => meta.changes === 0);
}

/** Cleans up until a call has done its part. @returns whether nothing is left */
export async function cleanUpUntil(
  endsAtMs: number,
  db: D1Database,
  id: number,
  guard: SQL,
): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS && performance.now() < endsAtMs; steps += 1) {
    if (await cleanUp(db, id, guard)) {
      return true;
    }
  }
  return false;
}
