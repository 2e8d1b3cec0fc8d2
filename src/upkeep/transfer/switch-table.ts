import { and, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Instant } from '../../domain/instant.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { literal } from '../../storage/db/sql.ts';
import { DATABASE_CLOCK, IS_STOPPED, writeBatch } from '../../storage/db/writable.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import {
  arrivingColumns,
  batch,
  insertArriving,
  isOfMove,
  livesHere,
  type Route,
  requireArriving,
  requireLivesHere,
  requireTurn,
  type Standing,
  type Tenant,
} from './moves-table.ts';

/** How long one stop of the writes lasts, in milliseconds, unless the move ends it. */
const STOP_MS = 8_000;
/** With the length of a stop, this keeps a municipality's writes stopped for less than 30 s, however often calls are cut off. */
const MAX_STOPS = 3;
/** The time in which the stops are counted, in milliseconds. */
const COUNTED_MS = 10 * 60_000;

const isCounted = sql`(${moves.stopsSince} > ${DATABASE_CLOCK} - ${literal(COUNTED_MS)})`;

/** The condition that this call was the last to stop the writes. */
const isStoppedBy = (route: Route, turn: string): SQL =>
  sql`exists (select 1 from ${moves} where ${isOfMove(route)} and ${moves.turn} = ${turn})`;

/**
 * Stops the writes where the municipality lives, for seconds.
 *
 * @returns `wait`: they have been stopped too often lately. `gone`: it does not live there
 */
export async function stopWrites(
  db: D1Database,
  route: Route,
  turn: string,
): Promise<'stopped' | 'wait' | 'gone'> {
  const orm = drizzle(db);
  const results = await nullIfRefused(() =>
    batch(db, [
      requireLivesHere(route),
      orm
        .update(moves)
        .set({
          turn,
          stops: sql`iif(${isCounted}, ${moves.stops} + 1, 1)`,
          stopsSince: DATABASE_CLOCK,
        })
        .where(and(isOfMove(route), sql`not (${isCounted} and ${moves.stops} >= ${literal(MAX_STOPS)})`)),
      orm
        .update(municipalities)
        .set({ writesStoppedUntil: sql`${DATABASE_CLOCK} + ${literal(STOP_MS)}` })
        .where(and(eq(municipalities.id, route.id), isStoppedBy(route, turn)))
        .returning({ id: municipalities.id }),
    ]),
  );
  if (results === null) {
    return 'gone';
  }
  return results.at(-1)?.results.length === 0 ? 'wait' : 'stopped';
}

export async function resumeWrites(db: D1Database, route: Route, turn: string): Promise<void> {
  await drizzle(db)
    .update(municipalities)
    .set({ writesStoppedUntil: null })
    .where(and(eq(municipalities.id, route.id), livesHere(route), isStoppedBy(route, turn)));
}

/** Repeats in the copy the municipality's own row, and outside the home its tenant's. */
export async function copyRow(
  db: D1Database,
  { row }: Standing,
  tenant: Tenant | null,
  route: Route,
  turn: string,
): Promise<void> {
  const orm = drizzle(db);
  await batch(db, [
    requireTurn(row.id, turn),
    ...(tenant === null
      ? []
      : [
          orm
            .update(tenants)
            .set({ name: tenant.name, active: tenant.active, dailyChanges: tenant.dailyChanges })
            .where(eq(tenants.id, tenant.id)),
        ]),
    orm.update(municipalities).set(arrivingColumns(row, route)).where(eq(municipalities.id, row.id)),
  ]);
}

/** Whether something of the municipality was recorded behind what is copied: a document about its tenant is never stopped. */
const hasGoneOn = (id: number, asOf: number): SQL =>
  sql`coalesce(${lastRecordedAt(sql`${id}`)}, 0) > ${asOf}`;

/**
 * Turns the old row into a pointer: from here on the municipality lives where its copy is. Only while the writes are
 * stopped by this call, nothing has been erased since the copy was begun, and all that was recorded is copied.
 *
 * @param copied how often something had been erased when the copy was begun, and the instant as of which it is made
 * @returns whether it was done
 */
export async function pointOn(
  db: D1Database,
  route: Route,
  turn: string,
  { erasures, asOf }: Pick<MoveProgress, 'erasures' | 'asOf'>,
): Promise<boolean> {
  const [pointed] = await batch(db, [
    drizzle(db)
      .update(municipalities)
      .set({ movedTo: route.to, writesStoppedUntil: null })
      .where(
        and(
          eq(municipalities.id, route.id),
          livesHere(route),
          sql`${municipalities.writesStoppedUntil} > ${DATABASE_CLOCK}`,
          isStoppedBy(route, turn),
          sql`(select ${moves.erasures} from ${moves} where ${isOfMove(route)}) = ${erasures}`,
          sql`not ${hasGoneOn(route.id, asOf)}`,
        ),
      )
      .returning({ id: municipalities.id }),
  ]);
  return (pointed?.results.length ?? 0) > 0;
}

/** How often something has been erased in the old database since the move was begun. */
export async function countErasures(db: D1Database, route: Route): Promise<number> {
  const [move] = await drizzle(db).select({ erasures: moves.erasures }).from(moves).where(isOfMove(route));
  return move?.erasures ?? 0;
}

/**
 * Stores the configuration as a version where the municipality now lives, if the newest differs: a document about its tenant
 * alone may have reached this database and not the old one.
 */
export async function storeVersion(
  db: D1Database,
  code: string,
  { requestId, now }: { readonly requestId: string; readonly now: Instant },
): Promise<void> {
  await writeBatch(db, versionStatements(db, { municipalities: [code], tenants: [] }, { requestId, now }));
}

/** Makes the home's directory point to where the municipality now lives, unless a later move has already changed it. */
export async function renewPointer(home: D1Database, route: Route): Promise<void> {
  await drizzle(home)
    .update(municipalities)
    .set({ movedTo: route.to, stay: route.stay - 1 })
    .where(
      and(
        eq(municipalities.id, route.id),
        isNotNull(municipalities.movedTo),
        eq(municipalities.arriving, false),
        lt(municipalities.stay, route.stay),
      ),
    );
}

/**
 * Begins to call a move off, where the municipality lives: unless its writes are stopped. From here on it is in the stay to
 * which the move was to lead, so that no statement of the move changes anything there, and the next move has another one.
 *
 * @returns whether the move is being called off, or has been
 */
export async function beginCallingOff(db: D1Database, route: Route): Promise<boolean> {
  const orm = drizzle(db);
  const mayEnd = sql`exists (select 1 from ${municipalities}
    where ${municipalities.id} = ${route.id} and ${livesHere(route)} and not ${IS_STOPPED})`;
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
