import { and, eq, isNotNull, ne, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import {
  areas,
  erasuresForBackups,
  moves,
  municipalities,
  plans,
  sources,
} from '../../storage/db/schema/index.ts';
import type { RestoreProgress } from '../../storage/db/schema/moves.ts';
import { type Json, json, tableByIndex } from '../../storage/db/sql.ts';
import { all, select, statement, value } from '../../storage/db/statement.ts';
import { DATABASE_CLOCK } from '../../storage/db/writable.ts';
import { insertArriving, type Mover, type Route, requireTurn, send, type Tenant } from './moves-table.ts';

/** Erasures since an instant from some tenants, by their codes. */
const ERASURES_SINCE = statement(
  { tenants: value<Json<readonly string[]>>(), since: value<number>() },
  ({ tenants, since }) =>
    select(
      { digest: erasuresForBackups.digest, at: erasuresForBackups.at },
      sql`
from ${tableByIndex(erasuresForBackups, 'erasures_for_backups_by_tenant')}
where ${erasuresForBackups.tenant} in (select value from json_each(${tenants})) and ${erasuresForBackups.at} >= ${since}`,
    ),
);

/** The tables whose rows have numbers that are unique in the service. */
const NUMBERED = { area: areas, source: sources };
export type Numbered = keyof typeof NUMBERED;

/** The code of another municipality that has this number in a database. */
export async function holderOfNumber(db: D1Database, id: number, code: string): Promise<string | null> {
  const [other] = await drizzle(db)
    .select({ code: municipalities.code })
    .from(municipalities)
    .where(and(eq(municipalities.id, id), ne(municipalities.code, code)));
  return other?.code ?? null;
}

const NOTHING_YET = {
  ...{ timeZone: 'UTC', active: false, plateCheckEnabled: false, subscriptionsEnabled: false },
  ...{ subscriptionOptionsEnabled: false, reportEnabled: false },
};

/**
 * Prepares a database for a restore: the municipality's row now says that it is arriving from a backup. An old copy is deleted
 * before anything is stored, and only the backup's configuration counts.
 *
 * @param known the municipality's row there, which points to another database
 */
export async function beginRestore(
  db: D1Database,
  { id, code, from, stay, ...to }: Route,
  known: typeof municipalities.$inferSelect | undefined,
  tenant: Tenant,
  livedIn: readonly string[],
  restore: RestoreProgress,
): Promise<void> {
  const { tenantActive: _, ...columns } = known ?? { name: code, ...NOTHING_YET, tenantActive: true };
  const row = {
    ...{ ...columns, id, code, tenantId: tenant.id, livedIn, stay },
    ...{ movedTo: from, arriving: true, writesStoppedUntil: null },
  };
  await send(db, [
    ...insertArriving(db, row, tenant, { id, code, from, stay, ...to }, restore),
    ...[areas, plans, sources].map((table) =>
      drizzle(db).update(table).set({ active: false }).where(eq(table.municipalityId, id)),
    ),
  ]);
}

/**
 * Takes over: the previous call can no longer write. Retention skips the municipality for another day.
 *
 * @returns the restore's progress; null if it is no longer under way
 */
export async function takeTurn(
  db: D1Database,
  { id, turn }: Pick<Mover, 'id' | 'turn'>,
): Promise<RestoreProgress | null> {
  const [row] = await drizzle(db)
    .update(moves)
    .set({ turn, begunAt: DATABASE_CLOCK })
    .where(and(eq(moves.municipalityId, id), eq(moves.state, 'moving'), isNotNull(moves.restore)))
    .returning({ restore: moves.restore });
  return row?.restore ?? null;
}

/** Returns those numbers of areas or sources that other municipalities have in a database. */
export async function takenNumbers(
  db: D1Database,
  kind: Numbered,
  id: number,
  numbers: readonly number[],
): Promise<number[]> {
  const table = NUMBERED[kind];
  const isOne = sql`${table.id} in (select value from json_each(${json(numbers)}))`;
  const rows = await drizzle(db)
    .select({ id: table.id })
    .from(table)
    .where(and(isOne, ne(table.municipalityId, id)));
  return rows.map((row) => row.id);
}

/** The numbers of a municipality's areas or sources in a database, by their codes. */
export async function readOwnNumbers(
  db: D1Database,
  kind: Numbered,
  id: number,
): Promise<Map<string, number>> {
  const table = NUMBERED[kind];
  const rows = await drizzle(db)
    .select({ id: table.id, code: table.code })
    .from(table)
    .where(eq(table.municipalityId, id));
  return new Map(rows.map((row) => [row.code, row.id]));
}

/** Reads the digests of erasures from tenants since an instant, with a mark that shows whether there are more. */
export async function readErasuresSince(
  home: D1Database,
  tenants: readonly string[],
  since: number,
): Promise<{ readonly digests: ReadonlySet<string>; readonly mark: string }> {
  const { results } = await all(ERASURES_SINCE.prepare(home, { tenants: json(tenants), since }));
  const last = results.reduce((latest, { at }) => Math.max(latest, at), 0);
  return { digests: new Set(results.map(({ digest }) => digest)), mark: `${last} ${results.length}` };
}

/** Points another database's row to the restored municipality, unless it lives there. Inserts one in the home. */
export async function pointTo(
  db: D1Database,
  { tenantActive: _, id, code, ...columns }: typeof municipalities.$inferSelect,
  { to, stay }: Route,
): Promise<void> {
  const set = { ...columns, movedTo: to, arriving: false, stay: stay - 1, writesStoppedUntil: null };
  await drizzle(db)
    .insert(municipalities)
    .values({ id, code, ...set })
    .onConflictDoUpdate({ target: municipalities.id, set, setWhere: isNotNull(municipalities.movedTo) });
}

/** Cleared when a restore finishes. The rest of its progress can answer the last part again. */
const REST = { after: null, part: null, erasing: null, before: null };

/** Makes the restored municipality live here: from now on it can be read. */
export async function completeRestore(
  db: D1Database,
  worker: Pick<Mover, 'id' | 'turn'>,
  restore: RestoreProgress,
): Promise<void> {
  const orm = drizzle(db);
  const { id } = worker;
  await send(db, [
    requireTurn(worker),
    orm.update(municipalities).set({ movedTo: null, arriving: false }).where(eq(municipalities.id, id)),
    orm
      .update(moves)
      .set({ state: 'done', endedAt: DATABASE_CLOCK, restore: { ...restore, ...REST } })
      .where(eq(moves.municipalityId, id)),
  ]);
}
