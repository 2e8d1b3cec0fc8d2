import { and, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, unionAll } from 'drizzle-orm/sqlite-core';
import { PAYMENT } from '../../core/recorded-payments/payment-table.ts';
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
import { atMost, uuidOf } from '../../storage/db/sql.ts';
import { judgedColumns } from '../../storage/db/titles.ts';

/*
 * All versions of a plate in a municipality, of the present and of the past. Their values: `municipalityId`, `plate`.
 */

/** The most versions of a plate that evidence judges by, and, of each kind, that an export reads. */
export const MAX_VERSIONS = 10_000;
export const MAX_EXPORTED = 20_000;
const LIMIT = atMost(MAX_EXPORTED + 1);

const MUNICIPALITY_ID = sql.placeholder('municipalityId');
const PLATE = sql.placeholder('plate');

/** The id of the call that made a change of the municipality. */
const requestAt = (at: SQL) =>
  sql<string | null>`(
    select ${uuidOf(changes.requestId)}
    from ${changes}
    where ${changes.municipalityId} = ${MUNICIPALITY_ID} and ${changes.recordedAt} = ${at}
  )`;

/** When a version was stored, and by which call; and when it was replaced: null for the present one. */
const recorded = ({ recordedAt, replacedAt }: { recordedAt: SQLiteColumn; replacedAt?: SQLiteColumn }) => ({
  // As SQL of their own: in a select of one table, Drizzle leaves out the table's name before a column that it finds.
  recordedAt: sql<Instant>`${sql`${recordedAt}`}`.as('recorded_at'),
  requestId: requestAt(sql`${recordedAt}`).as('request_id'),
  replacedAt: sql<Instant | null>`${sql`${replacedAt ?? sql`null`}`}`.as('replaced_at'),
});

/** The rows of the plate, by an index. */
const ofPlate = ({ municipalityId, plate }: { municipalityId: SQLiteColumn; plate: SQLiteColumn }) =>
  and(eq(municipalityId, MUNICIPALITY_ID), eq(plate, PLATE));

const session = alias(parkingSessions, 'session');
const before = alias(pastParkingSessions, 'before');

/** The versions of the plate's sessions. */
const sessionsIn = (version: typeof parkingSessions | typeof pastParkingSessions) =>
  db
    .select({
      ...recorded(version),
      id: version.id,
      sourceCode: session.sourceCode,
      sessionId: session.sessionId,
      plate: version.plate,
      areaCode: areas.code,
      startsAt: version.startsAt,
      endsAt: version.endsAt,
      cancelledAt: version.cancelledAt,
      revision: version.revision,
      /** Null for the session's first version. */
      before: sql<number | null>`(
        select ${before.replacedAt}
        from ${pastParkingSessions} as ${before}
        where ${before.id} = ${version.id} and ${before.replacedAt} = ${version.recordedAt}
      )`.as('before'),
    })
    .from(version)
    .crossJoin(session)
    .crossJoin(areas)
    .where(and(ofPlate(version), eq(session.id, version.id), eq(areas.id, version.areaId)));

/** The spans of the plate on titles. */
const spansIn = (span: typeof subscriptionPlates | typeof pastSubscriptionPlates) =>
  db
    .select({
      ...recorded(span),
      /** The call that ended the span, and so began a version of its title. */
      replacedBy: requestAt('replacedAt' in span ? sql`${span.replacedAt}` : sql`null`).as('replaced_by'),
      subscriptionId: span.subscriptionId,
      plate: span.plate,
      validFrom: span.validFrom,
      validUntil: span.validUntil,
    })
    .from(span)
    .where(ofPlate(span));

/** The ids of the titles that the plate is on, or was. */
const TITLE_IDS = sql`(
  select ${subscriptionPlates.subscriptionId} from ${subscriptionPlates} where ${ofPlate(subscriptionPlates)}
  union
  select ${pastSubscriptionPlates.subscriptionId} from ${pastSubscriptionPlates} where ${ofPlate(pastSubscriptionPlates)}
)`;

const title = alias(subscriptions, 'title');

/** The versions of those titles. */
const titlesIn = (version: typeof subscriptions | typeof pastSubscriptions) =>
  db
    .select({
      ...recorded(version),
      id: version.id,
      subscriptionNumber: title.subscriptionNumber,
      type: subscriptionTypes.code,
      ...judgedColumns(version),
      revision: version.revision,
    })
    .from(version)
    .crossJoin(title)
    .crossJoin(subscriptionTypes)
    .where(
      and(
        sql`${version.id} in ${TITLE_IDS}`,
        eq(title.id, version.id),
        eq(subscriptionTypes.id, version.typeId),
      ),
    );

const PAYMENTS = query(() =>
  db
    .select({
      ...PAYMENT,
      requestId: requestAt(sql`${payments.recordedAt}`).as('request_id'),
    })
    .from(payments)
    .leftJoin(subscriptions, eq(subscriptions.id, payments.subscriptionId))
    .where(
      and(
        ofPlate(payments),
        // Always true. Without a range, and without statistics, SQLite would read all payments of the municipality by their key.
        gte(payments.collectedAt, sql`0`),
      ),
    )
    .limit(LIMIT),
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
    .limit(LIMIT),
);

/** The queries of a plate's versions, for one batch. */
export const PLATE_VERSIONS = [
  query(() => unionAll(sessionsIn(parkingSessions), sessionsIn(pastParkingSessions)).limit(LIMIT)),
  query(() => unionAll(spansIn(subscriptionPlates), spansIn(pastSubscriptionPlates)).limit(LIMIT)),
  query(() => unionAll(titlesIn(subscriptions), titlesIn(pastSubscriptions)).limit(LIMIT)),
  PAYMENTS,
  TITLE_PAYMENTS,
] as const;
