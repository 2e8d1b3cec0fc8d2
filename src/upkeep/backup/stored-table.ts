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

/** The SQL of a value by its name: of a column that is read, or of a row's value that is written. */
type Named = (name: string) => SQL;

/** Values of a backup's row, and the column that they make. */
interface Travelling {
  readonly reads: Readonly<Record<string, (of: Named) => SQL>>;
  readonly column: SQLiteColumn;
  readonly write: (value: Named) => SQL;
  /** Its values are the key of another row, which an erasure may make a digest. */
  readonly isErasable?: true;
}

/** A table of a backup. */
export interface StoredTable {
  /** What a backup calls its rows. */
  readonly kind: string;
  readonly table: SQLiteTable;
  /** The column with the municipality's number. */
  readonly municipality: SQLiteColumn;
  readonly travels: readonly Travelling[];
  /** The numbers by which it is read, after its municipality: those of an index. Without them it is read whole. */
  readonly order: readonly SQLiteColumn[];
  /** Which of its rows are in the backup. Values: `asOf`, `begunAt`. */
  readonly taken: SQL;
  /** The most rows that one statement reads. */
  readonly rows: number;
  /** The table of versions replaced since, which are read as if they were the present: `kind` is that of the present. */
  readonly present?: SQLiteTable;
}

const MUNICIPALITY = sql.placeholder('municipality');
const AS_OF = sql.placeholder('asOf');

const columnIn = (table: SQLiteTable, name: string): SQL => sql`${table}.${sql.identifier(name)}`;

/** A reference to another row is backed up as that row's key, since a restore assigns new numbers. */
const rowOf =
  (parent: SQLiteTable, key: Readonly<Record<string, SQLiteColumn>>, erasable: { isErasable?: true } = {}) =>
  (column: SQLiteColumn): Travelling => ({
    reads: Object.fromEntries(
      Object.entries(key).map(([name, named]) => [
        name,
        (of) => sql`(select ${named} from ${parent} where ${columnIn(parent, 'id')} = ${of(column.name)})`,
      ]),
    ),
    column,
    write: (value) => sql`(select ${columnIn(parent, 'id')} from ${parent}
      where ${columnIn(parent, 'municipality_id')} = ${MUNICIPALITY} and ${sql.join(
        Object.entries(key).map(([name, named]) => sql`${named} = ${value(name)}`),
        sql` and `,
      )})`,
    ...erasable,
  });
const type = rowOf(subscriptionTypes, { subscription_type: subscriptionTypes.code });
const session = rowOf(
  parkingSessions,
  { source_code: parkingSessions.sourceCode, session_id: parkingSessions.sessionId },
  { isErasable: true },
);
const subscription = rowOf(
  subscriptions,
  { subscription_number: subscriptions.subscriptionNumber },
  { isErasable: true },
);

/** A value of a payment that it got at an instant: null, where that is later. */
const gotAt =
  (at: SQLiteColumn) =>
  (column: SQLiteColumn): Travelling => ({
    ...asItIs(column),
    reads: { [column.name]: (of) => sql`iif(${of(at.name)} > ${AS_OF}, null, ${of(column.name)})` },
  });

/** Bytes travel as hexadecimal digits. */
function asItIs(column: SQLiteColumn): Travelling {
  const isBytes = column.getSQLType() === 'blob';
  return {
    reads: { [column.name]: (of) => (isBytes ? sql`hex(${of(column.name)})` : of(column.name)) },
    column,
    write: (value) => (isBytes ? sql`unhex(${value(column.name)})` : value(column.name)),
  };
}

/** A value that the restore gives. */
const given =
  (name: string) =>
  (column: SQLiteColumn): Travelling => ({ reads: {}, column, write: () => sql`${sql.placeholder(name)}` });

