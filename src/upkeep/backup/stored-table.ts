import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
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
  sources,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { list, literal } from '../../storage/db/sql.ts';

/** Rows of a backup, and where they are read and restored. */
export interface StoredTable {
  /** What a backup calls these rows. */
  readonly kind: string;
  /** Where a restore inserts them. */
  readonly table: SQLiteTable;
  /** Where a backup reads them: the same table, or its versions that were replaced since the backup began. */
  readonly from: SQLiteTable;
  /** Which of them are in the backup. Values: `asOf`, `begunAt`. */
  readonly taken: SQL;
  /** The most rows that one statement reads, by {@link orderOf}. Null: all. */
  readonly rows: number | null;
}

const MUNICIPALITY = sql.placeholder('municipalityId');
const AS_OF = sql.placeholder('asOf');

export const columnOf = (table: SQLiteTable, name: string): SQLiteColumn | undefined =>
  Object.values(getTableColumns(table)).find((column) => column.name === name);

/** The column with the number of the municipality that a row belongs to. */
export const municipalityOf = (table: SQLiteTable): SQLiteColumn =>
  columnOf(table, 'municipality_id') ?? municipalities.id;

/** The instant at which a row was replaced or recorded, and its id, if several rows may have one instant: those of an index. */
export const orderOf = (table: SQLiteTable): SQLiteColumn[] =>
  [
    columnOf(table, 'replaced_at') ?? columnOf(table, 'recorded_at'),
    columnOf(table, 'id') ?? columnOf(table, 'source_id'),
  ].filter((column) => column !== undefined);

/** How a column becomes a value of a backup, and that value the column again. */
interface Travel {
  readonly read: (column: SQL) => SQL;
  readonly write: (value: SQL) => SQL;
}

const AS_IT_IS: Travel = { read: (column) => column, write: (value) => value };

/** A reference travels as the key of its row, a JSON list: a restore assigns new ids to sessions and subscriptions. */
const referenceTo = (
  table: typeof parkingSessions | typeof subscriptions,
  key: readonly SQLiteColumn[],
): Travel => ({
  read: (column) => sql`(select json_array(${list(key)}) from ${table} where ${table.id} = ${column})`,
  write: (value) => sql`(select ${table.id} from ${table} where ${table.municipalityId} = ${MUNICIPALITY}
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
export const travelOf = (column: SQLiteColumn): Travel => TRAVELS.get(column) ?? AS_IT_IS;

/** The value of a column that a restore knows by itself. */
export function givenTo(column: SQLiteColumn): SQL | undefined {
  // Another database may have given the number to another municipality.
  if (column === municipalities.id || column.name === 'municipality_id') return sql`${MUNICIPALITY}`;
  if (column === municipalities.tenantId) return sql`${sql.placeholder('tenantId')}`;
  return column === municipalities.restoring ? sql`${sql.placeholder('restoring')}` : undefined;
}

/** The database assigns these. The others are random, and stay. */
const ASSIGNED: readonly SQLiteColumn[] = [parkingSessions.id, subscriptions.id, subscriptionPlates.id];

/** The columns that a restore writes, whatever else a backup has. */
export const writtenOf = (table: SQLiteTable): SQLiteColumn[] =>
  Object.values(getTableColumns(table)).filter(
    (column) => column.generated === undefined && !ASSIGNED.includes(column),
  );

/** The columns of which a backup has the values. */
export const travellingOf = (table: SQLiteTable): SQLiteColumn[] =>
  writtenOf(table).filter((column) => givenTo(column) === undefined);

type Recorded = SQLiteTable & { readonly recordedAt: SQLiteColumn };
type Past = Recorded & { readonly replacedAt: SQLiteColumn };

const ROWS = 1_000;
/** One may have 30 KB of periods and areas. */
const LARGE_ROWS = 50;

const whole = (kind: string, table: SQLiteTable, taken = sql`true`): StoredTable => ({
  ...{ kind, table, from: table, taken, rows: null },
});

const isRecorded = (table: Recorded): SQL => sql`${table.recordedAt} <= ${AS_OF}`;

const recorded = (
  kind: string,
  table: Recorded,
  { rows = ROWS, taken = isRecorded(table), from = table } = {},
): StoredTable => ({ kind, table, from, taken, rows });

/** The present as the backup began: what was recorded by then, and the versions that were replaced since. */
const presentOf = (kind: string, table: Recorded, from: Past, rows?: number): StoredTable[] => {
  const taken = sql`${from.replacedAt} > ${AS_OF} and ${isRecorded(from)}`;
  return [recorded(kind, table, { rows }), recorded(kind, table, { rows, taken, from })];
};

/** The versions that were replaced when the backup began. */
const pastOf = (kind: string, table: Past, rows?: number): StoredTable =>
  recorded(kind, table, { rows, taken: sql`${table.replacedAt} <= ${AS_OF}` });

const newest = alias(configurationVersions, 'newest');

/**
 * What has no past, read first, in one transaction with the instant of the backup: the municipality, its configuration, with the newest
 * version, by which a municipality that is being restored is found, and the last import of each source where that is not kept.
 */
export const BEGINNING: readonly StoredTable[] = [
  whole('municipality', municipalities),
  whole('area', areas),
  whole('source', sources),
  whole('subscription_type', subscriptionTypes),
  whole('plan', plans),
  whole('import', imports, sql`not ${imports.isKept}`),
  whole(
    'configuration_version',
    configurationVersions,
    sql`${configurationVersions.recordedAt} = (
      select max(${newest.recordedAt}) from ${configurationVersions} as ${newest} where ${newest.municipalityId} = ${MUNICIPALITY})`,
  ),
];

/**
 * All rows of a municipality, each table after those that it refers to, and those of the present before those of the past. Erasures
 * are last: the newest count.
 */
export const TABLES: readonly StoredTable[] = [
  ...BEGINNING,
  recorded('import', imports, {
    taken: sql`${imports.isKept} and ${imports.recordedAt} <= ${sql.placeholder('begunAt')}`,
  }),
  // One may have a megabyte.
  recorded('configuration_version', configurationVersions, { rows: 2 }),
  recorded('change', changes),
  ...presentOf('parking_session', parkingSessions, pastParkingSessions),
  ...presentOf('subscription', subscriptions, pastSubscriptions, LARGE_ROWS),
  ...presentOf('subscription_plate', subscriptionPlates, pastSubscriptionPlates),
  // A change records one payment.
  recorded('payment', payments),
  pastOf('past_parking_session', pastParkingSessions),
  pastOf('past_subscription', pastSubscriptions, LARGE_ROWS),
  pastOf('past_subscription_plate', pastSubscriptionPlates),
  whole('erased_plate', erasedPlates),
];
