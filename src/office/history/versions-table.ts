import { and, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { db, query } from '../../storage/db/batch.ts';
import {
  areas,
  changes,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  payments,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import { uuidOf } from '../../storage/db/sql.ts';
import { judgedColumns } from '../../storage/db/titles.ts';

/*
 * All versions of a plate in a municipality, of the present and of the past. Their values: `municipalityId`, `plate`.
 */

/** The most versions of a plate, of each kind and table, that a call reads. */
export const MAX_VERSIONS = 10_000;

const MUNICIPALITY_ID = sql.placeholder('municipalityId');
const PLATE = sql.placeholder('plate');

/** The id of the call that made a change of the municipality. */
const requestAt = (at: SQL) =>
  sql<string | null>`(
    select ${uuidOf(changes.requestId)}
    from ${changes}
    where ${changes.municipalityId} = ${MUNICIPALITY_ID} and ${changes.recordedAt} = ${at}
  )`;

const before = alias(pastParkingSessions, 'before');

/** Of a session's version. */
const sessionColumns = (version: typeof parkingSessions | typeof pastParkingSessions) => ({
  id: version.id,
  sourceCode: parkingSessions.sourceCode,
  sessionId: parkingSessions.sessionId,
  plate: version.plate,
  areaCode: areas.code,
  startsAt: version.startsAt,
  endsAt: version.endsAt,
  cancelledAt: version.cancelledAt,
  revision: version.revision,
  recordedAt: version.recordedAt,
  /** Null for the session's first version. */
  before: sql<number | null>`(
    select ${before.replacedAt}
    from ${pastParkingSessions} as ${before}
    where ${before.id} = ${version.id} and ${before.replacedAt} = ${version.recordedAt}
  )`.as('before'),
  requestId: requestAt(sql`${version.recordedAt}`).as('request_id'),
});

const PRESENT_SESSIONS = query(() =>
  db
    .select(sessionColumns(parkingSessions))
    .from(parkingSessions)
    .crossJoin(areas)
    .where(
      and(
        eq(parkingSessions.municipalityId, MUNICIPALITY_ID),
        eq(parkingSessions.plate, PLATE),
        eq(areas.id, parkingSessions.areaId),
      ),
    )
    .limit(MAX_VERSIONS + 1),
);

const PAST_SESSIONS = query(() =>
  db
    .select({ ...sessionColumns(pastParkingSessions), replacedAt: pastParkingSessions.replacedAt })
    .from(pastParkingSessions)
    .crossJoin(parkingSessions)
    .crossJoin(areas)
    .where(
      and(
        eq(pastParkingSessions.municipalityId, MUNICIPALITY_ID),
        eq(pastParkingSessions.plate, PLATE),
        eq(parkingSessions.id, pastParkingSessions.id),
        eq(areas.id, pastParkingSessions.areaId),
      ),
    )
    .limit(MAX_VERSIONS + 1),
);

/** Of a span of the plate on a title. */
const spanColumns = (span: typeof subscriptionPlates | typeof pastSubscriptionPlates) => ({
  subscriptionId: span.subscriptionId,
  plate: span.plate,
  validFrom: span.validFrom,
  validUntil: span.validUntil,
  recordedAt: span.recordedAt,
  requestId: requestAt(sql`${span.recordedAt}`).as('request_id'),
});

const PRESENT_SPANS = query(() =>
  db
    .select(spanColumns(subscriptionPlates))
    .from(subscriptionPlates)
    .where(and(eq(subscriptionPlates.municipalityId, MUNICIPALITY_ID), eq(subscriptionPlates.plate, PLATE)))
    .limit(MAX_VERSIONS + 1),
);

const PAST_SPANS = query(() =>
  db
    .select({
      ...spanColumns(pastSubscriptionPlates),
      replacedAt: pastSubscriptionPlates.replacedAt,
      replacedBy: requestAt(sql`${pastSubscriptionPlates.replacedAt}`).as('replaced_by'),
    })
    .from(pastSubscriptionPlates)
    .where(
      and(
        eq(pastSubscriptionPlates.municipalityId, MUNICIPALITY_ID),
        eq(pastSubscriptionPlates.plate, PLATE),
      ),
    )
    .limit(MAX_VERSIONS + 1),
);

/** The ids of the titles that the plate is on, or was. */
const TITLE_IDS = sql`(
  select ${subscriptionPlates.subscriptionId} from ${subscriptionPlates}
  where ${subscriptionPlates.municipalityId} = ${MUNICIPALITY_ID} and ${subscriptionPlates.plate} = ${PLATE}
  union
  select ${pastSubscriptionPlates.subscriptionId} from ${pastSubscriptionPlates}
  where ${pastSubscriptionPlates.municipalityId} = ${MUNICIPALITY_ID} and ${pastSubscriptionPlates.plate} = ${PLATE}
)`;

/** Of a title's version. */
const titleColumns = (version: typeof subscriptions | typeof pastSubscriptions) => ({
  id: version.id,
  subscriptionNumber: subscriptions.subscriptionNumber,
  type: subscriptionTypes.code,
  ...judgedColumns(version),
  revision: version.revision,
  recordedAt: version.recordedAt,
  requestId: requestAt(sql`${version.recordedAt}`).as('request_id'),
});

const PRESENT_TITLES = query(() =>
  db
    .select(titleColumns(subscriptions))
    .from(subscriptions)
    .crossJoin(subscriptionTypes)
    .where(and(sql`${subscriptions.id} in ${TITLE_IDS}`, eq(subscriptionTypes.id, subscriptions.typeId)))
    .limit(MAX_VERSIONS + 1),
);

const PAST_TITLES = query(() =>
  db
    .select({ ...titleColumns(pastSubscriptions), replacedAt: pastSubscriptions.replacedAt })
    .from(pastSubscriptions)
    .crossJoin(subscriptions)
    .crossJoin(subscriptionTypes)
    .where(
      and(
        sql`${pastSubscriptions.id} in ${TITLE_IDS}`,
        eq(subscriptions.id, pastSubscriptions.id),
        eq(subscriptionTypes.id, pastSubscriptions.typeId),
      ),
    )
    .limit(MAX_VERSIONS + 1),
);

const PAYMENTS = query(() =>
  db
    .select({
      paymentId: payments.paymentId,
      plate: payments.plate,
      terminalCode: payments.terminalCode,
      planCode: payments.planCode,
      amountCents: payments.amountCents,
      collectedAt: payments.collectedAt,
      resultCode: payments.resultCode,
      subscriptionNumber: subscriptions.subscriptionNumber,
      startsAt: payments.startsAt,
      endsAt: payments.endsAt,
      reversedAt: payments.reversedAt,
      recordedAt: payments.recordedAt,
      reversalRecordedAt: payments.reversalRecordedAt,
      requestId: requestAt(sql`${payments.recordedAt}`).as('request_id'),
    })
    .from(payments)
    .leftJoin(subscriptions, eq(subscriptions.id, payments.subscriptionId))
    .where(
      and(
        eq(payments.municipalityId, MUNICIPALITY_ID),
        eq(payments.plate, PLATE),
        // Always true. Without a range, and without statistics, SQLite would read all payments of the municipality by their key.
        gte(payments.collectedAt, sql`0`),
      ),
    )
    .limit(MAX_VERSIONS + 1),
);

/** The payments that made a period of the plate's titles, by whichever plate. */
const TITLE_PAYMENTS = query(() =>
  db
    .select({
      subscriptionId: sql<number>`${payments.subscriptionId}`.as('subscription_id'),
      startsAt: sql<Instant>`${payments.startsAt}`.as('period_starts_at'),
      endsAt: sql<Instant>`${payments.endsAt}`.as('period_ends_at'),
      recordedAt: payments.recordedAt,
      reversalRecordedAt: payments.reversalRecordedAt,
    })
    .from(payments)
    .where(and(sql`${payments.subscriptionId} in ${TITLE_IDS}`, isNotNull(payments.startsAt)))
    .limit(MAX_VERSIONS + 1),
);

/** The queries of a plate's versions, for one batch. */
export const PLATE_VERSIONS = [
  PRESENT_SESSIONS,
  PAST_SESSIONS,
  PRESENT_SPANS,
  PAST_SPANS,
  PRESENT_TITLES,
  PAST_TITLES,
  PAYMENTS,
  TITLE_PAYMENTS,
] as const;
