import { and, eq, isNotNull, ne, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import {
  areas,
  erasuresForBackups,
  moves,
  municipalities,
  plans,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { FROM_BACKUP, type RestoreProgress } from '../../storage/db/schema/moves.ts';
import { columns, parameter, statement, tableByIndex } from '../../storage/db/sql.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { MUNICIPALITY } from '../../storage/db/travelling.ts';
import { DATABASE_CLOCK } from '../../storage/db/writable.ts';
import { batch, insertMove, type Route, requireArriving, requireTurn, type Tenant } from './moves-table.ts';

const AFTER = parameter(2);
const LIMIT = parameter(3);

/** The plates of each table, each by a seek in its index: a plate may have thousands of rows. */
const PLATES = STORED_TABLES.flatMap(({ table, owner, plate }) => {
  if (plate === undefined) {
    return [];
  }
  const { column, index } = plate;
  const next = (after: SQL) => sql`(select min(${column}) from ${tableByIndex(table, index)}
    where ${owner} = ${MUNICIPALITY} and ${column} > ${after})`;
  return [
    sql`select plate from (
    with recursive found(plate) as (
      select ${next(AFTER)} union all select ${next(sql`found.plate`)} from found where found.plate is not null limit ${LIMIT}
    ) select plate from found where plate is not null)`,
  ];
});

/** 2: the plate to continue after; 3: how many. The plates of all tables, in order. */
const PLATES_AFTER = statement(
  () => sql`select plate from (${sql.join(PLATES, sql` union `)}) order by plate limit ${LIMIT}`,
);

/** 1: a JSON list of tenants' codes; 2: an instant. What has been erased from them since. */
const ERASURES_SINCE = statement(
  () => sql`select ${columns({ digest: erasuresForBackups.digest, at: erasuresForBackups.at })}
from ${tableByIndex(erasuresForBackups, 'erasures_for_backups_by_tenant')}
where ${erasuresForBackups.tenant} in (select value from json_each(${parameter(1)})) and ${erasuresForBackups.at} >= ${parameter(2)}`,
);

/** A tenant of the home. @returns null for none */
export async function findTenant(home: D1Database, code: string): Promise<Tenant | null> {
  const [tenant] = await drizzle(home).select().from(tenants).where(eq(tenants.code, code));
  return tenant ?? null;
}

/** The code of the municipality that has a number in a database, if it is another one. */
export async function holderOfNumber(db: D1Database, id: number, code: string): Promise<string | null> {
  const [other] = await drizzle(db)
    .select({ code: municipalities.code })
    .from(municipalities)
    .where(and(eq(municipalities.id, id), ne(municipalities.code, code)));
  return other?.code ?? null;
}

const NOTHING_YET = {
  timeZone: 'UTC',
  active: false,
  plateCheckEnabled: false,
  subscriptionsEnabled: false,
  subscriptionOptionsEnabled: false,
  reportEnabled: false,
};

/**
 * Makes ready for a municipality that comes from a backup: from here on its row says that it is being copied from there. An
 * old copy is deleted before anything is stored; of its configuration, nothing counts but what the backup brings back.
 */
export async function beginRestore(
  db: D1Database,
  route: Route,
  tenant: Tenant,
  livedIn: readonly string[],
  restore: RestoreProgress,
): Promise<void> {
  const orm = drizzle(db);
  const { id, code, from, stay } = route;
  const arriving = { movedTo: from, arriving: true, stay, livedIn, writesStoppedUntil: null };
  await batch(db, [
    orm.insert(tenants).values(tenant).onConflictDoNothing(),
    orm
      .insert(municipalities)
      .values({ id, code, name: code, tenantId: tenant.id, ...NOTHING_YET, ...arriving })
      .onConflictDoUpdate({
        target: municipalities.id,
        set: { ...arriving, tenantId: tenant.id },
        setWhere: isNotNull(municipalities.movedTo),
      }),
    requireArriving(route),
    orm.delete(moves).where(eq(moves.municipalityId, id)),
    insertMove(db, route, restore),
    ...[areas, plans, sources].map((table) =>
      orm.update(table).set({ active: false }).where(eq(table.municipalityId, id)),
    ),
  ]);
}

/**
 * Takes the turn: whoever had it before stores nothing any more. Retention leaves the municipality alone for another day.
 *
 * @returns how far the restore has come; null where it is not under way any more
 */
export async function takeTurn(db: D1Database, id: number, turn: string): Promise<RestoreProgress | null> {
  const [row] = await drizzle(db)
    .update(moves)
    .set({ turn, begunAt: DATABASE_CLOCK })
    .where(and(eq(moves.municipalityId, id), eq(moves.state, 'moving'), isNotNull(moves.restore)))
    .returning({ restore: moves.restore });
  return row?.restore ?? null;
}

/** Which of some numbers of areas or sources other municipalities have in a database. */
export async function takenNumbers(
  db: D1Database,
  table: typeof areas | typeof sources,
  id: number,
  numbers: readonly number[],
): Promise<number[]> {
  const rows = await drizzle(db)
    .select({ id: table.id })
    .from(table)
    .where(
      and(
        sql`${table.id} in (select value from json_each(${JSON.stringify(numbers)}))`,
        ne(table.municipalityId, id),
      ),
    );
  return rows.map((row) => row.id);
}

/** The numbers of a municipality's areas or sources in a database, by their codes. */
export async function readOwnNumbers(
  db: D1Database,
  table: typeof areas | typeof sources,
  id: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await drizzle(db)
    .select({ id: table.id, code: table.code })
    .from(table)
    .where(eq(table.municipalityId, id));
  return new Map(rows.map((row) => [row.code, row.id]));
}

/** The plates that are anywhere in a municipality, after a given one, in order. */
export async function readPlatesAfter(
  db: D1Database,
  id: number,
  plate: string,
  max: number,
): Promise<string[]> {
  const { results } = await db.prepare(PLATES_AFTER()).bind(id, plate, max).all<{ plate: string }>();
  return results.map((row) => row.plate);
}

/** What has been erased from tenants since an instant: digests, and what shows whether there are more. */
export async function readErasuresSince(
  home: D1Database,
  tenantCodes: readonly string[],
  since: number,
): Promise<{ readonly digests: ReadonlySet<string>; readonly mark: string }> {
  const { results } = await home
    .prepare(ERASURES_SINCE())
    .bind(JSON.stringify(tenantCodes), since)
    .all<{ digest: string; at: number }>();
  const last = results.reduce((latest, { at }) => Math.max(latest, at), 0);
  return { digests: new Set(results.map(({ digest }) => digest)), mark: `${results.length} ${last}` };
}

/** Lets another database's row point to where the municipality is restored, unless it lives there. The home gets one. */
export async function pointTo(
  db: D1Database,
  { tenantActive: _, id, code, ...row }: typeof municipalities.$inferSelect,
  { to, stay }: Route,
  isHome: boolean,
): Promise<void> {
  const orm = drizzle(db);
  const pointer = { movedTo: to, arriving: false, stay: stay - 1, writesStoppedUntil: null };
  const points = isNotNull(municipalities.movedTo);
  await (isHome
    ? orm
        .insert(municipalities)
        .values({ id, code, ...row, ...pointer })
        .onConflictDoUpdate({ target: municipalities.id, set: { ...row, ...pointer }, setWhere: points })
    : orm
        .update(municipalities)
        .set(pointer)
        .where(and(eq(municipalities.id, id), points)));
}

/** What is left of a restore that is done: enough to answer its last part once more. */
const REST = { after: null, part: null, numbers: { areas: {}, sources: {} }, erasing: null, before: null };

/** Makes the municipality live where it was restored: the one instant from which it can be read. */
export async function completeRestore(
  db: D1Database,
  id: number,
  turn: string,
  restore: RestoreProgress,
): Promise<void> {
  const orm = drizzle(db);
  await batch(db, [
    requireTurn(id, turn),
    orm.update(municipalities).set({ movedTo: null, arriving: false }).where(eq(municipalities.id, id)),
    orm
      .update(moves)
      .set({ state: 'done', endedAt: DATABASE_CLOCK, restore: { ...restore, ...REST } })
      .where(eq(moves.municipalityId, id)),
  ]);
}

/** Once what was stored is deleted: the row points again to where it pointed before. */
export async function endDiscarding(
  db: D1Database,
  id: number,
  turn: string,
  before: RestoreProgress['before'],
): Promise<void> {
  const orm = drizzle(db);
  const { movedTo, stay } = before ?? { movedTo: FROM_BACKUP, stay: 0 };
  await batch(db, [
    requireTurn(id, turn),
    orm.update(municipalities).set({ movedTo, stay, arriving: false }).where(eq(municipalities.id, id)),
    orm.delete(moves).where(eq(moves.municipalityId, id)),
  ]);
}