/** Null: the column does not travel. All others travel as they are. */
const OTHERWISE = new Map<SQLiteColumn, ((column: SQLiteColumn) => Travelling) | null>([
  [municipalities.id, given('municipality')],
  [municipalities.tenantId, given('tenantId')],
  [municipalities.code, given('code')],
  [municipalities.restoring, given('restoring')],
  [municipalities.pastSince, null],
  [municipalities.restoredAt, null],
  [subscriptionTypes.id, null],
  [plans.id, null],
  [plans.subscriptionTypeId, type],
  [parkingSessions.id, null],
  [pastParkingSessions.id, session],
  [subscriptions.id, null],
  [subscriptions.typeId, type],
  [pastSubscriptions.id, subscription],
  [pastSubscriptions.typeId, type],
  [subscriptionPlates.id, null],
  [subscriptionPlates.subscriptionId, subscription],
  [pastSubscriptionPlates.subscriptionId, subscription],
  [payments.subscriptionId, subscription],
  [payments.reversedAt, gotAt(payments.reversalRecordedAt)],
  [payments.reversalReason, gotAt(payments.reversalRecordedAt)],
  [payments.reversalRecordedAt, gotAt(payments.reversalRecordedAt)],
  [payments.settledOutcome, gotAt(payments.settledAt)],
  [payments.settledNote, gotAt(payments.settledAt)],
  [payments.settledAt, gotAt(payments.settledAt)],
]);

type OfMunicipality = SQLiteTable & { readonly municipalityId: SQLiteColumn };

const travelsOf = (table: SQLiteTable): Travelling[] =>
  Object.values(getTableColumns(table))
    .filter(({ name, generated }) => generated === undefined && name !== 'municipality_id')
    .flatMap((column) => {
      const travels = OTHERWISE.get(column);
      return travels === null ? [] : (travels ?? asItIs)(column);
    });

/** A table that is read whole. */
const whole = (kind: string, table: OfMunicipality, taken = sql`true`): StoredTable => ({
  ...{ kind, table, municipality: table.municipalityId, travels: travelsOf(table), order: [], taken },
  rows: Number.MAX_SAFE_INTEGER,
});

const ROWS = 1_000;
/** One may have 30 KB of periods and areas. */
const LARGE_ROWS = 50;

/** A table that is read some rows at a time, in an order. */
const inOrder = (
  kind: string,
  table: OfMunicipality,
  order: readonly SQLiteColumn[],
  taken: SQL,
  rows = ROWS,
): StoredTable => ({ ...whole(kind, table, taken), order, rows });

type Present = typeof parkingSessions | typeof subscriptions | typeof subscriptionPlates;
type Past = typeof pastParkingSessions | typeof pastSubscriptions | typeof pastSubscriptionPlates;

const recordedBy = (table: OfMunicipality & { readonly recordedAt: SQLiteColumn }): SQL =>
  sql`${table.recordedAt} <= ${AS_OF}`;

/** A table of the present, and its versions that were replaced since the backup began. */
const presentOf = (kind: string, table: Present, past: Past, rows = ROWS): StoredTable[] => {
  const now = inOrder(kind, table, [table.recordedAt, table.id], recordedBy(table), rows);
  const since = sql`${past.replacedAt} > ${AS_OF} and ${recordedBy(past)}`;
  return [
    now,
    { ...inOrder(kind, past, replacements(past), since, rows), travels: now.travels, present: table },
  ];
};

/** The versions that were replaced when the backup began. */
const pastOf = (kind: string, table: Past, rows = ROWS): StoredTable =>
  inOrder(kind, table, replacements(table), sql`${table.replacedAt} <= ${AS_OF}`, rows);

const replacements = (table: Past): SQLiteColumn[] =>
  'subscriptionId' in table
    ? [table.replacedAt, table.subscriptionId, table.id]
    : [table.replacedAt, table.id];

const newest = alias(configurationVersions, 'newest');

/**
 * The municipality and its configuration are read first, in one transaction with the instant of the backup: with its newest version, so
 * that a municipality that is being restored has one, and the last import of each source where that is not kept.
 */
export const CONFIGURATION: readonly StoredTable[] = [
  {
    ...{ kind: 'municipality', table: municipalities, municipality: municipalities.id },
    ...{ travels: travelsOf(municipalities), order: [], taken: sql`true`, rows: 1 },
  },
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
 * All other tables that hold rows of a municipality, each after those that it refers to, and those of the present before those of the
 * past. Erasures are last: the newest count.
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
    2,
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

/** The names of a row's values, and the SQL that reads each. */
export const readsOf = ({ travels }: StoredTable) => travels.flatMap(({ reads }) => Object.entries(reads));

/** The SQL of a row's columns. Those of a version that it lacks never change, and are read from the present row. */
export function namedIn({ table, present }: StoredTable): Named {
  const names = new Set(Object.values(getTableColumns(table)).map(({ name }) => name));
  return (name) =>
    present === undefined || names.has(name)
      ? columnIn(table, name)
      : sql`(select ${columnIn(present, name)} from ${present} where ${columnIn(present, 'id')} = ${columnIn(table, 'id')})`;
}
