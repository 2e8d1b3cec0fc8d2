import { and, asc, eq, gt, isNotNull, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { db, query } from '../../storage/db/batch.ts';
import {
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { atMost, list } from '../../storage/db/sql.ts';
import { judgedColumns, paidColumn } from '../../storage/db/titles.ts';

/*
 * The parts of a list, each read in an order of its own. Their values: `municipalityId` and `areaId`; `at` and `id`, the sort key of
 * the last row before; and of a delta, `since` and `upTo`.
 */

/** What one read takes of a part: of long titles, some 30 MB. Other calls of the isolate get their turn between two reads. */
export const MAX_ROWS = 1_000;

const $ = sql.placeholder;

/** Behind the last row before. */
const behind = (at: SQLWrapper, id: SQLWrapper): SQL => sql`(${at}, ${id}) > (${$('at')}, ${$('id')})`;

const [present, left] = [subscriptionPlates, pastSubscriptionPlates];

type Changing = typeof subscriptions | typeof present | typeof left | typeof payments;

/** A session: its sort key, and what its entry is made of. */
type SessionRow = readonly [
  at: Instant,
  id: number,
  isHere: 0 | 1,
  /** Whether a version of it was here that was replaced since. */
  wasHere: 0 | 1,
  startsAt: Instant,
  endsAt: Instant | null,
  sourceCode: string,
  plate: Plate,
  cancelledAt: Instant | null,
];

const { id, startsAt, endsAt, sourceCode, plate, cancelledAt } = parkingSessions;

/**
 * The municipality's sessions by an instant: no index has an area's. All of a read in one value, in the subquery's order: for so
 * many, Drizzle maps rows as slowly as they are read.
 */
const sessionsBy = (at: SQLiteColumn, wasHere: SQL, condition?: SQL) =>
  query(() => {
    const isHere = eq(parkingSessions.areaId, $('areaId'));
    const inMunicipality = eq(parkingSessions.municipalityId, $('municipalityId'));
    const row = [at, id, isHere, wasHere, startsAt, endsAt, sourceCode, plate, cancelledAt];
    const rows = db
      .select({ row: sql`json_array(${list(row)})`.as('row') })
      .from(parkingSessions)
      .where(and(inMunicipality, condition, behind(at, id)))
      .orderBy(asc(at), asc(id))
      .limit(atMost(MAX_ROWS))
      .as('listed');
    return db
      .select({
        rows: sql`json_group_array(json(${rows.row}))`
          .mapWith((json: string): readonly SessionRow[] => JSON.parse(json))
          .as('rows'),
      })
      .from(rows);
  });

/** By their end; open ones come last, by their start. */
export const SESSIONS = sessionsBy(parkingSessions.runsUntil, sql`0`);

const past = pastParkingSessions;
/** By their recording. */
export const CHANGED_SESSIONS = sessionsBy(
  parkingSessions.recordedAt,
  sql`exists (select 1 from ${past} where ${past.id} = ${id} and ${past.replacedAt} > ${$('since')} and ${past.areaId} = ${$('areaId')})`,
  lte(parkingSessions.recordedAt, $('upTo')),
);

/** The titles of which a row was recorded, or replaced, in the time of the delta. */
const changedIn = (table: Changing, of: SQLiteColumn, at: SQLiteColumn) =>
  db
    .select({ id: sql<number>`${of}`.as('changed_id') })
    .from(table)
    .where(
      and(
        eq(table.municipalityId, $('municipalityId')),
        // The index of reversals has no other rows.
        isNotNull(at),
        gt(at, $('since')),
        lte(at, $('upTo')),
      ),
    );

const own = alias(present, 'own');

interface Span {
  readonly id: number;
  readonly validFrom: Instant | null;
  readonly validUntil: Instant | null;
}

/** A span of a plate on a title, with the title and all spans of that plate on it. */
const spanColumns = () => ({
  ...pick(present, 'id', 'plate', 'recordedAt'),
  subscriptionNumber: subscriptions.subscriptionNumber,
  ...judgedColumns(subscriptions),
  paid: paidColumn(),
  spans: sql`(
    select json_group_array(json_object('id', ${own.id}, 'validFrom', ${own.validFrom}, 'validUntil', ${own.validUntil}))
    from ${present} as ${own}
    where ${own.municipalityId} = ${present.municipalityId} and ${own.plate} = ${present.plate}
      and ${own.subscriptionId} = ${present.subscriptionId})`
    .mapWith((json: string): readonly Span[] => JSON.parse(json))
    .as('spans'),
});

/** All spans, by their recording. */
export const TITLES = query(() =>
  db
    .select(spanColumns())
    .from(present)
    .crossJoin(subscriptions)
    .where(
      and(
        eq(present.municipalityId, $('municipalityId')),
        eq(subscriptions.id, present.subscriptionId),
        behind(present.recordedAt, present.id),
      ),
    )
    .orderBy(asc(present.recordedAt), asc(present.id))
    .limit(atMost(MAX_ROWS)),
);

/** The spans of titles of which something was recorded, replaced, paid or reversed in the time of the delta, by their recording. */
export const CHANGED_TITLES = query(() => {
  const changed = changedIn(subscriptions, subscriptions.id, subscriptions.recordedAt)
    .union(changedIn(present, present.subscriptionId, present.recordedAt))
    .union(changedIn(left, left.subscriptionId, left.replacedAt))
    .union(changedIn(payments, payments.subscriptionId, payments.recordedAt))
    .union(changedIn(payments, payments.subscriptionId, payments.reversalRecordedAt))
    .as('changed');
  return db
    .select(spanColumns())
    .from(changed)
    .crossJoin(subscriptions)
    .crossJoin(present)
    .where(
      and(
        eq(subscriptions.id, changed.id),
        eq(present.subscriptionId, subscriptions.id),
        behind(present.recordedAt, present.id),
      ),
    )
    .orderBy(asc(present.recordedAt), asc(present.id))
    .limit(atMost(MAX_ROWS));
});

/**
 * Spans of plates that have left their titles, by that instant. It does not ask for `since`, behind which a delta begins: SQLite would
 * look for that in the index, and read all rows from there on for each page.
 */
export const LEFT = query(() =>
  db
    .select(pick(left, 'replacedAt', 'id'))
    .from(left)
    .where(
      and(
        eq(left.municipalityId, $('municipalityId')),
        lte(left.replacedAt, $('upTo')),
        behind(left.replacedAt, left.id),
      ),
    )
    .orderBy(asc(left.replacedAt), asc(left.id))
    .limit(atMost(MAX_ROWS)),
);
