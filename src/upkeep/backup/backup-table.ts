import { eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { db, named, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE } from '../../storage/db/changes.ts';
import { changes, municipalities, tenants } from '../../storage/db/schema/index.ts';
import { bare, list, literal, uuidOf } from '../../storage/db/sql.ts';
import {
  columnOf,
  municipalityOf,
  orderOf,
  type StoredTable,
  TABLES,
  travellingOf,
  travelOf,
} from './stored-table.ts';

/** The names of a row's values, by its kind. */
export const NAMES = Object.fromEntries(
  TABLES.map(({ kind, table }) => [kind, travellingOf(table).map(({ name }) => name)]),
);

/** A row as it is read: its values by their names, and its place in the order. */
export type Row = Readonly<Record<string, unknown>>;

/** The next rows of a table. Values: a position of a backup. */
const readingOf = (stored: StoredTable) => {
  const { table, from, taken, rows } = stored;
  const values = travellingOf(table).map((column) => sql`${read(stored, column)} as ${bare(column)}`);
  const order = orderOf(from);
  const [at, id = literal(0)] = order;
  const next =
    rows === null
      ? sql``
      : sql`and (${at}, ${id}) > (${sql.placeholder('at')}, ${sql.placeholder('id')}) order by ${list(order)} limit ${literal(rows)}`;
  return query(() =>
    db.all<Row>(sql`select ${at ?? null} as place_at, ${id} as place_id, ${list(values)} from ${from}
      where ${municipalityOf(from)} = ${sql.placeholder('municipalityId')} and ${taken} ${next}`),
  );
};

/** A replaced version lacks the key, which never changes: that is read from the present row. */
function read({ table, from }: StoredTable, column: SQLiteColumn): SQL {
  const present = sql`(select ${column} from ${table} where ${columnOf(table, 'id')} = ${columnOf(from, 'id')})`;
  return travelOf(column).read(sql`${columnOf(from, column.name) ?? present}`);
}

/** {@link TABLES}, each with its statement. */
export const READING = TABLES.map((stored) => ({ ...stored, reading: readingOf(stored) }));

/** A municipality, its tenant's code, and the id of the backup from which it was restored last. */
export const MUNICIPALITY_BY_CODE = query(() =>
  db
    .select({
      id: municipalities.id,
      restoring: municipalities.restoring,
      pastSince: municipalities.pastSince,
      tenant: named(tenants.code, 'tenant'),
      lastRestore: sql<string | null>`(select ${uuidOf(changes.requestId)} from ${changes}
        where ${changes.municipalityId} = ${municipalities.id} and ${changes.recordedAt} = ${municipalities.restoredAt})`.as(
        'last_restore',
      ),
    })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(eq(municipalities.code, sql.placeholder('code'))),
);

/** The municipality's newest change. */
export const NEWEST = query(() => db.all<{ asOf: number }>(sql`select ${NEWEST_CHANGE} as "asOf"`));
