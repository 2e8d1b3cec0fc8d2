import { sql } from 'drizzle-orm';
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
  paymentChanges,
  payments,
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
  touchSubscriptions,
  travellingRecord,
  writeLists,
} from './stored-subscriptions.ts';
import type { Reading, StoredTable } from './stored-table.ts';
import {
  asCode,
  asSession,
  asSubscription,
  asTheyAre,
  asUuid,
  ofMunicipality,
  type Travelling,
  together,
} from './travelling.ts';

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
    computed: { record: travellingRecord(subscriptions) },
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
    ...ofCity('payment', payments, [asSubscription(payments.subscriptionId)]),
    // A change records one payment.
    reading: inOrder([payments.recordedAt], 'payments_by_recording'),
    key: [payments.municipalityId, payments.paymentId],
    plate: { column: payments.plate, index: 'payments_by_plate' },
  },
  {
    ...ofCity('payment_change', paymentChanges, [asSubscription(paymentChanges.subscriptionId)]),
    reading: inOrder([paymentChanges.recordedAt], 'payment_changes_by_recording'),
    key: [paymentChanges.municipalityId, paymentChanges.paymentId, paymentChanges.change],
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
