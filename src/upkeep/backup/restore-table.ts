import { and, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { batch, db, type Query, query } from '../../storage/db/batch.ts';
import { bytesOfId, NEWEST_CHANGE, recordChange } from '../../storage/db/changes.ts';
import {
  changes,
  erasedPlates,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  tenants,
} from '../../storage/db/schema/index.ts';
import { atMost, bare, keyOf, list, literal } from '../../storage/db/sql.ts';
import { CONFIGURATION, TABLES } from './stored-table.ts';

const MUNICIPALITY = sql.placeholder('municipality');
const ITEMS = sql`json_each(${sql.placeholder('items')}) as item`;

/** A restore that was called off, or taken over, writes nothing any more. */
const IS_STILL_AT = sql`(select ${municipalities.restoring} from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY})
  = ${sql.placeholder('restoring')}`;

const STORED = [...CONFIGURATION, ...TABLES];

/** A kind's rows are written by the names of the backup: a value that it lacks is null. */
const valueIn =
  (names: readonly string[]) =>
  (name: string): SQL =>
    names.includes(name) ? sql.raw(`(item.value ->> ${names.indexOf(name)})`) : sql`null`;

/**
 * The statement that inserts the rows of a kind that are not there yet, by the names of a backup's values. Null: this version has no
 * such kind. Values: `municipality`, `restoring`, `code`, `tenantId`; `items`: a JSON list of the values of rows.
 */
export function insertingOf(kind: string, names: readonly string[]): Query<unknown[]> | null {
  const stored = STORED.find((each) => each.kind === kind && each.present === undefined);
  if (stored === undefined) return null;
  const { table, municipality, travels } = stored;
  const value = valueIn(names);
  const written = travels.map(({ column, write }) => ({ column, from: write(value) }));
  if (table !== municipalities) written.push({ column: municipality, from: sql`${MUNICIPALITY}` });
  const isAlike = written.map(({ column, from }) => sql`${column} is ${from}`);
  const conditions = [
    // Of the municipality itself nothing is there yet.
    ...(table === municipalities ? [sql`true`] : [IS_STILL_AT]),
    // It has no unique key.
    ...(table === subscriptionPlates
      ? [sql`not exists (select 1 from ${table} where ${sql.join(isAlike, sql` and `)})`]
      : []),
  ];
  return query(() =>
    db.all(sql`insert into ${table} (${list(written.map(({ column }) => bare(column)))})
      select ${list(written.map(({ from }) => from))} from ${ITEMS}
      where ${sql.join(conditions, sql` and `)} on conflict do nothing`),
  );
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

/**
 * Makes the municipality readable. Its lists from before are not continued: they are older than the change that is recorded here.
 *
 * @param requestId the backup's id, by which a part that is sent again is known
 */
export async function completeRestore(
  d1: D1Database,
  municipalityId: number,
  restoring: string,
  { requestId, now }: { readonly requestId: string; readonly now: Instant },
): Promise<boolean> {
  const values = { municipalityId, restoring, now, requestId: bytesOfId(requestId) };
  const [, completed] = await batch(d1, [recordChange, COMPLETING], values);
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
      .limit(atMost(PLATES_AT_ONCE)),
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

/** Each table after those whose rows refer to its own: the municipality comes last. */
const DISCARDING = [...new Map(STORED.map((stored) => [stored.table, stored])).values()]
  .toReversed()
  .map(({ table, municipality }) => {
    const key = list(keyOf(table));
    return query(() =>
      db.all(sql`delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${municipality} = ${MUNICIPALITY} and ${IS_STILL_AT} limit ${literal(ROWS)}) returning 1 as deleted`),
    );
  });

const DISCARDED = 'discarding';
const BEGIN_DISCARDING = query(() =>
  db
    .update(municipalities)
    .set({ restoring: DISCARDED })
    .where(and(eq(municipalities.code, sql.placeholder('code')), isNotNull(municipalities.restoring)))
    .returning({ id: municipalities.id }),
);

/** From here on the restore writes nothing. @returns the municipality's id; null: none is being restored */
export async function beginDiscarding(d1: D1Database, code: string): Promise<number | null> {
  const [[found]] = await batch(d1, [BEGIN_DISCARDING], { code });
  return found?.id ?? null;
}

/** Deletes some rows. @returns whether none is left, nor the municipality itself */
export async function discardSome(d1: D1Database, municipality: number): Promise<boolean> {
  for (const table of DISCARDING) {
    const [deleted] = await batch(d1, [table], { municipality, restoring: DISCARDED });
    // The last is the municipality's own row.
    if (deleted.length > 0) return table === DISCARDING.at(-1);
  }
  return true;
}
