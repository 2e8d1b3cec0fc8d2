import { eq, getTableColumns, getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { db, named, type Query, query } from '../../storage/db/batch.ts';
import {
  areas,
  changes,
  configurationVersions,
  erasedPlates,
  imports,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  payments,
  plans,
  rejectedPlates,
  sources,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, list, literal, uuidOf } from '../../storage/db/sql.ts';

const MUNICIPALITY_ID = sql.placeholder('municipalityId');
const AS_OF = sql.placeholder('asOf');
const BEGUN_AT = sql.placeholder('begunAt');

/** How a column gets from one database to another. */
interface Travel {
  /** Its value in a backup. Null: a backup does not have it. */
  readonly read: ((column: SQL) => SQL) | null;
  /** The column again, from that value. */
  readonly write: (value: SQL) => SQL;
}

const AS_IT_IS: Travel = { read: (column) => column, write: (value) => value };

/** A restore knows its value. */
const given = (value: SQL): Travel => ({ read: null, write: () => value });
const OWN_MUNICIPALITY = given(sql`${MUNICIPALITY_ID}`);
const ASSIGNED = given(sql`null`);

/** A reference travels as the key of its row, a JSON list: a restore assigns new ids to sessions and subscriptions. */
const referenceTo = (
  table: typeof parkingSessions | typeof subscriptions,
  key: readonly SQLiteColumn[],
): Travel => ({
  read: (column) => sql`(select json_array(${list(key)}) from ${table} where ${table.id} = ${column})`,
  write: (value) => sql`(select ${table.id} from ${table} where ${table.municipalityId} = ${MUNICIPALITY_ID}
    and (${list(key)}) = (${list(key.map((_, index) => sql`${value} ->> ${literal(index)}`))}))`,
});
const SESSION = referenceTo(parkingSessions, [parkingSessions.sourceCode, parkingSessions.sessionId]);
const SUBSCRIPTION = referenceTo(subscriptions, [subscriptions.subscriptionNumber]);

/** A value that a payment got at an instant: null if that is later than the backup. */
const gotAt = (at: SQLiteColumn): Travel => ({
  ...AS_IT_IS,
  read: (column) => sql`iif(${at} > ${AS_OF}, null, ${column})`,
});
const REVERSAL = gotAt(payments.reversalRecordedAt);
const SETTLEMENT = gotAt(payments.settledAt);

/** How columns travel that do not travel as they are. */
const TRAVELS = new Map<SQLiteColumn, Travel>([
  // Another database may have given the number to another municipality.
  [municipalities.id, OWN_MUNICIPALITY],
  [municipalities.tenantId, given(sql`${sql.placeholder('tenantId')}`)],
  [municipalities.restoring, given(sql`${sql.placeholder('restoring')}`)],
  // The database assigns these. Other ids are random, and stay.
  [parkingSessions.id, ASSIGNED],
  [subscriptions.id, ASSIGNED],
  [subscriptionPlates.id, ASSIGNED],
  [rejectedPlates.id, ASSIGNED],
  [changes.requestId, { read: (column) => sql`hex(${column})`, write: (value) => sql`unhex(${value})` }],
  [pastParkingSessions.id, SESSION],
  [pastSubscriptions.id, SUBSCRIPTION],
  [subscriptionPlates.subscriptionId, SUBSCRIPTION],
  [pastSubscriptionPlates.subscriptionId, SUBSCRIPTION],
  [payments.subscriptionId, SUBSCRIPTION],
  [payments.reversedAt, REVERSAL],
  [payments.reversalReason, REVERSAL],
  [payments.reversalRecordedAt, REVERSAL],
  [payments.settledOutcome, SETTLEMENT],
  [payments.settledNote, SETTLEMENT],
  [payments.settledAt, SETTLEMENT],
]);

/** The columns that a restore writes, whatever else a backup has. */
export const columnsOf = (table: SQLiteTable) =>
  Object.values(getTableColumns(table))
    .filter(({ generated }) => generated === undefined)
    .map((column) => ({
      column,
      ...(column.name === 'municipality_id' ? OWN_MUNICIPALITY : (TRAVELS.get(column) ?? AS_IT_IS)),
    }));

const columnOf = (table: SQLiteTable, name: string): SQLiteColumn | undefined =>
  Object.values(getTableColumns(table)).find((column) => column.name === name);

/** The column with the number of the municipality that a row belongs to. */
export const municipalityOf = (table: SQLiteTable): SQLiteColumn =>
  columnOf(table, 'municipality_id') ?? municipalities.id;

/** A row as it is read: its values by their names, and its place in the order. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of a backup. */
interface StoredTable {
  /** The name of the table that a restore inserts them into. */
  readonly kind: string;
  readonly table: SQLiteTable;
  /** The most rows that one statement reads. Null: all. */
  readonly rows: number | null;
  /** The next rows. Values: a position of a backup. */
  readonly reading: Query<Row[]>;
}

const ROWS = 1_000;
/** One may have 30 KB of periods and areas. */
const LARGE_ROWS = 50;

/**
 * @param taken which rows are in the backup
 * @param from where they are read: versions that were replaced since the backup began are in the table of the past
 * @param owner the column with the number of the municipality
 */
function stored(
  table: SQLiteTable,
  taken: SQL,
  rows: number | null = ROWS,
  from: SQLiteTable = table,
  owner: SQLWrapper = municipalityOf(from),
): StoredTable {
  // By an index: when it was replaced or recorded, and its id if several rows may have one instant.
  const order = [
    columnOf(from, 'replaced_at') ?? columnOf(from, 'recorded_at') ?? columnOf(from, 'at'),
    columnOf(from, 'id') ?? columnOf(from, 'source_id'),
  ].filter((column) => column !== undefined);
  const [at = null, id = literal(0)] = order;
  const next = sql`and (${at}, ${id}) > (${sql.placeholder('at')}, ${sql.placeholder('id')}) order by ${list(order)}`;
  const reading = query(() => {
    const values = columnsOf(table).flatMap(({ column, read }) => {
      // A replaced version lacks the key, which never changes: the present row has it.
      const key = sql`(select ${column} from ${table} where ${columnOf(table, 'id')} = ${id})`;
      return read === null
        ? []
        : [sql`${read(sql`${columnOf(from, column.name) ?? key}`)} as ${bare(column)}`];
    });
    return db.all<Row>(sql`select ${at} as place_at, ${id} as place_id, ${list(values)} from ${from}
      where ${owner} = ${MUNICIPALITY_ID} and ${taken} ${rows === null ? sql`` : sql`${next} limit ${literal(rows)}`}`);
  });
  return { kind: getTableName(table), table, rows, reading };
}

const ALL = sql`true`;
const RECORDED = sql`recorded_at <= ${AS_OF}`;
/** Replaced since the backup began: rows of the present then. */
const REPLACED_SINCE = sql`replaced_at > ${AS_OF} and ${RECORDED}`;
const REPLACED = sql`replaced_at <= ${AS_OF}`;

const newest = alias(configurationVersions, 'newest');
const IS_NEWEST = sql`${configurationVersions.recordedAt} = (
  select max(${newest.recordedAt}) from ${configurationVersions} as ${newest} where ${newest.municipalityId} = ${MUNICIPALITY_ID})`;

/**
 * All rows of a municipality, read step by step: each table after those that it refers to, and those of the present before those of
 * the past.
 *
 * What has no past is read first, in one transaction with the instant of the backup: the municipality, its configuration, with the
 * newest version, by which a municipality that is being restored is found, and the last import of each source where that is not kept.
 * Erasures are last: the newest count.
 */
export const STEPS: readonly (readonly StoredTable[])[] = [
  [
    stored(municipalities, ALL, null),
    stored(areas, ALL, null),
    stored(sources, ALL, null),
    stored(subscriptionTypes, ALL, null),
    stored(plans, ALL, null),
    stored(imports, sql`not ${imports.isKept}`, null),
    stored(configurationVersions, IS_NEWEST, null),
  ],
  [stored(imports, sql`${imports.isKept} and recorded_at <= ${BEGUN_AT}`)],
  // One may have a megabyte.
  [stored(configurationVersions, RECORDED, 2)],
  [stored(changes, RECORDED)],
  [stored(parkingSessions, RECORDED)],
  [stored(parkingSessions, REPLACED_SINCE, ROWS, pastParkingSessions)],
  [stored(subscriptions, RECORDED, LARGE_ROWS)],
  [stored(subscriptions, REPLACED_SINCE, LARGE_ROWS, pastSubscriptions)],
  [stored(subscriptionPlates, RECORDED)],
  [stored(subscriptionPlates, REPLACED_SINCE, ROWS, pastSubscriptionPlates)],
  // A change records one payment.
  [stored(payments, RECORDED)],
  [stored(pastParkingSessions, REPLACED)],
  [stored(pastSubscriptions, REPLACED, LARGE_ROWS)],
  [stored(pastSubscriptionPlates, REPLACED)],
  // In the order of time: by its digests SQLite would read all of the city for each step, and sort them.
  [
    stored(
      rejectedPlates,
      sql`at <= ${BEGUN_AT}`,
      ROWS,
      rejectedPlates,
      sql`+${rejectedPlates.municipalityId}`,
    ),
  ],
  [stored(erasedPlates, ALL, null)],
];

/** The tables of a backup by their kinds, in that order. */
export const TABLES: ReadonlyMap<string, SQLiteTable> = new Map(
  STEPS.flat().map(({ kind, table }) => [kind, table]),
);

/** The names of a row's values, by its kind. */
export const NAMES = Object.fromEntries(
  [...TABLES].map(([kind, table]) => [
    kind,
    columnsOf(table).flatMap(({ column, read }) => (read === null ? [] : column.name)),
  ]),
);

/** A municipality, its tenant's code, its newest change, and the id of the backup from which it was restored last. */
export const MUNICIPALITY = query(() =>
  db
    .select({
      id: municipalities.id,
      restoring: municipalities.restoring,
      pastSince: municipalities.pastSince,
      tenant: named(tenants.code, 'tenant'),
      changedAt: sql<Instant | null>`(
        select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id})`.as(
        'changed_at',
      ),
      lastRestore: sql<string | null>`(select ${uuidOf(changes.requestId)} from ${changes}
        where ${changes.municipalityId} = ${municipalities.id} and ${changes.recordedAt} = ${municipalities.restoredAt})`.as(
        'last_restore',
      ),
    })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(eq(municipalities.code, sql.placeholder('code'))),
);
