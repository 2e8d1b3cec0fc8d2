import { and, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Instant } from '../../domain/instant.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { moves, municipalities, tenants } from '../../storage/db/schema/index.ts';
import type { MoveProgress } from '../../storage/db/schema/moves.ts';
import { literal } from '../../storage/db/sql.ts';
import { DATABASE_CLOCK, writeBatch } from '../../storage/db/writable.ts';
import { versionStatements } from '../../storage/history/configuration-versions-table.ts';
import {
  arrivingColumns,
  batch,
  isOfMove,
  livesHere,
  nullIfRefused,
  type Route,
  requireLivesHere,
  requireTurn,
} from './move-parts.ts';
import type { Standing, Tenant } from './moves-table.ts';

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
