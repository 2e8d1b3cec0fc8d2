import { and, asc, eq, isNotNull, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import type { Instant } from '../../domain/instant.ts';
import { db, query } from '../../storage/db/batch.ts';
import {
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { atMost, list, literal } from '../../storage/db/sql.ts';
import { judgedColumns, paidColumn } from '../../storage/db/titles.ts';

/*
 * The parts of a list, each read in an order of its own. Their values: `municipalityId` and `areaId`; `first`, `second` and `third`, the
 * sort key of the last row before; and of a delta, `since` and `upTo`.
 */

/** Sessions that one read looks at, of the facility or not, and spans that have left. */
export const MAX_ROWS = 2_000;
/** Spans that one read takes with their titles, which may have 30 KB of periods and areas. */
export const MAX_TITLES = 1_000;

const $ = sql.placeholder;

/** Behind the last row before. */
const behind = (...order: readonly SQLWrapper[]): SQL =>
  sql`(${list(order)}) > (${list([$('first'), $('second'), $('third')].slice(0, order.length))})`;

const isHere = sql`${parkingSessions.areaId} = ${$('areaId')}`;

/**
 * The sessions of the next rows that the list is about, and the last of those rows, behind which the next read begins.
 *
 * @param isConcerned whether the list is about a session
 */
const sessionsIn = (order: readonly SQLiteColumn[], bound: SQL | undefined, isConcerned: SQL) =>
  query(() => {
    const looked = db
      .select({
        id: sql<number>`${parkingSessions.id}`.as('looked_id'),
        place: sql<number>`row_number() over (order by ${list(order)})`.as('looked_place'),
      })
      .from(parkingSessions)
      .where(and(eq(parkingSessions.municipalityId, $('municipalityId')), behind(...order), bound))
      .orderBy(...order.map((column) => asc(column)))
      .limit(atMost(MAX_ROWS))
      .as('looked');
    // Columns of the table: those of a subquery are proxies, which take Drizzle several times as long for each value.
    return db
      .select({
        ...pick(parkingSessions, 'id', 'sourceCode', 'sessionId', 'plate', 'startsAt', 'endsAt'),
        ...pick(parkingSessions, 'cancelledAt', 'recordedAt'),
        isHere: sql<number>`${isHere}`.as('is_here'),
        isConcerned: sql<number>`${isConcerned}`.as('is_concerned'),
        place: sql<number>`${looked.place}`.as('place'),
      })
      .from(looked)
      .crossJoin(parkingSessions)
      .where(
        and(
          eq(parkingSessions.id, looked.id),
          sql`(${isConcerned} or ${looked.place} = ${literal(MAX_ROWS)})`,
        ),
      )
      .orderBy(asc(looked.place));
  });

/** Sessions by their end; open ones come last, by their start. */
export const SESSIONS = sessionsIn(
  [parkingSessions.runsUntil, parkingSessions.startsAt, parkingSessions.id],
  undefined,
  isHere,
);

/** Sessions by their recording. One of which a version was here that was replaced since may have left. */
export const CHANGED_SESSIONS = sessionsIn(
  [parkingSessions.recordedAt, parkingSessions.id],
  lte(parkingSessions.recordedAt, $('upTo')),
  sql`(${isHere} or exists (
    select 1 from ${pastParkingSessions}
    where ${pastParkingSessions.id} = ${parkingSessions.id}
      and ${pastParkingSessions.replacedAt} > ${$('since')}
      and ${pastParkingSessions.areaId} = ${$('areaId')}))`,
);

/** Spans of plates that have left their titles, by that instant. */
export const LEFT = query(() =>
  db
    .select(pick(pastSubscriptionPlates, 'replacedAt', 'subscriptionId', 'id'))
    .from(pastSubscriptionPlates)
    .where(
      and(
        eq(pastSubscriptionPlates.municipalityId, $('municipalityId')),
        behind(
          pastSubscriptionPlates.replacedAt,
          pastSubscriptionPlates.subscriptionId,
          pastSubscriptionPlates.id,
        ),
        lte(pastSubscriptionPlates.replacedAt, $('upTo')),
      ),
    )
    .orderBy(
      asc(pastSubscriptionPlates.replacedAt),
      asc(pastSubscriptionPlates.subscriptionId),
      asc(pastSubscriptionPlates.id),
    )
    .limit(atMost(MAX_ROWS)),
);

const own = alias(subscriptionPlates, 'own');

type Span = readonly [id: number, validFrom: Instant | null, validUntil: Instant | null];

/** A span of a plate on a title, with the title and all spans of that plate on it. */
const spansIn = () => ({
  ...pick(subscriptionPlates, 'id', 'subscriptionId', 'plate', 'recordedAt'),
  ...judgedColumns(subscriptions),
  paid: paidColumn(),
  spans: sql`(
    select json_group_array(json_array(${own.id}, ${own.validFrom}, ${own.validUntil})) from ${subscriptionPlates} as ${own}
    where ${own.municipalityId} = ${subscriptionPlates.municipalityId} and ${own.plate} = ${subscriptionPlates.plate}
      and ${own.subscriptionId} = ${subscriptionPlates.subscriptionId})`
    .mapWith((json: string): readonly Span[] => JSON.parse(json))
    .as('spans'),
});

/** Spans by their recording. */
export const TITLES = query(() =>
  db
    .select(spansIn())
    .from(subscriptionPlates)
    .crossJoin(subscriptions)
    .where(
      and(
        eq(subscriptionPlates.municipalityId, $('municipalityId')),
        behind(subscriptionPlates.recordedAt, subscriptionPlates.id),
        eq(subscriptions.id, subscriptionPlates.subscriptionId),
      ),
    )
    .orderBy(asc(subscriptionPlates.recordedAt), asc(subscriptionPlates.id))
    .limit(atMost(MAX_TITLES)),
);

/** The titles of which something bears an instant of the delta. */
const titlesWhere = (
  table: typeof subscriptions | typeof subscriptionPlates | typeof pastSubscriptionPlates | typeof payments,
  title: SQLiteColumn,
  at: SQLiteColumn,
) =>
  db
    .select({ id: sql<number>`${title}`.as('changed_id') })
    .from(table)
    .where(
      and(
        eq(table.municipalityId, $('municipalityId')),
        // The index of reversals has no other rows.
        isNotNull(at),
        sql`${at} > ${$('since')} and ${at} <= ${$('upTo')}`,
      ),
    );

/** Spans of titles of which anything was recorded, replaced, paid or reversed. */
export const CHANGED_TITLES = query(() => {
  const changed = titlesWhere(subscriptions, subscriptions.id, subscriptions.recordedAt)
    .union(titlesWhere(subscriptionPlates, subscriptionPlates.subscriptionId, subscriptionPlates.recordedAt))
    .union(
      titlesWhere(
        pastSubscriptionPlates,
        pastSubscriptionPlates.subscriptionId,
        pastSubscriptionPlates.replacedAt,
      ),
    )
    .union(titlesWhere(payments, payments.subscriptionId, payments.recordedAt))
    .union(titlesWhere(payments, payments.subscriptionId, payments.reversalRecordedAt))
    .as('changed');
  return db
    .select(spansIn())
    .from(changed)
    .crossJoin(subscriptions)
    .crossJoin(subscriptionPlates)
    .where(
      and(
        eq(subscriptions.id, changed.id),
        eq(subscriptionPlates.subscriptionId, subscriptions.id),
        behind(subscriptionPlates.subscriptionId, subscriptionPlates.id),
      ),
    )
    .orderBy(asc(subscriptionPlates.subscriptionId), asc(subscriptionPlates.id))
    .limit(atMost(MAX_TITLES));
});
