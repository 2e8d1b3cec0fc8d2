import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
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
  sourceImports,
  sources,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from './schema/index.ts';
import { primaryKeyOf } from './sql.ts';
import {
  deletePastSpans,
  FROM_RECORD,
  presentRecord,
  touchSubscriptions,
  writeLists,
} from './stored-subscriptions.ts';
import type { Over, Reading, StoredTable } from './stored-table.ts';
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

/** A version is over once it is replaced. */
const replaced = (kept: Over['kept'], at: SQLiteColumn, index: string): Over => ({
  ...{ kept, at, index },
  reportedAs: 'versions',
});
const forADay = (at: SQLiteColumn, index: string): Over => ({
  ...{ kept: 'rejected', at, index },
  reportedAs: 'changes_by_day',
});

/** A table with a `municipality_id`. Its columns travel unchanged, except `otherwise` and `others`. */
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
 * All tables that hold rows of a municipality, each after those that it refers to. Backup, restore, erasure and retention use
 * this list: a new table needs only its entry here. Configuration versions, changes
 * and erased plates last until they have a successor; retention has special statements for those, for sessions and for subscriptions.
 */
export const STORED_TABLES: readonly StoredTable[] = [
  {
    ...{ ...ofCity('area', areas), reading: few, isConfiguration: true },
    key: [areas.id],
  },
  {
    ...{ ...ofCity('source', sources), reading: few, isConfiguration: true },
    key: [sources.id],
  },
  {
    ...ofCity('subscription_type', subscriptionTypes, [], ['id']),
    ...{ reading: few, isConfiguration: true },
    key: [subscriptionTypes.municipalityId, subscriptionTypes.code],
  },
  {
    ...ofCity('plan', plans, [asCode(plans.subscriptionTypeId, subscriptionTypes)], ['id']),
    ...{ reading: few, isConfiguration: true },
    key: [plans.municipalityId, plans.code],
  },
  { ...ofSource('source_import', sourceImports), reading: few, key: [sourceImports.sourceId] },
  {
    ...ofCity('past_source_import', pastSourceImports, [asCode(pastSourceImports.sourceId, sources)]),
    reading: inOrder(
      [pastSourceImports.replacedAt, pastSourceImports.sourceId],
      'past_source_imports_by_time',
    ),
    key: [pastSourceImports.sourceId, pastSourceImports.replacedAt],
    over: {
      ...{ kept: 'parking_session', at: pastSourceImports.replacedAt },
      ...{ index: 'past_source_imports_by_time', reportedAs: 'configurations' },
    },
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
      },
    },
    key: [
      erasedPlates.municipalityId,
      ...[erasedPlates.kind, erasedPlates.sourceCode, erasedPlates.key, erasedPlates.digest],
    ],
  },
  {
    ...ofCity('parking_session', parkingSessions, [asCode(parkingSessions.areaId, areas)], ['id']),
    reading: inOrder([parkingSessions.recordedAt, parkingSessions.id], 'parking_sessions_by_recording'),
    key: [parkingSessions.municipalityId, parkingSessions.sourceCode, parkingSessions.sessionId],
    plate: { column: parkingSessions.plate, index: 'parking_sessions_by_plate' },
    named: {
      ...{ index: 'parking_sessions_key', source: parkingSessions.sourceCode },
      key: parkingSessions.sessionId,
    },
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
    goesWith: { table: parkingSessions, id: pastParkingSessions.id },
    pastOf: { table: parkingSessions, id: pastParkingSessions.id },
    plate: { column: pastParkingSessions.plate, index: 'past_parking_sessions_by_plate' },
    over: replaced('parking_session', pastParkingSessions.replacedAt, 'past_parking_sessions_by_time'),
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
    computed: { record: presentRecord(subscriptions) },
    hasLargeRows: true,
    also: writeLists,
    named: { index: 'subscriptions_number', key: subscriptions.subscriptionNumber },
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
    goesWith: { table: subscriptions, id: subscriptionPlates.subscriptionId },
    also: touchSubscriptions('recorded_at'),
    plate: {
      ...{ column: subscriptionPlates.plate, index: 'subscription_plates_by_plate' },
      goesWithRow: true,
    },
  },
  {
    ...ofCity('past_subscription', pastSubscriptions, [asSubscription(pastSubscriptions.id)]),
    reading: inOrder([pastSubscriptions.replacedAt, pastSubscriptions.id], 'past_subscriptions_by_time'),
    key: [pastSubscriptions.id, pastSubscriptions.replacedAt],
    hasLargeRows: true,
    goesWith: { table: subscriptions, id: pastSubscriptions.id },
    pastOf: { table: subscriptions, id: pastSubscriptions.id },
    over: replaced('subscription', pastSubscriptions.replacedAt, 'past_subscriptions_by_time'),
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
    goesWith: { table: subscriptions, id: pastSubscriptionPlates.subscriptionId },
    pastOf: { table: subscriptionPlates, id: pastSubscriptionPlates.id },
    also: deletePastSpans,
    plate: {
      ...{ column: pastSubscriptionPlates.plate, index: 'past_subscription_plates_by_plate' },
      goesWithRow: true,
    },
    over: replaced('subscription', pastSubscriptionPlates.replacedAt, 'past_subscription_plates_by_time'),
  },
  {
    ...ofCity('payment', payments, [asSubscription(payments.subscriptionId)]),
    // A change records one payment.
    reading: inOrder([payments.recordedAt], 'payments_by_recording'),
    key: [payments.municipalityId, payments.paymentId],
    plate: { column: payments.plate, index: 'payments_by_plate' },
    named: { index: primaryKeyOf(payments), key: payments.paymentId },
    texts: [payments.terminalCode],
    takesAlong: {
      ...{ table: paymentChanges, by: [paymentChanges.municipalityId, paymentChanges.paymentId] },
      texts: [paymentChanges.note],
    },
    over: {
      ...{ kept: 'subscription', at: payments.recordedAt, index: 'payments_by_recording' },
      reportedAs: 'payments',
    },
  },
  {
    ...ofCity('payment_change', paymentChanges, [asSubscription(paymentChanges.subscriptionId)]),
    reading: inOrder([paymentChanges.recordedAt], 'payment_changes_by_recording'),
    key: [paymentChanges.municipalityId, paymentChanges.paymentId, paymentChanges.change],
  },
  {
    ...ofSource('rejected_plate', rejectedPlates),
    reading: { by: 'owner', index: 'rejected_plates_by_source' },
    key: [rejectedPlates.sourceId, rejectedPlates.digest],
    isLeftOutOfBackups: true,
    digest: { column: rejectedPlates.digest, index: 'rejected_plates_by_digest' },
    over: forADay(rejectedPlates.at, 'rejected_plates_by_at'),
  },
  {
    ...ofCity('rejected_subscription_plate', rejectedSubscriptionPlates),
    reading: { by: 'owner', index: 'rejected_subscription_plates_by_city' },
    key: [rejectedSubscriptionPlates.municipalityId, rejectedSubscriptionPlates.digest],
    isLeftOutOfBackups: true,
    digest: { column: rejectedSubscriptionPlates.digest, index: 'rejected_subscription_plates_by_digest' },
    over: forADay(rejectedSubscriptionPlates.at, 'rejected_subscription_plates_by_at'),
  },
  {
    ...ofCity('rejected_line', rejectedLines),
    reading: { by: 'owner', index: 'sqlite_autoindex_rejected_lines_1' },
    key: [rejectedLines.municipalityId, rejectedLines.hour, rejectedLines.sourceCode],
    isLeftOutOfBackups: true,
    over: forADay(rejectedLines.lastAt, 'rejected_lines_by_last_at'),
  },
];
