import { and, eq, gte, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { batch, db, type Query, query } from '../../storage/db/batch.ts';
import { bytesOfId, NEWEST_CHANGE, recordChange } from '../../storage/db/changes.ts';
import {
  changes,
  configurationVersions,
  erasedPlates,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, list, literal } from '../../storage/db/sql.ts';
import { CONFIGURATION, keyOf, OWN, type StoredTable, TABLES, type Travelling } from './stored-table.ts';

const MUNICIPALITY = sql.placeholder('municipality');
const ITEMS = sql`json_each(${sql.placeholder('items')}) as item`;

/** A restore that was called off, or taken over, writes nothing any more. */
const IS_STILL_AT = sql`(select ${municipalities.restoring} from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY})
  = ${sql.placeholder('restoring')}`;

/** A kind's rows are written by the names of the backup: a value that it lacks is null. */
const valueIn =
  (names: readonly string[]) =>
  (name: string): SQL =>
    names.includes(name) ? sql.raw(`(item.value ->> ${names.indexOf(name)})`) : sql`null`;

/** Inserts rows that are not there yet. Values: `municipality`, `restoring`, `items`: a JSON list of the values of rows. */
function inserting({ table, travels, hasNoKey }: StoredTable, names: readonly string[]): Query<unknown[]> {
  const value = valueIn(names);
  const written = travels.map(({ column, write }) => ({ column, from: write(value) }));
  const isNew = sql`and not exists (select 1 from ${table} where ${sql.join(
    written.map(({ column, from }) => sql`${column} is ${from}`),
    sql` and `,
  )})`;
  return query(() =>
    db.all(sql`insert into ${table} (${list([bare(table.municipalityId), ...written.map(({ column }) => bare(column))])})
      select ${list([sql`${MUNICIPALITY}`, ...written.map(({ from }) => from)])} from ${ITEMS}
      where ${IS_STILL_AT} ${hasNoKey ? isNew : sql``} on conflict do nothing`),
  );
}

/** Inserts the municipality, which nobody can read yet. Values: `municipality`, `restoring`, `code`, `tenantId`, `items`. */
function insertingOwn(travels: readonly Travelling[], names: readonly string[]): Query<unknown[]> {
  const value = valueIn(names);
  const columns = [municipalities.id, municipalities.tenantId, municipalities.code, municipalities.restoring];
  const values = ['municipality', 'tenantId', 'code', 'restoring'].map(
    (name) => sql`${sql.placeholder(name)}`,
  );
  return query(() =>
    db.all(sql`insert into ${municipalities} (${list([...columns, ...travels.map(({ column }) => column)].map(bare))})
      select ${list([...values, ...travels.map(({ write }) => write(value))])} from ${ITEMS} where true on conflict do nothing`),
  );
}

/** The statements of a kind, by the names of a backup's values. Null: this version has no such kind. */
export function insertingOf(kind: string, names: readonly string[]): Query<unknown[]> | null {
  if (kind === 'municipality') return insertingOwn(OWN, names);
  const stored = [...CONFIGURATION, ...TABLES].find(
    (each) => each.kind === kind && each.present === undefined,
  );
  return stored === undefined ? null : inserting(stored, names);
}

const STANDING = query(() =>
  db
    .select({
      id: municipalities.id,
      restoring: municipalities.restoring,
      lastRestore: sql<string | null>`(
      select hex(${changes.requestId}) from ${changes}
      where ${changes.municipalityId} = ${municipalities.id} and ${changes.recordedAt} = ${municipalities.restoredAt})`.as(
        'last_restore',
      ),
    })
    .from(municipalities)
    .where(eq(municipalities.code, sql.placeholder('code'))),
);
const TENANT = query(() =>
  db
    .select({ id: tenants.id })
    .from(tenants)
    .where(eq(tenants.code, sql.placeholder('tenant'))),
);

/** The municipality, and the tenant's id: null where there is none. */
export async function readStanding(d1: D1Database, code: string, tenant: string) {
  const [[standing], [found]] = await batch(d1, [STANDING, TENANT], { code, tenant });
  return { standing: standing ?? null, tenantId: found?.id ?? null };
}

const MOVING = query(() =>
  db
    .update(municipalities)
    .set({ restoring: sql`${sql.placeholder('next')}` })
    .where(
      and(eq(municipalities.id, MUNICIPALITY), eq(municipalities.restoring, sql.placeholder('restoring'))),
    )
    .returning({ id: municipalities.id }),
);

/** Notes how far a restore has come. False: another call has moved it meanwhile. */
export async function moveRestore(
  d1: D1Database,
  municipality: number,
  restoring: string,
  next: string,
): Promise<boolean> {
  const [moved] = await batch(d1, [MOVING], { municipality, restoring, next });
  return moved.length > 0;
}

const COMPLETING = query(() =>
  db.all<{ id: number }>(sql`update ${municipalities} set ${bare(municipalities.restoring)} = null,
    ${bare(municipalities.pastSince)} = ${NEWEST_CHANGE}, ${bare(municipalities.restoredAt)} = ${NEWEST_CHANGE}
    where ${municipalities.id} = ${sql.placeholder('municipalityId')} and ${municipalities.restoring} = ${sql.placeholder('restoring')}
    returning ${municipalities.id} as "id"`),
);

/** Its configuration says the tenant that it has now. */
const NAMING_TENANT = query(() =>
  db.all(sql`insert into ${configurationVersions} (${list([configurationVersions.municipalityId, configurationVersions.recordedAt, configurationVersions.record].map(bare))})
    select newest.municipality_id, ${NEWEST_CHANGE}, json_set(newest.record, '$.tenant', ${sql.placeholder('tenant')})
    from (select * from ${configurationVersions} where ${configurationVersions.municipalityId} = ${sql.placeholder('municipalityId')}
      order by ${configurationVersions.recordedAt} desc limit 1) as newest
    where newest.record ->> '$.tenant' <> ${sql.placeholder('tenant')} and exists (
      select 1 from ${municipalities} where ${municipalities.id} = newest.municipality_id and ${municipalities.restoring} = ${sql.placeholder('restoring')})`),
);

/**
 * Makes the municipality readable. Its lists from before are not continued: they are older than the change that is recorded here.
 *
 * @param requestId the backup's id, by which a part that is sent again is known
 */
export async function completeRestore(
  d1: D1Database,
  municipalityId: number,
  restoring: string,
  { requestId, ...by }: { readonly requestId: string; readonly now: Instant; readonly tenant: string },
): Promise<boolean> {
  const values = { municipalityId, restoring, ...by, requestId: bytesOfId(requestId) };
  const [, , completed] = await batch(d1, [recordChange, NAMING_TENANT, COMPLETING], values);
  return completed.length > 0;
}

const ERASED_SINCE = query(() =>
  db
    .select({ digest: erasedPlates.digest })
    .from(erasedPlates)
    .where(
      and(
        eq(erasedPlates.municipalityId, MUNICIPALITY),
        gte(erasedPlates.erasedAt, sql.placeholder('since')),
      ),
    ),
);

/** The digests of plates that were erased since an instant. */
export async function readErasedSince(
  d1: D1Database,
  municipality: number,
  since: number,
): Promise<Set<string>> {
  const [rows] = await batch(d1, [ERASED_SINCE], { municipality, since });
  return new Set(rows.map(({ digest }) => digest));
}

/** The most plates that one step compares. */
export const PLATES_AT_ONCE = 2_000;

const PLATES = [
  parkingSessions,
  pastParkingSessions,
  subscriptionPlates,
  pastSubscriptionPlates,
  payments,
].map((table) =>
  query(() =>
    db
      .selectDistinct({ plate: table.plate })
      .from(table)
      .where(and(eq(table.municipalityId, MUNICIPALITY), sql`${table.plate} > ${sql.placeholder('after')}`))
      .orderBy(table.plate)
      .limit(PLATES_AT_ONCE),
  ),
);

/** The next plates that the municipality holds, after one; pseudonyms sort before all of them. */
export async function readPlates(d1: D1Database, municipality: number, after: string): Promise<Plate[]> {
  const read = await batch(d1, PLATES, { municipality, after });
  const plates = new Set(read.flatMap((rows) => rows.map(({ plate }) => plate)));
  return [...plates].sort((a, b) => (a < b ? -1 : 1)).slice(0, PLATES_AT_ONCE);
}

/** Rows that one statement of a discarded restore deletes. */
const ROWS = 500;

const deleting = (table: StoredTable['table']): Query<unknown[]> => {
  const key = list(keyOf(table));
  return query(() =>
    db.all(sql`delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${table.municipalityId} = ${MUNICIPALITY} limit ${literal(ROWS)}) returning 1 as deleted`),
  );
};

/** Each table after those whose rows refer to its own. */
const DISCARDING = [...new Set([...CONFIGURATION, ...TABLES].map(({ table }) => table))]
  .toReversed()
  .map(deleting);

const BEGIN_DISCARDING = query(() =>
  db.all<{ id: number }>(sql`update ${municipalities} set ${bare(municipalities.restoring)} = 'discarding'
    where ${municipalities.code} = ${sql.placeholder('code')} and ${municipalities.restoring} is not null
    returning ${municipalities.id} as "id"`),
);
const DISCARD = query(() =>
  db.all(
    sql`delete from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY} and ${municipalities.restoring} = 'discarding'`,
  ),
);

/** From here on the restore writes nothing. @returns the municipality's id; null: none is being restored */
export async function beginDiscarding(d1: D1Database, code: string): Promise<number | null> {
  const [[found]] = await batch(d1, [BEGIN_DISCARDING], { code });
  return found?.id ?? null;
}

/** Deletes some rows. @returns whether none are left, and the municipality is gone */
export async function discardSome(d1: D1Database, municipality: number): Promise<boolean> {
  for (const table of DISCARDING) {
    const [deleted] = await batch(d1, [table], { municipality });
    if (deleted.length > 0) return false;
  }
  await batch(d1, [DISCARD], { municipality });
  return true;
}
