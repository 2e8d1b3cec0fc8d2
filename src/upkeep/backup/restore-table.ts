import { and, eq, gte, isNotNull, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Plate } from '../../domain/plate.ts';
import { db, type Query, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE } from '../../storage/db/changes.ts';
import {
  erasedPlates,
  municipalities,
  rejectedPlates,
  subscriptionPlates,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, keyOf, list, literal, namedIn } from '../../storage/db/sql.ts';
import { OF_PLATES } from '../../storage/stored-plates/stored-plates-table.ts';
import { columnsOf, municipalityOf, TABLES } from './backup-table.ts';

const MUNICIPALITY_ID = sql.placeholder('municipalityId');
const RESTORING = sql.placeholder('restoring');

/** A restore that was called off, or taken over, writes nothing any more. */
const IS_STILL_AT = sql`(select ${municipalities.restoring} from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY_ID})
  = ${RESTORING}`;

/** Tables without a unique key but the id, which the database assigns. */
const WITHOUT_KEY: readonly SQLiteTable[] = [subscriptionPlates, rejectedPlates];

/**
 * The statement that inserts the rows of a table that are not there yet. Values: `municipalityId`, `restoring`, `tenantId`; `items`: a
 * JSON list of the values of rows.
 *
 * @param names of the values; an older backup may lack some of today's: those columns have their defaults
 */
export function insertingInto(table: SQLiteTable, names: readonly string[]): Query<unknown[]> {
  const written = columnsOf(table).flatMap(({ column, read, write }) => {
    const index = names.indexOf(column.name);
    const isSent = read !== null;
    return isSent && index < 0
      ? []
      : [{ column, isSent, value: write(sql.raw(`(item.value ->> ${index})`)) }];
  });
  const isAlike = and(
    ...written.flatMap(({ column, isSent, value }) => (isSent ? sql`${column} is ${value}` : [])),
  );
  const isNew = WITHOUT_KEY.includes(table)
    ? sql`not exists (select 1 from ${table} where ${municipalityOf(table)} = ${MUNICIPALITY_ID} and ${isAlike})`
    : sql`true`;
  // The municipality's own row begins the restore.
  const mayWrite = table === municipalities ? sql`true` : IS_STILL_AT;
  return query(() =>
    db.all(sql`insert into ${table} (${list(written.map(({ column }) => bare(column)))})
      select ${list(written.map(({ value }) => value))} from json_each(${sql.placeholder('items')}) as item
      where ${mayWrite} and ${isNew} on conflict do nothing`),
  );
}

/** A tenant, and the id that the next new municipality may have. */
export const TENANT = query(() =>
  db
    .select({
      id: tenants.id,
      nextMunicipality:
        sql<number>`(select coalesce(max(${municipalities.id}), 0) + 1 from ${municipalities})`.as('next'),
    })
    .from(tenants)
    .where(eq(tenants.code, sql.placeholder('tenant'))),
);

/**
 * Notes how far a restore has come, unless another call has moved it meanwhile. Null as `next` makes the municipality readable. The
 * two instants count from then on: cursors of lists from before the restore are gone, and evidence lists no check from before it.
 */
export const MOVING = query(() =>
  db
    .update(municipalities)
    .set({
      restoring: sql`${sql.placeholder('next')}`,
      pastSince: sql`coalesce(${NEWEST_CHANGE}, 0)`,
      restoredAt: sql`coalesce(${NEWEST_CHANGE}, 0)`,
    })
    .where(and(eq(municipalities.id, MUNICIPALITY_ID), eq(municipalities.restoring, RESTORING)))
    .returning({ id: municipalities.id }),
);

/** The digests of plates that were erased since an instant. */
export const ERASED_SINCE = query(() =>
  db
    .select({ digest: erasedPlates.digest })
    .from(erasedPlates)
    .where(
      and(
        eq(erasedPlates.municipalityId, MUNICIPALITY_ID),
        gte(erasedPlates.erasedAt, sql.placeholder('since')),
      ),
    ),
);

/** Takes the digests of these plates that rejected lines left. */
export const ERASING_REJECTED = query(() =>
  db
    .delete(rejectedPlates)
    .where(and(eq(rejectedPlates.municipalityId, MUNICIPALITY_ID), namedIn(rejectedPlates.digest, 'digests')))
    .returning({ digest: rejectedPlates.digest }),
);

/** The most plates that one call compares with the erased ones. */
export const PLATES_AT_ONCE = 5_000;

/** The next plates that the municipality holds, after one; pseudonyms sort before all of them. */
export const PLATES = query(() => {
  const held = OF_PLATES.map(
    ({ plate, municipalityId }) => sql`select ${plate} as plate from ${plate.table}
      where ${municipalityId} = ${MUNICIPALITY_ID} and ${plate} > ${sql.placeholder('after')}`,
  );
  return db.all<{ plate: Plate }>(
    sql`${sql.join(held, sql` union `)} order by plate limit ${literal(PLATES_AT_ONCE)}`,
  );
});

/** A restore that is called off. */
const DISCARDED = 'discarding';

/** From here on the restore writes nothing. */
export const BEGIN_DISCARDING = query(() =>
  db
    .update(municipalities)
    .set({ restoring: DISCARDED })
    .where(and(eq(municipalities.code, sql.placeholder('code')), isNotNull(municipalities.restoring)))
    .returning({ municipalityId: municipalities.id, restoring: municipalities.restoring }),
);

/** The most rows that one statement deletes. */
export const DISCARDED_ROWS = 500;

/** Each table after those whose rows refer to its own: the municipality comes last. */
export const DISCARDING = [...TABLES.values()].toReversed().map((table) => {
  const key = list(keyOf(table));
  return query(() =>
    db.all(sql`delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${municipalityOf(table)} = ${MUNICIPALITY_ID} and ${IS_STILL_AT} limit ${literal(DISCARDED_ROWS)}) returning 1 as deleted`),
  );
});
