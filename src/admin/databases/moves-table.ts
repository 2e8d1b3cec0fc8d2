import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { moves, municipalities, tenants } from '../../db/schema/index.ts';
import type { MoveProgress } from '../../db/schema/moves.ts';
import { DATABASE_CLOCK, undoWhere } from '../../db/writable.ts';
import type { Write } from './copy-table.ts';

/** How long writes are stopped at most, in milliseconds, unless the move goes on. */
const STOP_MS = 8_000;

/** A municipality's row in one database, and what that knows of its move. */
export interface Standing {
  readonly row: typeof municipalities.$inferSelect;
  readonly move: typeof moves.$inferSelect | null;
}

/** @returns null if the database has no row of it */
export async function readStanding(db: D1Database, code: string): Promise<Standing | null> {
  const [found] = await drizzle(db)
    .select({ row: municipalities, move: moves })
    .from(municipalities)
    .leftJoin(moves, eq(moves.municipalityId, municipalities.id))
    .where(eq(municipalities.code, code));
  return found ?? null;
}

export const AT_START: MoveProgress = {
  step: 'clear',
  subscription: '',
  sequence: 0,
  begunAt: 0,
  copied: 0,
};

/** A way from one database to another, by their names. */
export interface Way {
  readonly from: string;
  readonly to: string;
}

const valuesOf = (municipalityId: number, { from, to }: Way) => ({
  municipalityId,
  fromDatabase: from,
  toDatabase: to,
  progress: AT_START,
  isStale: false,
});

/** Says in the old database that the municipality is leaving. @returns where it goes: another move may be under way */
export async function beginLeaving(db: D1Database, municipalityId: number, way: Way): Promise<string> {
  const orm = drizzle(db);
  const [, [move]] = await orm.batch([
    orm.insert(moves).values(valuesOf(municipalityId, way)).onConflictDoNothing(),
    orm.select().from(moves).where(eq(moves.municipalityId, municipalityId)),
  ]);
  return move?.toDatabase ?? '';
}

/** Reads the row of the municipality and that of its tenant. */
export async function readTenant(db: D1Database, tenantId: number): Promise<typeof tenants.$inferSelect> {
  const [tenant] = await drizzle(db).select().from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) {
    throw new Error(`there is no tenant ${tenantId}`);
  }
  return tenant;
}

/** Makes ready for the municipality's copy where it goes. What has been begun already goes on. */
export async function beginArriving(
  db: D1Database,
  { row }: Standing,
  tenant: typeof tenants.$inferSelect,
  way: Way,
): Promise<void> {
  const orm = drizzle(db);
  const { id, ...columns } = arrivingRow(row, way.from);
  const move = valuesOf(id, way);
  await orm.batch([
    orm
      .insert(tenants)
      .values(tenant)
      .onConflictDoUpdate({ target: tenants.id, set: { name: tenant.name, active: tenant.active } }),
    orm
      .insert(municipalities)
      .values({ id, ...columns })
      // Where it lives, nothing arrives.
      .onConflictDoUpdate({
        target: municipalities.id,
        set: columns,
        setWhere: isNotNull(municipalities.movedTo),
      }),
    orm
      .insert(moves)
      .values(move)
      .onConflictDoUpdate({
        target: moves.municipalityId,
        set: move,
        setWhere: sql`${moves.fromDatabase} <> ${way.from} or ${moves.toDatabase} <> ${way.to}`,
      }),
  ]);
}

const arrivingRow = (row: Standing['row'], from: string) => ({
  ...row,
  movedTo: from,
  arriving: true,
  livedIn: [...new Set([...row.livedIn, from])],
  writesStoppedUntil: null,
});

/** Takes the turn: whoever had it before stores nothing any more. @returns how far the move has come */
export async function takeTurn(
  db: D1Database,
  municipalityId: number,
  turn: string,
): Promise<MoveProgress | null> {
  const [move] = await drizzle(db)
    .update(moves)
    .set({ turn })
    .where(eq(moves.municipalityId, municipalityId))
    .returning({ progress: moves.progress });
  return move?.progress ?? null;
}

const dialect = new SQLiteSyncDialect();

/** A copy that somebody else works on, or that has arrived, is not written. */
export const requireTurn = (municipalityId: number, turn: string) =>
  undoWhere(sql`${municipalities.id} = ${municipalityId} and not (${municipalities.arriving} and exists (
      select 1 from ${moves} where ${moves.municipalityId} = ${municipalityId} and ${moves.turn} = ${turn}))`);

