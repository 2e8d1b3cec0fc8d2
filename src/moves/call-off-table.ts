import { and, eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { moves, municipalities, type tenants } from '../db/schema/index.ts';
import { DATABASE_CLOCK, undoWhere } from '../db/writable.ts';
import { batch, isOfMove, livesHere, type Way } from './move-parts.ts';
import { insertArriving, type Standing } from './moves-table.ts';

const isStopped = sql`coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK}`;

/**
 * Begins to call a move off, where the municipality lives: unless its writes are stopped. From here on it is in the stay to
 * which the move was to lead, so that no statement of the move changes anything there, and the next move has another one.
 *
 * @returns whether the move is being called off, or has been
 */
export async function beginCallingOff(db: D1Database, municipalityId: number, way: Way): Promise<boolean> {
  const orm = drizzle(db);
  const mayEnd = sql`exists (select 1 from ${municipalities}
    where ${municipalities.id} = ${municipalityId} and ${livesHere(way)} and not ${isStopped})`;
  const results = await batch(db, [
    orm
      .update(moves)
      .set({ state: 'calling_off' })
      .where(and(isOfMove(municipalityId, way), eq(moves.state, 'moving'), mayEnd)),
    orm
      .update(municipalities)
      .set({ stay: way.stay })
      .where(and(eq(municipalities.id, municipalityId), livesHere(way), isCalledOff(municipalityId, way))),
    orm
      .select({ id: moves.municipalityId })
      .from(moves)
      .where(and(isOfMove(municipalityId, way), isCalledOff(municipalityId, way))),
  ]);
  return results.at(-1)?.results.length === 1;
}

const isCalledOff = (municipalityId: number, way: Way): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(municipalityId, way)}
    and ${moves.state} in ('calling_off', 'called_off'))`;

/** Takes the copy away from the call that works on it, so that it is no longer written. */
export async function stopArriving(
  db: D1Database,
  row: Standing['row'],
  tenant: typeof tenants.$inferSelect,
  way: Way,
): Promise<void> {
  await batch(db, [
    ...insertArriving(db, row, tenant, way),
    drizzle(db).update(moves).set({ state: 'calling_off', turn: null }).where(isOfMove(row.id, way)),
  ]);
}

/** Allows deleting the copy of a move that is called off, and nothing that lives there or arrives by a later move. */
export const requireCalledOff = (municipalityId: number, way: Way): SQL =>
  undoWhere(sql`${municipalities.id} = ${municipalityId} and not (${municipalities.arriving}
    and ${municipalities.stay} = ${way.stay} and ${isCalledOff(municipalityId, way)})`);

/** Once the copy is deleted, a row is left that points to where the municipality lives. */
export async function endArriving(db: D1Database, municipalityId: number, way: Way): Promise<void> {
  const orm = drizzle(db);
  await batch(db, [
    requireCalledOff(municipalityId, way),
    orm.update(municipalities).set({ arriving: false }).where(eq(municipalities.id, municipalityId)),
    orm.delete(moves).where(isOfMove(municipalityId, way)),
  ]);
}

/** Records, where the municipality lives, that its move has been called off. */
export async function endCallingOff(db: D1Database, municipalityId: number, way: Way): Promise<void> {
  await drizzle(db)
    .update(moves)
    .set({ state: 'called_off', endedAt: DATABASE_CLOCK })
    .where(and(isOfMove(municipalityId, way), eq(moves.state, 'calling_off')));
}
