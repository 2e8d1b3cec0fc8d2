import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { alias, getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
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

/** The SQL of a value by its name: of a column that is read, or of a row's value that is written. */
type Named = (name: string) => SQL;

/** Values of a backup's row, and the column that they make. */
export interface Travelling {
  readonly reads: Readonly<Record<string, (of: Named) => SQL>>;
  readonly column: SQLiteColumn;
  readonly write: (value: Named) => SQL;
}

/** A table of a backup. */
export interface StoredTable {
  /** What a backup calls its rows. */
  readonly kind: string;
  readonly table: SQLiteTable & { readonly municipalityId: SQLiteColumn };
  readonly travels: readonly Travelling[];
  /** The numbers by which it is read, after its municipality: those of an index. Without them it is read whole. */
  readonly order: readonly SQLiteColumn[];
  /** Which of its rows are in the backup. Values: `asOf`, `begunAt`. */
  readonly taken: SQL;
  /** The table of versions replaced since, which are read as if they were the present: `kind` is that of the present. */
  readonly present?: SQLiteTable;
  /** The most rows that one statement reads. */
  readonly rows: number;
  /** The value with the key of the row that it belongs to. */
  readonly parent?: string;
  /** A table without a unique key: a row that is there already is not inserted again. */
  readonly hasNoKey?: true;
}

const MUNICIPALITY = sql.placeholder('municipality');
const AS_OF = sql.placeholder('asOf');

/** A column that travels as it is; bytes as hexadecimal digits. */
function asItIs(column: SQLiteColumn): Travelling {
  const isBytes = column.getSQLType() === 'blob';
  return {
    reads: { [column.name]: (of) => (isBytes ? sql`hex(${of(column.name)})` : of(column.name)) },
    column,
    write: (value) => (isBytes ? sql`unhex(${value(column.name)})` : value(column.name)),
  };
}

const ofType = (column: SQLiteColumn): Travelling => ({
  reads: {
    subscription_type: (of) =>
      sql`(select ${subscriptionTypes.code} from ${subscriptionTypes} where ${subscriptionTypes.id} = ${of(column.name)})`,
  },
  column,
  write: (value) => sql`(select ${subscriptionTypes.id} from ${subscriptionTypes}
    where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY} and ${subscriptionTypes.code} = ${value('subscription_type')})`,
});

const ofSession = (column: SQLiteColumn): Travelling => {
  const read =
    (key: SQLiteColumn) =>
    (of: Named): SQL =>
      sql`(select ${key} from ${parkingSessions} where ${parkingSessions.id} = ${of(column.name)})`;
  return {
    reads: { source_code: read(parkingSessions.sourceCode), session_id: read(parkingSessions.sessionId) },
    column,
    write: (value) => sql`(select ${parkingSessions.id} from ${parkingSessions}
      where ${parkingSessions.municipalityId} = ${MUNICIPALITY} and ${parkingSessions.sourceCode} = ${value('source_code')}
        and ${parkingSessions.sessionId} = ${value('session_id')})`,
  };
};

const ofSubscription = (column: SQLiteColumn): Travelling => ({
  reads: {
    subscription_number: (of) =>
      sql`(select ${subscriptions.subscriptionNumber} from ${subscriptions} where ${subscriptions.id} = ${of(column.name)})`,
  },
  column,
  write: (value) => sql`(select ${subscriptions.id} from ${subscriptions}
    where ${subscriptions.municipalityId} = ${MUNICIPALITY} and ${subscriptions.subscriptionNumber} = ${value('subscription_number')})`,
});

/** A value of a payment that it got at an instant: null, where that is later. */
const gotAt = (at: SQLiteColumn, column: SQLiteColumn): Travelling => ({
  ...asItIs(column),
  reads: { [column.name]: (of) => sql`iif(${of(at.name)} > ${AS_OF}, null, ${of(column.name)})` },
});

/** The columns of a table but for its municipality and some others; `otherwise` replaces those of the same name. */
function columnsOf(
  table: SQLiteTable,
  otherwise: readonly Travelling[] = [],
  without: readonly SQLiteColumn[] = [],
): Travelling[] {
  const left = new Set([
    'municipality_id',
    ...without.map(({ name }) => name),
    ...otherwise.map(({ column }) => column.name),
  ]);
  return [
    ...otherwise,
    ...Object.values(getTableColumns(table))
      .filter(({ name, generated }) => generated === undefined && !left.has(name))
      .map(asItIs),
  ];
}

const ALL = sql`true`;
const ROWS = 1_000;
const ALL_ROWS = Number.MAX_SAFE_INTEGER;
/** One may have 30 KB of periods and areas. */
const LARGE_ROWS = 50;

const recordedBy = (table: SQLiteTable): SQL => sql`${columnIn(table, 'recorded_at')} <= ${AS_OF}`;
const columnIn = (table: SQLiteTable, name: string): SQL => sql`${table}.${sql.identifier(name)}`;

const SESSION = columnsOf(parkingSessions, [], [parkingSessions.id]);
const SUBSCRIPTION = columnsOf(subscriptions, [ofType(subscriptions.typeId)], [subscriptions.id]);
const PLATE = columnsOf(
  subscriptionPlates,
  [ofSubscription(subscriptionPlates.subscriptionId)],
  [subscriptionPlates.id],
);

const past = (
  table: typeof pastParkingSessions | typeof pastSubscriptions | typeof pastSubscriptionPlates,
) => ({
  /** Versions that were replaced when the backup began. */
  before: sql`${table.replacedAt} <= ${AS_OF}`,
  /** Versions that were the present then. */
  since: sql`${table.replacedAt} > ${AS_OF} and ${table.recordedAt} <= ${AS_OF}`,
});

const newest = alias(configurationVersions, 'newest');

/**
 * The configuration is read first, in one transaction with the instant of the backup: with its newest version, so that a municipality
 * that is being restored has one, and the last import of each source where that is not kept.
 */
export const CONFIGURATION: readonly StoredTable[] = [
  { kind: 'area', table: areas, travels: columnsOf(areas), order: [], taken: ALL, rows: ALL_ROWS },
  { kind: 'source', table: sources, travels: columnsOf(sources), order: [], taken: ALL, rows: ALL_ROWS },
  {
    ...{ kind: 'subscription_type', table: subscriptionTypes, order: [], taken: ALL, rows: ALL_ROWS },
    travels: columnsOf(subscriptionTypes, [], [subscriptionTypes.id]),
  },
  {
    ...{ kind: 'plan', table: plans, order: [], taken: ALL, rows: ALL_ROWS },
    travels: columnsOf(plans, [ofType(plans.subscriptionTypeId)], [plans.id]),
  },
  {
    ...{ kind: 'import', table: imports, travels: columnsOf(imports), order: [], rows: ALL_ROWS },
    taken: sql`not ${imports.isKept}`,
  },
  {
    ...{ kind: 'configuration_version', table: configurationVersions, order: [], rows: ALL_ROWS },
    travels: columnsOf(configurationVersions),
    taken: sql`${configurationVersions.recordedAt} = (
      select max(${newest.recordedAt}) from ${configurationVersions} as ${newest} where ${newest.municipalityId} = ${MUNICIPALITY})`,
  },
];

/**
 * All other tables that hold rows of a municipality, each after those that it refers to. A table of the present comes before its
 * past, and is followed by its versions that were replaced since the backup began. Erasures are last: the newest count.
 */
export const TABLES: readonly StoredTable[] = [
  {
    ...{ kind: 'import', table: imports, travels: columnsOf(imports), rows: ROWS },
    order: [imports.recordedAt, imports.sourceId],
    taken: sql`${imports.isKept} and ${imports.recordedAt} <= ${sql.placeholder('begunAt')}`,
  },
  {
    ...{
      kind: 'configuration_version',
      table: configurationVersions,
      travels: columnsOf(configurationVersions),
    },
    ...{ order: [configurationVersions.recordedAt], taken: recordedBy(configurationVersions) },
    // One may have a megabyte.
    rows: 2,
  },
  {
    ...{ kind: 'change', table: changes, travels: columnsOf(changes), rows: ROWS },
    ...{ order: [changes.recordedAt], taken: recordedBy(changes) },
  },
  {
    ...{ kind: 'parking_session', table: parkingSessions, travels: SESSION, rows: ROWS },
    ...{ order: [parkingSessions.recordedAt, parkingSessions.id], taken: recordedBy(parkingSessions) },
  },
  {
    ...{ kind: 'parking_session', table: pastParkingSessions, present: parkingSessions, travels: SESSION },
    order: [pastParkingSessions.replacedAt, pastParkingSessions.id],
    ...{ taken: past(pastParkingSessions).since, rows: ROWS },
  },
  {
    ...{ kind: 'subscription', table: subscriptions, travels: SUBSCRIPTION, rows: LARGE_ROWS },
    ...{ order: [subscriptions.recordedAt, subscriptions.id], taken: recordedBy(subscriptions) },
  },
  {
    ...{ kind: 'subscription', table: pastSubscriptions, present: subscriptions, travels: SUBSCRIPTION },
    order: [pastSubscriptions.replacedAt, pastSubscriptions.id],
    ...{ taken: past(pastSubscriptions).since, rows: LARGE_ROWS },
  },
  {
    ...{ kind: 'subscription_plate', table: subscriptionPlates, travels: PLATE, rows: ROWS, hasNoKey: true },
    ...{
      order: [subscriptionPlates.recordedAt, subscriptionPlates.id],
      taken: recordedBy(subscriptionPlates),
    },
    parent: 'subscription_number',
  },
  {
    ...{
      kind: 'subscription_plate',
      table: pastSubscriptionPlates,
      present: subscriptionPlates,
      travels: PLATE,
    },
    order: [
      pastSubscriptionPlates.replacedAt,
      pastSubscriptionPlates.subscriptionId,
      pastSubscriptionPlates.id,
    ],
    ...{ taken: past(pastSubscriptionPlates).since, rows: ROWS, parent: 'subscription_number' },
  },
  {
    ...{ kind: 'payment', table: payments, parent: 'subscription_number', rows: ROWS },
    travels: columnsOf(payments, [
      ofSubscription(payments.subscriptionId),
      gotAt(payments.reversalRecordedAt, payments.reversedAt),
      gotAt(payments.reversalRecordedAt, payments.reversalReason),
      gotAt(payments.reversalRecordedAt, payments.reversalRecordedAt),
      gotAt(payments.settledAt, payments.settledOutcome),
      gotAt(payments.settledAt, payments.settledNote),
      gotAt(payments.settledAt, payments.settledAt),
    ]),
    // A change records one payment.
    ...{ order: [payments.recordedAt], taken: recordedBy(payments) },
  },
  {
    ...{ kind: 'past_parking_session', table: pastParkingSessions, parent: 'session_id', rows: ROWS },
    travels: columnsOf(pastParkingSessions, [ofSession(pastParkingSessions.id)]),
    order: [pastParkingSessions.replacedAt, pastParkingSessions.id],
    taken: past(pastParkingSessions).before,
  },
  {
    ...{
      kind: 'past_subscription',
      table: pastSubscriptions,
      parent: 'subscription_number',
      rows: LARGE_ROWS,
    },
    travels: columnsOf(pastSubscriptions, [
      ofSubscription(pastSubscriptions.id),
      ofType(pastSubscriptions.typeId),
    ]),
    order: [pastSubscriptions.replacedAt, pastSubscriptions.id],
    taken: past(pastSubscriptions).before,
  },
  {
    ...{ kind: 'past_subscription_plate', table: pastSubscriptionPlates, parent: 'subscription_number' },
    travels: columnsOf(pastSubscriptionPlates, [ofSubscription(pastSubscriptionPlates.subscriptionId)]),
    order: [
      pastSubscriptionPlates.replacedAt,
      pastSubscriptionPlates.subscriptionId,
      pastSubscriptionPlates.id,
    ],
    ...{ taken: past(pastSubscriptionPlates).before, rows: ROWS },
  },
  {
    ...{ kind: 'erased_plate', table: erasedPlates, travels: columnsOf(erasedPlates), order: [], taken: ALL },
    rows: ALL_ROWS,
  },
];

/** A municipality's own row travels without its identity and its restore. */
export const OWN: readonly Travelling[] = columnsOf(
  municipalities,
  [],
  [
    ...[municipalities.id, municipalities.tenantId, municipalities.code],
    ...[municipalities.restoring, municipalities.pastSince, municipalities.restoredAt],
  ],
);

export const readsOf = (travels: readonly Travelling[]) =>
  Object.entries(Object.assign({}, ...travels.map(({ reads }) => reads)) as Travelling['reads']);

/** The columns of a table's primary key. */
export function keyOf(table: SQLiteTable): readonly SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

/** The SQL of a row's columns. Those of a version that it lacks never change, and are read from the present row. */
export function namedIn({ table, present }: Pick<StoredTable, 'table' | 'present'>): Named {
  const names = new Set(Object.values(getTableColumns(table)).map(({ name }) => name));
  return (name) =>
    present === undefined || names.has(name)
      ? columnIn(table, name)
      : sql`(select ${columnIn(present, name)} from ${present} where ${columnIn(present, 'id')} = ${columnIn(table, 'id')})`;
}
