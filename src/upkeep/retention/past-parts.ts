import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Instant, instant } from '../../domain/instant.ts';
import {
  changes,
  configurationVersions,
  ERASED_KINDS,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSourceImports,
  pastSubscriptionPlates,
  pastSubscriptions,
  sources,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { bare, list, primaryKeyOf, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import { isNotMoving } from '../../storage/db/writable.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { counted, type Past, type Statement, uncounted } from './deletion-parts.ts';

/** A table of the past. */
interface PastTable {
  readonly table: SQLiteTable;
  readonly key: readonly SQLiteColumn[];
  /** The column with the id of its row of the present. */
  readonly of: SQLiteColumn;
  readonly municipalityId: SQLiteColumn;
  readonly replacedAt: SQLiteColumn;
  readonly byTime: string;
}

const ofSessions: PastTable = {
  table: pastParkingSessions,
  key: [pastParkingSessions.id, pastParkingSessions.replacedAt],
  of: pastParkingSessions.id,
  municipalityId: pastParkingSessions.municipalityId,
  replacedAt: pastParkingSessions.replacedAt,
  byTime: 'past_parking_sessions_by_time',
};
const ofSubscriptions: readonly PastTable[] = [
  {
    table: pastSubscriptions,
    key: [pastSubscriptions.id, pastSubscriptions.replacedAt],
    of: pastSubscriptions.id,
    municipalityId: pastSubscriptions.municipalityId,
    replacedAt: pastSubscriptions.replacedAt,
    byTime: 'past_subscriptions_by_time',
  },
  {
    table: pastSubscriptionPlates,
    key: [
      pastSubscriptionPlates.subscriptionId,
      pastSubscriptionPlates.replacedAt,
      pastSubscriptionPlates.id,
    ],
    of: pastSubscriptionPlates.subscriptionId,
    municipalityId: pastSubscriptionPlates.municipalityId,
    replacedAt: pastSubscriptionPlates.replacedAt,
    byTime: 'past_subscription_plates_by_time',
  },
];

/** The tables of the present whose rows have versions in the past. */
const VERSIONED: Readonly<
  Record<
    ErasedFrom['kind'],
    { readonly table: typeof parkingSessions | typeof subscriptions; readonly pasts: readonly PastTable[] }
  >
> = {
  parking_session: { table: parkingSessions, pasts: [ofSessions] },
  subscription: { table: subscriptions, pasts: ofSubscriptions },
};

/** A batch deletes at most this many versions of a row on average; the next batch takes the rest. */
const VERSIONS_EACH = 4;

const deleteKeys = (table: SQLiteTable, key: readonly SQLiteColumn[], select: SQL): SQL =>
  sql`delete from ${tableByIndex(table, primaryKeyOf(table))} where (${list(key)}) in (${select}) returning 1 as deleted`;

const CHANGES = tableByIndex(changes, primaryKeyOf(changes));
const municipality = alias(municipalities, 'municipality');

/**
 * What was known before this instant is not known any more: a list that a gate has from before its newest change has to be
 * taken anew. To be run before anything is deleted by it.
 */
const forgetBefore = (before: Instant): Statement =>
  uncounted(sql`update ${municipalities} set ${bare(municipalities.pastSince)} = newest.at from (
    select ${municipality.id} as id, (select max(${changes.recordedAt}) from ${CHANGES}
      where ${changes.municipalityId} = ${municipality.id} and ${changes.recordedAt} < ${before}) as at
    from ${tableAs(municipalities, municipality)}
    where ${isNotMoving(municipality.id)}
  ) as newest where ${municipalities.id} = newest.id and ${municipalities.pastSince} < newest.at`);

/**
 * Deletes rows that are past their retention, and their versions before them: a row stays while any of these is left, so that no
 * batch deletes all of a long past at once.
 *
 * @param ids a sub-select of `id`
 */
export function deleteVersioned(
  kind: ErasedFrom['kind'],
  ids: SQL,
  before: Instant,
  rows: number,
): readonly Statement[] {
  const { table, pasts } = VERSIONED[kind];
  return [
    forgetBefore(before),
    ...pasts.map((past) =>
      uncounted(
        deleteKeys(
          past.table,
          past.key,
          sql`select ${list(past.key)} from ${ids} as gone cross join ${tableByIndex(past.table, primaryKeyOf(past.table))}
            on ${past.of} = gone.id and ${past.replacedAt} < ${before} limit ${rows * VERSIONS_EACH}`,
        ),
      ),
    ),
    counted(sql`delete from ${table} where ${table.id} in (select gone.id from ${ids} as gone)
      and ${table.recordedAt} < ${before} and ${isNotMoving(table.municipalityId)}
      and ${sql.join(
        pasts.map(
          (past) =>
            sql`not exists (select 1 from ${tableByIndex(past.table, primaryKeyOf(past.table))} where ${past.of} = ${table.id})`,
        ),
        sql` and `,
      )} returning 1 as deleted`),
  ];
}

/** Deletes versions that were replaced before an instant. */
export const deleteReplaced = (past: Past, rows: number): readonly Statement[] => [
  forgetBefore(instant(Math.max(past.parking_session, past.subscription))),
  ...ERASED_KINDS.flatMap((kind) =>
    VERSIONED[kind].pasts.map(({ table, key, municipalityId, replacedAt, byTime }) =>
      counted(
        deleteKeys(
          table,
          key,
          sql`select ${list(key)} from ${municipalities} cross join ${tableByIndex(table, byTime)}
            on ${municipalityId} = ${municipalities.id} and ${replacedAt} < ${past[kind]}
            where ${isNotMoving(municipalities.id)} limit ${rows}`,
        ),
      ),
    ),
  ),
];

const older = alias(changes, 'older');
const version = alias(configurationVersions, 'version');

/** Deletes changes, but never the newest of a municipality: the next one counts from it. */
export const deleteChanges = (before: Instant, rows: number): Statement =>
  counted(
    deleteKeys(
      changes,
      [changes.municipalityId, changes.recordedAt],
      sql`select ${older.municipalityId}, ${older.recordedAt} from ${municipalities} cross join ${tableAs(changes, older, primaryKeyOf(changes))}
        on ${older.municipalityId} = ${municipalities.id} and ${older.recordedAt} < min(${before},
          (select max(${changes.recordedAt}) from ${CHANGES} where ${changes.municipalityId} = ${municipalities.id}))
        where ${isNotMoving(municipalities.id)} limit ${rows}`,
    ),
  );

/** Deletes configurations whose successor is older than an instant, and how imports stood that were followed before it. */
export const deleteConfigurations = (before: Instant, rows: number): readonly Statement[] => [
  counted(
    deleteKeys(
      configurationVersions,
      [configurationVersions.municipalityId, configurationVersions.recordedAt, configurationVersions.part],
      sql`select ${version.municipalityId}, ${version.recordedAt}, ${version.part} from ${municipalities}
        cross join ${tableAs(configurationVersions, version, primaryKeyOf(configurationVersions))} on ${version.municipalityId} = ${municipalities.id} and ${version.recordedAt} < (
          select max(${configurationVersions.recordedAt}) from ${tableByIndex(configurationVersions, primaryKeyOf(configurationVersions))}
          where ${configurationVersions.municipalityId} = ${municipalities.id} and ${configurationVersions.recordedAt} < ${before})
        where ${isNotMoving(municipalities.id)} limit ${rows}`,
    ),
  ),
  counted(
    deleteKeys(
      pastSourceImports,
      [pastSourceImports.sourceId, pastSourceImports.replacedAt],
      sql`select ${pastSourceImports.sourceId}, ${pastSourceImports.replacedAt} from ${sources}
        cross join ${tableByIndex(pastSourceImports, primaryKeyOf(pastSourceImports))}
        on ${pastSourceImports.sourceId} = ${sources.id} and ${pastSourceImports.replacedAt} < ${before}
        where ${isNotMoving(sources.municipalityId)} limit ${rows}`,
    ),
  ),
];
