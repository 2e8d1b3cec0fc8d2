import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { HOUR_MS } from '../domain/instant.ts';
import {
  anonymizations,
  areas,
  changes,
  configurationVersions,
  erasedPlates,
  parkingSessions,
  pastParkingSessions,
  pastSourceImports,
  pastSubscriptionPlates,
  pastSubscriptions,
  plans,
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
  sourceDelays,
  sourceImports,
  sources,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from './schema/index.ts';
import { literal } from './sql.ts';
import {
  deletePastSpans,
  FROM_RECORD,
  PRESENT_RECORD,
  touchSubscriptions,
  writeLists,
} from './stored-subscriptions.ts';
import {
  asCode,
  asSession,
  asSubscription,
  asTheyAre,
  asUuid,
  type Named,
  ofMunicipality,
  type Travelling,
  together,
} from './travelling.ts';

/** How the rows of a table are read that are a municipality's. */
export type Reading =
  /** They are few: all of them together. */
  | { readonly by: 'owner'; readonly index?: string }
  /** In the order of an index, or where that has no name of the table itself. */
  | ({
      readonly by: 'order';
      readonly index?: string;
      /** What follows the municipality there: together these name one row. */
      readonly order: readonly SQLiteColumn[];
    } & (
      | {
          /** The first of these: when a row was recorded or replaced. */
          readonly at: SQLiteColumn;
        }
      | {
          readonly at: null;
          /** Until when a row lasts: all that ever changes of it is that it lasts longer than until now. */
          readonly until: SQLiteColumn;
        }
    ))
  /** They count for a day: those of the last one. */
  | { readonly by: 'age'; readonly index: string; readonly isSince: (instant: SQL) => SQL };

/** A table that holds what is a municipality's. */
export interface StoredTable {
  /** What a row is called in a backup. */
  readonly kind: string;
  readonly table: SQLiteTable;
  /** The municipality, or the source, that a row is of. */
  readonly owner: SQLiteColumn;
  readonly reading: Reading;
  /** What a row is known by in every database. */
  readonly key: readonly SQLiteColumn[];
  /** No index holds that there is one row of a key. */
  readonly hasNoUniqueKey?: true;
  readonly travels: Travelling;
  /** What is read otherwise than from a column. */
  readonly computed?: Readonly<Record<string, SQL>>;
  /** What else is written for rows that have arrived. */
  readonly also?: (value: Named) => SQL[];
  /** A row goes with that one's row: {@link StoredTable.table}s. */
  readonly goesWith?: SQLiteTable;
  /** The table of the present that it has the past of, and the column with the number of the present row. */
  readonly pastOf?: { readonly table: SQLiteTable; readonly id: SQLiteColumn };
  /** The column that holds a plate, and the index that finds it, behind the municipality. */
  readonly plate?: { readonly column: SQLiteColumn; readonly index: string };
  /** What is not deleted where the municipality has left: it is small, and other tables refer to it; or the newest row of all. */
  readonly stays?: 'all' | 'newest';
  /** A row may have over 100 KB, or lists that go with it. */
  readonly hasLargeRows?: true;
  /** A backup has none of it. */
  readonly isLeftOutOfBackups?: true;
}

const few = { by: 'owner' } as const;
const inOrder = (order: readonly [SQLiteColumn, ...SQLiteColumn[]], index?: string): Reading => ({
  by: 'order',
  order,
  at: order[0],
  ...(index !== undefined && { index }),
});

/** A table with a `municipality_id`, whose columns travel as they are but for some. */
const ofCity = <T extends SQLiteTable & { readonly municipalityId: SQLiteColumn }>(
  kind: string,
  table: T,
  otherwise: readonly Travelling[] = [],
  others: readonly string[] = [],
) => ({
  kind,
  table,
  owner: table.municipalityId,
  travels: together([
    ofMunicipality(table.municipalityId),
    asTheyAre(table, [...others, ...otherwise.flatMap(({ writes }) => writes.map(([{ name }]) => name))]),
    ...otherwise,
  ]),
});

/** The same for one with a `source_id`. */
const ofSource = <T extends SQLiteTable & { readonly sourceId: SQLiteColumn }>(kind: string, table: T) => ({
  kind,
  table,
  owner: table.sourceId,
  travels: together([asCode(table.sourceId, sources), asTheyAre(table, [table.sourceId.name])]),
});

/**
 * All tables that hold what is a municipality's, each behind those that it refers to. Who copies a municipality, or deletes what it
 * has left behind, goes through them: a table that is added here is copied, backed up, restored and cleaned up.
 */
export const STORED_TABLES: readonly StoredTable[] = [
  { ...ofCity('area', areas), reading: few, key: [areas.id], stays: 'all' },
  { ...ofCity('source', sources), reading: few, key: [sources.id], stays: 'all' },
  {
    ...ofCity('subscription_type', subscriptionTypes, [], ['id']),
    ...{ reading: few, stays: 'all' },
    key: [subscriptionTypes.municipalityId, subscriptionTypes.code],
  },
  {
    ...ofCity('plan', plans, [asCode(plans.subscriptionTypeId, subscriptionTypes)], ['id']),
    ...{ reading: few, stays: 'all' },
    key: [plans.municipalityId, plans.code],
  },
  { ...ofSource('source_import', sourceImports), reading: few, key: [sourceImports.sourceId] },
  {
    ...ofSource('source_delay', sourceDelays),
    reading: { by: 'owner', index: 'sqlite_autoindex_source_delays_1' },
    key: [sourceDelays.sourceId, sourceDelays.day, sourceDelays.step],
  },
  {
    ...ofCity('past_source_import', pastSourceImports, [asCode(pastSourceImports.sourceId, sources)]),
    reading: inOrder(
      [pastSourceImports.replacedAt, pastSourceImports.sourceId],
      'past_source_imports_by_time',
    ),
    key: [pastSourceImports.sourceId, pastSourceImports.replacedAt],
  },
  {
    ...ofCity('anonymization', anonymizations),
    ...{ reading: few, isLeftOutOfBackups: true },
    key: [anonymizations.municipalityId],
  },
  {
    ...ofCity('configuration_version', configurationVersions),
    hasLargeRows: true,
    reading: inOrder([configurationVersions.recordedAt, configurationVersions.part]),
    key: [configurationVersions.municipalityId, configurationVersions.recordedAt, configurationVersions.part],
  },
  {
    ...ofCity('change', changes, [asUuid(changes.requestId)]),
    reading: inOrder([changes.recordedAt]),
    key: [changes.municipalityId, changes.recordedAt],
  },
  {
    ...ofCity('erased_plate', erasedPlates, [], ['id']),
    ...{
      reading: {
        by: 'order',
        index: 'erased_plates_by_city',
        order: [erasedPlates.id],
        at: null,
        until: erasedPlates.guardsUntil,
      },
    },
    key: [
      erasedPlates.municipalityId,
      ...[erasedPlates.kind, erasedPlates.sourceCode, erasedPlates.key, erasedPlates.digest],
    ],
    // Imports compare its number.
    stays: 'newest',
  },
  {
    ...ofCity('parking_session', parkingSessions, [asCode(parkingSessions.areaId, areas)], ['id']),
    reading: inOrder([parkingSessions.recordedAt, parkingSessions.id], 'parking_sessions_by_recording'),
    key: [parkingSessions.municipalityId, parkingSessions.sourceCode, parkingSessions.sessionId],
    plate: { column: parkingSessions.plate, index: 'parking_sessions_by_plate' },
  },
  {
    ...ofCity('past_parking_session', pastParkingSessions, [
      asSession(pastParkingSessions.id),
      asCode(pastParkingSessions.areaId, areas),
    ]),
    reading: inOrder(
      [pastParkingSessions.replacedAt, pastParkingSessions.id],
      'past_parking_sessions_by_time',
    ),
    key: [pastParkingSessions.id, pastParkingSessions.replacedAt],
    goesWith: parkingSessions,
    pastOf: { table: parkingSessions, id: pastParkingSessions.id },
    plate: { column: pastParkingSessions.plate, index: 'past_parking_sessions_by_plate' },
  },
  {
    ...{ kind: 'subscription', table: subscriptions, owner: subscriptions.municipalityId },
    travels: together([
      ofMunicipality(subscriptions.municipalityId),
      FROM_RECORD,
      asTheyAre(subscriptions, ['id', ...FROM_RECORD.writes.map(([{ name }]) => name)]),
    ]),
    reading: inOrder([subscriptions.recordedAt, subscriptions.id], 'subscriptions_by_recording'),
    key: [subscriptions.municipalityId, subscriptions.subscriptionNumber],
    computed: { record: PRESENT_RECORD },
    hasLargeRows: true,
    also: writeLists,
  },
  {
    ...ofCity(
      'subscription_plate',
      subscriptionPlates,
      [asSubscription(subscriptionPlates.subscriptionId)],
      ['id'],
    ),
    reading: inOrder(
      [subscriptionPlates.recordedAt, subscriptionPlates.id],
      'subscription_plates_by_recording',
    ),
    key: [
      subscriptionPlates.subscriptionId,
      ...[subscriptionPlates.plate, subscriptionPlates.validFrom, subscriptionPlates.validUntil],
      subscriptionPlates.recordedAt,
    ],
    hasNoUniqueKey: true,
    goesWith: subscriptions,
    also: touchSubscriptions('recorded_at'),
    plate: { column: subscriptionPlates.plate, index: 'subscription_plates_by_plate' },
  },
  {
    ...ofCity('past_subscription', pastSubscriptions, [asSubscription(pastSubscriptions.id)]),
    reading: inOrder([pastSubscriptions.replacedAt, pastSubscriptions.id], 'past_subscriptions_by_time'),
    key: [pastSubscriptions.id, pastSubscriptions.replacedAt],
    hasLargeRows: true,
    goesWith: subscriptions,
    pastOf: { table: subscriptions, id: pastSubscriptions.id },
  },
  {
    ...ofCity('past_subscription_plate', pastSubscriptionPlates, [
      asSubscription(pastSubscriptionPlates.subscriptionId),
    ]),
    reading: inOrder(
      [pastSubscriptionPlates.replacedAt, pastSubscriptionPlates.subscriptionId, pastSubscriptionPlates.id],
      'past_subscription_plates_by_time',
    ),
    key: [
      pastSubscriptionPlates.subscriptionId,
      pastSubscriptionPlates.replacedAt,
      pastSubscriptionPlates.id,
    ],
    goesWith: subscriptions,
    pastOf: { table: subscriptionPlates, id: pastSubscriptionPlates.id },
    also: deletePastSpans,
    plate: { column: pastSubscriptionPlates.plate, index: 'past_subscription_plates_by_plate' },
  },
  {
    ...ofSource('rejected_plate', rejectedPlates),
    reading: {
      by: 'age',
      index: 'rejected_plates_by_source',
      isSince: (from) => sql`${rejectedPlates.at} > ${from}`,
    },
    key: [rejectedPlates.sourceId, rejectedPlates.digest],
    isLeftOutOfBackups: true,
  },
  {
    ...ofCity('rejected_subscription_plate', rejectedSubscriptionPlates),
    reading: {
      by: 'age',
      index: 'rejected_subscription_plates_by_city',
      isSince: (from) => sql`${rejectedSubscriptionPlates.at} > ${from}`,
    },
    key: [rejectedSubscriptionPlates.municipalityId, rejectedSubscriptionPlates.digest],
    isLeftOutOfBackups: true,
  },
  {
    ...ofCity('rejected_line', rejectedLines),
    reading: {
      by: 'age',
      index: 'sqlite_autoindex_rejected_lines_1',
      isSince: (from) => sql`${rejectedLines.hour} >= cast(${from} as integer) / ${literal(HOUR_MS)}`,
    },
    key: [rejectedLines.municipalityId, rejectedLines.hour, rejectedLines.sourceCode],
    isLeftOutOfBackups: true,
  },
];
