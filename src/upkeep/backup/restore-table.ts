import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { undo } from '../../storage/db/guards.ts';
import { erasuresForBackups, municipalities, restores, tenants } from '../../storage/db/schema/index.ts';
import type { RestoreProgress } from '../../storage/db/schema/restores.ts';
import { bare, DATABASE_CLOCK, type Json, json, prepareQuery, tableByIndex } from '../../storage/db/sql.ts';
import { all, select, statement, value } from '../../storage/db/statement.ts';
import { type Rows, storing } from './part-table.ts';

/** A call that works on a restore. */
export interface Worker {
  /** The municipality's id. */
  readonly id: number;
  /** Random. Once another call takes over, this one can no longer write. */
  readonly turn: string;
}

/** A municipality's row, and the progress of its restore. */
interface Standing {
  readonly row: typeof municipalities.$inferSelect;
  readonly restore: RestoreProgress | null;
}

export type Tenant = typeof tenants.$inferSelect;

/** @returns null for an unknown municipality */
export async function readStanding(db: D1Database, code: string): Promise<Standing | null> {
  const [found] = await drizzle(db)
    .select({ row: municipalities, restore: restores.progress })
    .from(municipalities)
    .leftJoin(restores, eq(restores.municipalityId, municipalities.id))
    .where(eq(municipalities.code, code));
  return found ?? null;
}

/** A tenant, by its id or its code. */
export async function findTenant(db: D1Database, named: number | string): Promise<Tenant | null> {
  const column = typeof named === 'number' ? tenants.id : tenants.code;
  const [tenant] = await drizzle(db).select().from(tenants).where(eq(column, named));
  return tenant ?? null;
}

/** Undoes the transaction if another call works on the restore, or it is finished. */
export const requireTurn = ({ id, turn }: Worker): SQL => sql`
  update ${municipalities} set ${bare(municipalities.tenantId)} = ${undo('other_turn')}
  where ${municipalities.id} = ${id} and not (${municipalities.restoring} and exists (
    select 1 from ${restores} where ${restores.municipalityId} = ${id} and ${restores.turn} = ${turn}))`;

/** Sends statements as one transaction. */
export const send = (db: D1Database, queries: readonly SQLWrapper[]): Promise<D1Result[]> =>
  db.batch(queries.map((query) => prepareQuery(db, query)));

/** Until the backup's own row of the municipality is stored. */
const NOTHING_YET = {
  ...{ timeZone: 'UTC', active: false, plateCheckEnabled: false, subscriptionsEnabled: false },
  ...{ subscriptionOptionsEnabled: false, reportEnabled: false },
};

/**
 * Inserts the municipality, which nobody can read yet, and its restore.
 *
 * @throws Error for a constraint if there is a municipality with this code or this id
 */
export async function beginRestore(
  db: D1Database,
  { id, turn }: Worker,
  code: string,
  tenant: Tenant,
  progress: RestoreProgress,
): Promise<void> {
  const orm = drizzle(db);
  await send(db, [
    orm.insert(municipalities).values({
      ...NOTHING_YET,
      ...{ id, code, name: code, tenantId: tenant.id, tenantActive: tenant.active, restoring: true },
    }),
    orm.insert(restores).values({ municipalityId: id, progress, turn, calledAt: DATABASE_CLOCK }),
  ]);
}

/**
 * Takes over: the previous call can no longer write. Retention skips the municipality for another day.
 *
 * @returns the restore's progress; null if there is none
 */
export async function takeTurn(db: D1Database, { id, turn }: Worker): Promise<RestoreProgress | null> {
  const [row] = await drizzle(db)
    .update(restores)
    .set({ turn, calledAt: DATABASE_CLOCK })
    .where(eq(restores.municipalityId, id))
    .returning({ progress: restores.progress });
  return row?.progress ?? null;
}

/** Stores rows with the progress of the restore, in one transaction. */
export async function storeRows(
  db: D1Database,
  worker: Worker,
  rows: readonly Rows[],
  progress: RestoreProgress,
): Promise<void> {
  const keep = drizzle(db).update(restores).set({ progress }).where(eq(restores.municipalityId, worker.id));
  await db.batch([
    prepareQuery(db, requireTurn(worker)),
    ...storing(db, worker.id, rows),
    prepareQuery(db, keep),
  ]);
}

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

/** Reads the digests of erasures from tenants since an instant, with a mark that shows whether there are more. */
export async function readErasuresSince(
  db: D1Database,
  tenants: readonly string[],
  since: number,
): Promise<{ readonly digests: ReadonlySet<string>; readonly mark: string }> {
  const { results } = await all(ERASURES_SINCE.prepare(db, { tenants: json(tenants), since }));
  const last = results.reduce((latest, { at }) => Math.max(latest, at), 0);
  return { digests: new Set(results.map(({ digest }) => digest)), mark: `${last} ${results.length}` };
}

/** Makes the restored municipality readable. */
export async function completeRestore(
  db: D1Database,
  worker: Worker,
  progress: RestoreProgress,
): Promise<void> {
  const orm = drizzle(db);
  const { id } = worker;
  await send(db, [
    requireTurn(worker),
    orm
      .update(municipalities)
      .set({ restoring: false, restoredAt: DATABASE_CLOCK })
      .where(eq(municipalities.id, id)),
    orm.update(restores).set({ progress }).where(eq(restores.municipalityId, id)),
  ]);
}

/** Deletes the row of a municipality whose other rows are deleted, with its restore. */
export async function deleteRestore(db: D1Database, worker: Worker): Promise<void> {
  const orm = drizzle(db);
  await send(db, [
    requireTurn(worker),
    orm.delete(restores).where(eq(restores.municipalityId, worker.id)),
    orm.delete(municipalities).where(eq(municipalities.id, worker.id)),
  ]);
}
