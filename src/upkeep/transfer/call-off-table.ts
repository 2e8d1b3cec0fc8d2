import { and, eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { moves, municipalities } from '../../storage/db/schema/index.ts';
import { DATABASE_CLOCK } from '../../storage/db/writable.ts';
import { batch, isOfMove, livesHere, type Route, requireArriving } from './move-parts.ts';
import { insertArriving, type Standing, type Tenant } from './moves-table.ts';

const isStopped = sql`coalesce(${municipalities.writesStoppedUntil}, 0) > ${DATABASE_CLOCK}`;

/**
 * Begins to call a move off, where the municipality lives: unless its writes are stopped. From here on it is in the stay to
 * which the move was to lead, so that no statement of the move changes anything there, and the next move has another one.
 *
 * @returns whether the move is being called off, or has been
 */
export async function beginCallingOff(db: D1Database, route: Route): Promise<boolean> {
  const orm = drizzle(db);
  const mayEnd = sql`exists (select 1 from ${municipalities}
    where ${municipalities.id} = ${route.id} and ${livesHere(route)} and not ${isStopped})`;
  const results = await batch(db, [
    orm
      .update(moves)
      .set({ state: 'calling_off' })
      .where(and(isOfMove(route), eq(moves.state, 'moving'), mayEnd)),
    orm
      .update(municipalities)
      .set({ stay: route.stay })
      .where(and(eq(municipalities.id, route.id), livesHere(route), isCalledOff(route))),
    orm
      .select({ id: moves.municipalityId })
      .from(moves)
      .where(and(isOfMove(route), isCalledOff(route))),
  ]);
  return results.at(-1)?.results.length === 1;
}

const isCalledOff = (route: Route): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(route)}
    and ${moves.state} in ('calling_off', 'called_off'))`;

/** Takes the copy away from the call that works on it, so that it is no longer written. */
export async function stopArriving(
  db: D1Database,
  row: Standing['row'],
  tenant: Tenant,
  route: Route,
): Promise<void> {
  await batch(db, [
    ...insertArriving(db, row, tenant, route),
    drizzle(db).update(moves).set({ state: 'calling_off', turn: null }).where(isOfMove(route)),
  ]);
}

/** Allows deleting the copy of a move that is called off, and nothing that lives there or arrives by a later move. */
export const requireCalledOff = (route: Route): SQL => requireArriving(route, sql`and ${isCalledOff(route)}`);

/** Once the copy is deleted, a row is left that points to where the municipality lives. */
export async function endArriving(db: D1Database, route: Route): Promise<void> {
  const orm = drizzle(db);
  await batch(db, [
    requireCalledOff(route),
    orm.update(municipalities).set({ arriving: false }).where(eq(municipalities.id, route.id)),
    orm.delete(moves).where(isOfMove(route)),
  ]);
}

/** Records, where the municipality lives, that its move has been called off. */
export async function endCallingOff(db: D1Database, route: Route): Promise<void> {
  await drizzle(db)
    .update(moves)
    .set({ state: 'called_off', endedAt: DATABASE_CLOCK })
    .where(and(isOfMove(route), eq(moves.state, 'calling_off')));
}
