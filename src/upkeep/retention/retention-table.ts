import { getTableName, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { HOUR_MS } from '../../domain/instant.ts';
import { firstIdAt } from '../../storage/call-log/call-log-table.ts';
import { db, type Query, query } from '../../storage/db/batch.ts';
import {
  callPlates,
  calls,
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
  rejectedPlates,
  sources,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { LONG_VERSION_MS } from '../../storage/db/schema/sessions.ts';
import { bare, keyOf, list, literal } from '../../storage/db/sql.ts';

/** A place among the rows of all municipalities, in the order in which they were recorded. */
export type Position = Readonly<Record<'municipality' | 'at' | 'key', number | string>>;

/**
 * Deletes rows of a table that are past their retention, some at a time. Values: the instants before which rows are past it
 * (`calls`, `sessions`, `subscriptions`, for rejected plates `day`, and `longest`), a {@link Position}, `rows`.
 */
export interface Deletion {
  readonly table: string;
  /** The most rows that one statement deletes: a check that arrives meanwhile has to wait for it. */
  readonly rows: number;
  /**
   * In one transaction. The last one returns a row for each that it deleted. In a {@link walk}, the one before it returns the position
   * of the last row that is looked at, from which the next step continues; none if it looks at fewer than it may, so that it is through.
   */
  readonly queries: readonly Query<unknown[]>[];
}

const ROWS = 250;
/** The most rows that one statement looks at. */
const LOOKED_AT = 1_000;

const LIMIT = sql`limit ${sql.placeholder('rows')}`;
const CALLS = sql`${sql.placeholder('calls')}`;
const SESSIONS = sql`${sql.placeholder('sessions')}`;
const SUBSCRIPTIONS = sql`${sql.placeholder('subscriptions')}`;

/** Deletes the rows whose values are selected. */
const deleting = (table: SQLiteTable, columns: readonly SQLiteColumn[], values: SQL): Query<unknown[]> =>
  query(() =>
    db.all(sql`delete from ${table} where (${list(columns)}) in (${values}) returning 1 as deleted`),
  );

/** @param past selects the rows that are past their retention */
function deletion(table: SQLiteTable, past: SQL, rows = ROWS): Deletion {
  const key = keyOf(table);
  const queries = [deleting(table, key, sql`select ${list(key)} ${past} ${LIMIT}`)];
  return { table: getTableName(table), rows, queries };
}

type OfMunicipality = SQLiteTable & { readonly municipalityId: SQLiteColumn };
type Recorded = OfMunicipality & { readonly recordedAt: SQLiteColumn };

/** Rows of municipalities, but not of one that is being restored: later parts may refer to them. */
const ofMunicipalities = (table: OfMunicipality, condition: SQL): SQL =>
  sql`from ${municipalities} cross join ${table} on ${table.municipalityId} = ${municipalities.id} and ${condition}
    where ${municipalities.restoring} is null`;

/** Versions that were replaced before a cut. */
const replaced = (table: OfMunicipality & { readonly replacedAt: SQLiteColumn }, before: SQL): Deletion =>
  deletion(table, ofMunicipalities(table, sql`${table.replacedAt} < ${before}`));

/** Configurations of a municipality, or imports of a source, that the next one followed before a cut: that replaced them. */
function followed(table: Recorded, owner: SQLiteColumn, before: SQL, rows?: number): Deletion {
  const later = sql.identifier('later');
  const newest = sql`(select max(${later}.${bare(table.recordedAt)}) from ${table} as ${later}
    where ${later}.${bare(owner)} = ${owner} and ${later}.${bare(table.recordedAt)} < ${before})`;
  const past = sql`${table.recordedAt} < ${before} and ${table.recordedAt} < ${newest}`;
  return deletion(table, ofMunicipalities(table, past), rows);
}

/**
 * Of rows that were recorded before a cut, some are not over: a season ticket, a title that is still renewed. A run walks through them in
 * the order of the municipalities and of an index, and looks at each once.
 * The last column of its key is the position's.
 *
 * @param children have the key in a column of theirs, and go before
 */
function walk(
  table: Recorded,
  before: SQL,
  isOver: SQL,
  { rows = ROWS, children = [] }: { rows?: number; children?: readonly SQLiteColumn[] } = {},
): Deletion {
  const [municipality, at, key] = ['municipality', 'at', 'key'].map((name) => sql.placeholder(name));
  const columns = keyOf(table);
  const place = list([municipalities.id, table.recordedAt, sql`${columns.at(-1)}`]);
  const next = sql`${ofMunicipalities(
    table,
    sql`${table.recordedAt} >= iif(${municipalities.id} = ${municipality}, ${at}, 0) and ${table.recordedAt} < ${before}`,
  )} and ${municipalities.id} >= ${municipality} and (${place}) > (${municipality}, ${at}, ${key}) order by ${place}`;
  const looked = sql`select ${list(columns.map((column) => sql`${column} as ${bare(column)}`))}, ${isOver} as is_over ${next} limit ${literal(LOOKED_AT)}`;
  const keys = sql`select ${list(columns.map(bare))} from (${looked}) where is_over ${LIMIT}`;
  return {
    ...{ table: getTableName(table), rows },
    queries: [
      ...children.map((column) => deleting(column.table as SQLiteTable, [column], keys)),
      query(() =>
        db.all<Position>(sql`select ${municipalities.id} as "municipality", ${table.recordedAt} as "at", ${columns.at(-1)} as "key"
          ${next} limit 1 offset ${literal(LOOKED_AT - 1)}`),
      ),
      deleting(table, columns, keys),
    ],
  };
}

/** When a session is over: at its effective end, or at its cancellation if that is earlier. */
export const SESSION_OVER_AT: SQL<number> = sql`min(
  coalesce(${parkingSessions.endsAt}, ${parkingSessions.startsAt} + ${literal(HOUR_MS)} * (
    select ${sources.openSessionMaxHours} from ${sources}
    where ${sources.municipalityId} = ${parkingSessions.municipalityId} and ${sources.code} = ${parkingSessions.sourceCode})),
  coalesce(${parkingSessions.cancelledAt}, ${literal(Number.MAX_SAFE_INTEGER)}))`;

/** When the period of a payment is over: at its end, or when its reversal was recorded. 0: it made none. */
const PAID_UNTIL = sql`coalesce(min(${payments.endsAt}, coalesce(${payments.reversalRecordedAt}, ${payments.endsAt})), 0)`;

/**
 * The domain's `subscriptionOverAt`, of a subscription whose last change is before the instant. A period that was reversed before
 * it began is none.
 */
export const subscriptionIsOver = (before: SQL): SQL => sql`(
  ${subscriptions.approval} = 'rejected' or coalesce(${subscriptions.revokedAt} < ${before}, 0) or max(
    coalesce(${subscriptions.authorizedUntil}, 0),
    coalesce((select max(value ->> 1) from json_each(${subscriptions.periods})), 0),
    coalesce((select max(${PAID_UNTIL}) from ${payments} where ${payments.subscriptionId} = ${subscriptions.id}
      and ${payments.startsAt} is not null
      and coalesce(${payments.startsAt} < ${payments.reversalRecordedAt}, 1)), 0)) < ${before})`;

/** A title whose plates have changed since was changed since. */
const TITLE_IS_OVER = sql`(${subscriptionIsOver(SUBSCRIPTIONS)}
  and not exists (select 1 from ${subscriptionPlates}
    where ${subscriptionPlates.subscriptionId} = ${subscriptions.id} and ${subscriptionPlates.recordedAt} >= ${SUBSCRIPTIONS})
  and not exists (select 1 from ${pastSubscriptionPlates} where ${pastSubscriptionPlates.subscriptionId} = ${subscriptions.id}))`;

/** The instants that rows bear. */
const BORNE = [
  parkingSessions.recordedAt,
  pastParkingSessions.replacedAt,
  subscriptions.recordedAt,
  pastSubscriptions.recordedAt,
  pastSubscriptions.replacedAt,
  subscriptionPlates.recordedAt,
  pastSubscriptionPlates.recordedAt,
  pastSubscriptionPlates.replacedAt,
  payments.recordedAt,
  payments.reversalRecordedAt,
  configurationVersions.recordedAt,
];
const isBorneBy = (column: SQLiteColumn, condition = sql``): SQL => sql`exists (select 1 from ${column.table}
  where ${column.table}.${bare(changes.municipalityId)} = ${changes.municipalityId} and ${column} = ${changes.recordedAt} ${condition})`;

/** Of a session's versions, only those that lived long may bear an instant so long ago: the others are past their retention. */
const LONG_VERSION = sql`and ${pastParkingSessions.replacedAt} - ${pastParkingSessions.recordedAt} > ${literal(LONG_VERSION_MS)}`;
const newest = alias(changes, 'newest');
/** A municipality's newest change stays. */
const NOTHING_BEARS_IT = sql`(${changes.recordedAt} < (
    select max(${newest.recordedAt}) from ${changes} as ${newest} where ${newest.municipalityId} = ${municipalities.id})
  and not (${sql.join(
    [...BORNE.map((column) => isBorneBy(column)), isBorneBy(pastParkingSessions.recordedAt, LONG_VERSION)],
    sql` or `,
  )}))`;

/**
 * In order: versions and payments are deleted before their session or subscription, and a change after all rows that have its
 * instant. A configuration and a kept import count as replaced when the next one is recorded.
 */
export const DELETIONS: readonly Deletion[] = [
  // The key begins with the instant.
  deletion(calls, sql`from ${calls} where ${calls.id} < ${firstIdAt(CALLS)}`, 1_000),
  deletion(callPlates, sql`from ${callPlates} where ${callPlates.id} < ${firstIdAt(CALLS)}`, 1_000),
  deletion(
    rejectedPlates,
    sql`from ${rejectedPlates} where ${rejectedPlates.at} < ${sql.placeholder('day')}`,
  ),
  replaced(pastParkingSessions, SESSIONS),
  replaced(pastSubscriptions, SUBSCRIPTIONS),
  replaced(pastSubscriptionPlates, SUBSCRIPTIONS),
  // One may have a megabyte.
  followed(configurationVersions, configurationVersions.municipalityId, SESSIONS, 10),
  followed(imports, imports.sourceId, SESSIONS),
  deletion(
    erasedPlates,
    sql`from ${erasedPlates} where ${erasedPlates.erasedAt} < ${sql.placeholder('longest')} and ${erasedPlates.municipalityId} not in (
      select ${municipalities.id} from ${municipalities} where ${municipalities.restoring} is not null)`,
  ),
  walk(payments, SUBSCRIPTIONS, sql`${PAID_UNTIL} < ${SUBSCRIPTIONS}`),
  walk(parkingSessions, SESSIONS, sql`${SESSION_OVER_AT} < ${SESSIONS}`),
  // A subscription may have 500 plates.
  walk(subscriptions, SUBSCRIPTIONS, TITLE_IS_OVER, {
    ...{ rows: 25, children: [subscriptionPlates.subscriptionId] },
  }),
  walk(changes, sql`${SESSIONS} - ${literal(LONG_VERSION_MS)}`, NOTHING_BEARS_IT),
];