/** Stores what a step has read, and how far the move has come with it: both or neither. */
export async function storeStep(
  db: D1Database,
  municipalityId: number,
  turn: string,
  { writes, progress }: { readonly writes: readonly Write[]; readonly progress: MoveProgress },
): Promise<void> {
  const { sql: guard, params } = dialect.sqlToQuery(requireTurn(municipalityId, turn));
  const keep = drizzle(db)
    .update(moves)
    .set({ progress })
    .where(eq(moves.municipalityId, municipalityId))
    .toSQL();
  await db.batch([
    db.prepare(guard).bind(...params),
    ...writes.map(({ text, rows }) => db.prepare(text).bind(municipalityId, rows)),
    db.prepare(keep.sql).bind(...keep.params),
  ]);
}

/** Repeats in the copy what the municipality's own row says of itself. */
export async function copyRow(db: D1Database, { row }: Standing, from: string): Promise<void> {
  const { id, ...columns } = arrivingRow(row, from);
  await drizzle(db)
    .update(municipalities)
    .set(columns)
    .where(and(eq(municipalities.id, id), eq(municipalities.arriving, true)));
}

const stopped = sql<number>`${DATABASE_CLOCK} + ${sql.raw(String(STOP_MS))}`;

/** Stops the writes where the municipality lives, for seconds. @returns false if it does not live there */
export async function stopWrites(db: D1Database, municipalityId: number): Promise<boolean> {
  const rows = await drizzle(db)
    .update(municipalities)
    .set({ writesStoppedUntil: stopped })
    .where(and(eq(municipalities.id, municipalityId), isNull(municipalities.movedTo)))
    .returning({ id: municipalities.id });
  return rows.length > 0;
}

export async function resumeWrites(db: D1Database, municipalityId: number): Promise<void> {
  await drizzle(db)
    .update(municipalities)
    .set({ writesStoppedUntil: null })
    .where(and(eq(municipalities.id, municipalityId), isNull(municipalities.movedTo)));
}

/**
 * Turns the old row into a pointer: from here on the municipality lives where its copy is. Only while the writes are
 * stopped, and nothing has been erased since the copy was begun.
 *
 * @returns whether it was done
 */
export async function pointOn(db: D1Database, municipalityId: number, { to }: Way): Promise<boolean> {
  const isStale = sql`exists (select 1 from ${moves} where ${moves.municipalityId} = ${municipalityId} and ${moves.isStale})`;
  const rows = await drizzle(db)
    .update(municipalities)
    .set({ movedTo: to, writesStoppedUntil: null })
    .where(
      and(
        eq(municipalities.id, municipalityId),
        isNull(municipalities.movedTo),
        sql`${municipalities.writesStoppedUntil} > ${DATABASE_CLOCK}`,
        sql`not ${isStale}`,
      ),
    )
    .returning({ id: municipalities.id });
  return rows.length > 0;
}

/** Where something has been erased meanwhile, the copy is to be begun anew. @returns whether that is so */
export async function takeStaleness(db: D1Database, municipalityId: number): Promise<boolean> {
  const rows = await drizzle(db)
    .update(moves)
    .set({ isStale: false })
    .where(and(eq(moves.municipalityId, municipalityId), eq(moves.isStale, true)))
    .returning({ id: moves.municipalityId });
  return rows.length > 0;
}

/** Lets the home's directory point to where the municipality now lives. */
export async function renewPointer(home: D1Database, municipalityId: number, { to }: Way): Promise<void> {
  await drizzle(home)
    .update(municipalities)
    .set({ movedTo: to })
    .where(
      and(
        eq(municipalities.id, municipalityId),
        isNotNull(municipalities.movedTo),
        eq(municipalities.arriving, false),
      ),
    );
}

export async function keepProgress(
  db: D1Database,
  municipalityId: number,
  progress: MoveProgress,
): Promise<void> {
  await drizzle(db).update(moves).set({ progress }).where(eq(moves.municipalityId, municipalityId));
}

export async function endMove(db: D1Database, municipalityId: number): Promise<void> {
  await drizzle(db).delete(moves).where(eq(moves.municipalityId, municipalityId));
}
