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
import { list } from '../../storage/db/sql.ts';

/** Rows of a backup, by what they are called, and where they are read and restored. */
export interface StoredTable {
  /** What a backup calls these rows. */
  readonly kind: string;
  /** Where a restore inserts them. */
  readonly table: SQLiteTable;
  /** Where a backup reads them: the same table, or its versions that were replaced since the backup began. */
  readonly from: SQLiteTable;
  /** Which of them are in the backup. Values: `asOf`, `begunAt`. */
  readonly taken: SQL;
  /** The numbers by which they are read, after their municipality: those of an index. Without them they are read whole. */
  readonly order: readonly SQLiteColumn[];
  /** The most rows that one statement reads. */
  readonly rows: number;
}

const MUNICIPALITY = sql.placeholder('municipalityId');
const AS_OF = sql.placeholder('asOf');

export const columnOf = (table: SQLiteTable, name: string): SQLiteColumn | undefined =>
  Object.values(getTableColumns(table)).find((column) => column.name === name);

/** The column with the number of the municipality that a row belongs to. */
export const municipalityOf = (table: SQLiteTable): SQLiteColumn =>
  columnOf(table, 'municipality_id') ?? municipalities.id;

/** How a column becomes a value of a backup, and that value the column again. */
interface Travel {
  readonly read: (column: SQL) => SQL;
  readonly write: (value: SQL) => SQL;
}

const AS_IT_IS: Travel = { read: (column) => column, write: (value) => value };
const AS_DIGITS: Travel = {
  read: (column) => sql`hex(${column})`,
  write: (value) => sql`unhex(${value})`,
};

/** A reference travels as the key of its row, a JSON list: a restore assigns new ids to sessions and subscriptions. */
const referenceTo = (
  table: typeof parkingSessions | typeof subscriptions,
  key: readonly SQLiteColumn[],
): Travel => ({
  read: (column) => sql`(select json_array(${list(key)}) from ${table} where ${table.id} = ${column})`,
  write: (value) => sql`(select ${table.id} from ${table} where ${table.municipalityId} = ${MUNICIPALITY}
    and (${list(key)}) = (${list(key.map((_, index) => sql`${value} ->> ${sql.raw(`${index}`)}`))}))`,
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
  // Another database may have given it to another municipality.
  [municipalities.id, { ...AS_IT_IS, write: () => sql`${MUNICIPALITY}` }],
  [changes.requestId, AS_DIGITS],
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

/** The columns of which a restore knows the value by itself, by their names. All others travel. */
export const GIVEN: Readonly<Record<string, SQL>> = {
  municipality_id: sql`${MUNICIPALITY}`,
  tenant_id: sql`${sql.placeholder('tenantId')}`,
  restoring: sql`${sql.placeholder('restoring')}`,
};

/** The database assigns these. The others are random, and stay. */
const ASSIGNED: readonly SQLiteColumn[] = [parkingSessions.id, subscriptions.id, subscriptionPlates.id];

/** The columns that a restore writes. */
export const writtenColumns = (table: SQLiteTable): SQLiteColumn[] =>
  Object.values(getTableColumns(table)).filter(
    (column) => column.generated === undefined && !ASSIGNED.includes(column),
  );

type Recorded = SQLiteTable & { readonly recordedAt: SQLiteColumn };
type Present = typeof parkingSessions | typeof subscriptions | typeof subscriptionPlates;
type Past = typeof pastParkingSessions | typeof pastSubscriptions | typeof pastSubscriptionPlates;

/** Rows that are read whole. */
const whole = (kind: string, table: SQLiteTable, taken = sql`true`): StoredTable => ({
  ...{ kind, table, from: table, taken, order: [], rows: Number.MAX_SAFE_INTEGER },
});

const ROWS = 1_000;
/** One may have 30 KB of periods and areas. */
const LARGE_ROWS = 50;

/** Rows that are read some at a time. */
const inOrder = (
  kind: string,
  from: SQLiteTable,
  order: readonly SQLiteColumn[],
  taken: SQL,
  { rows = ROWS, table = from } = {},
): StoredTable => ({ kind, table, from, order, taken, rows });

const recordedBy = (table: Recorded): SQL => sql`${table.recordedAt} <= ${AS_OF}`;

/** The present as the backup began: what was recorded by then, and the versions that were replaced since. */
const presentOf = (kind: string, table: Present, past: Past, rows = ROWS): StoredTable[] => {
  const since = sql`${past.replacedAt} > ${AS_OF} and ${recordedBy(past)}`;
  return [
    inOrder(kind, table, [table.recordedAt, table.id], recordedBy(table), { rows }),
    inOrder(kind, past, replacements(past), since, { rows, table }),
  ];
};

/** The versions that were replaced when the backup began. */
const pastOf = (kind: string, table: Past, rows = ROWS): StoredTable =>
  inOrder(kind, table, replacements(table), sql`${table.replacedAt} <= ${AS_OF}`, { rows });

const replacements = (table: Past): SQLiteColumn[] =>
  'subscriptionId' in table
    ? [table.replacedAt, table.subscriptionId, table.id]
    : [table.replacedAt, table.id];

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
 * All other rows of a municipality, each table after those that it refers to, and those of the present before those of the past.
 * Erasures are last: the newest count.
 */
export const TABLES: readonly StoredTable[] = [
  inOrder(
    'import',
    imports,
    [imports.recordedAt, imports.sourceId],
    sql`${imports.isKept} and ${imports.recordedAt} <= ${sql.placeholder('begunAt')}`,
  ),
  // One may have a megabyte.
  inOrder(
    'configuration_version',
    configurationVersions,
    [configurationVersions.recordedAt],
    recordedBy(configurationVersions),
    { rows: 2 },
  ),
  inOrder('change', changes, [changes.recordedAt], recordedBy(changes)),
  ...presentOf('parking_session', parkingSessions, pastParkingSessions),
  ...presentOf('subscription', subscriptions, pastSubscriptions, LARGE_ROWS),
  ...presentOf('subscription_plate', subscriptionPlates, pastSubscriptionPlates),
  // A change records one payment.
  inOrder('payment', payments, [payments.recordedAt], recordedBy(payments)),
  pastOf('past_parking_session', pastParkingSessions),
  pastOf('past_subscription', pastSubscriptions, LARGE_ROWS),
  pastOf('past_subscription_plate', pastSubscriptionPlates),
  whole('erased_plate', erasedPlates),
];
