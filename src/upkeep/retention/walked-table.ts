import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { batch, db, type Query, query } from '../../storage/db/batch.ts';
import {
  changes,
  configurationVersions,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { LONG_VERSION_MS } from '../../storage/db/schema/sessions.ts';
import { literal } from '../../storage/db/sql.ts';
import { paymentIsOver, SESSION_OVER_AT, subscriptionIsOver } from './over-table.ts';
import type { Cuts } from './retention-table.ts';

/**
 * Tables of which rows that were recorded long ago may not be over: a season ticket, a title that is still renewed. A run walks
 * through the rows recorded before the cut, and looks at each once.
 */
export interface Walk {
  readonly table: string;
  /** The most rows that one statement deletes. */
  readonly rows: number;
  readonly before: (cuts: Cuts) => number;
  readonly look: Query<Looked[]>;
  /** Values: `keys`, a JSON list of municipality and key, and `before`. The last one returns a row for each that it deleted. */
  readonly remove: readonly Query<unknown[]>[];
}

interface Looked {
  readonly municipality: number;
  readonly at: number;
  readonly key: number | string;
  readonly isOver: number;
}

/** How many rows one statement looks at. */
const LOOKED_AT = 1_000;

const BEFORE = sql`${sql.placeholder('before')}`;
const KEYS = sql`json_each(${sql.placeholder('keys')})`;
const IDS = sql`(select value ->> 1 from ${KEYS})`;
const RETURNING = sql`returning 1 as deleted`;

interface Walked extends SQLiteTable {
  readonly municipalityId: SQLiteColumn;
  readonly recordedAt: SQLiteColumn;
}

/** The next rows recorded before an instant, in the order of the municipalities and of an index. */
const look = (table: Walked, key: SQLiteColumn, isOver: SQL, condition = sql``): Query<Looked[]> =>
  query(() =>
    db.all<Looked>(sql`
select ${municipalities.id} as "municipality", ${table.recordedAt} as "at", ${key} as "key", ${isOver} as "isOver"
from ${municipalities} cross join ${table} on ${table.municipalityId} = ${municipalities.id}
  and ${table.recordedAt} >= iif(${municipalities.id} = ${sql.placeholder('municipality')}, ${sql.placeholder('at')}, 0)
  and ${table.recordedAt} < ${BEFORE} ${condition}
where ${municipalities.id} >= ${sql.placeholder('municipality')} and ${municipalities.restoring} is null
  and (${municipalities.id} > ${sql.placeholder('municipality')} or ${table.recordedAt} > ${sql.placeholder('at')} or ${key} > ${sql.placeholder('key')})
order by ${municipalities.id}, ${table.recordedAt}, ${key} limit ${literal(LOOKED_AT)}`),
  );

const SESSION_IS_OVER = sql`${SESSION_OVER_AT} < ${BEFORE}`;

/** A title whose plates have changed since was changed since. */
const SUBSCRIPTION_IS_OVER = sql`(${subscriptionIsOver(BEFORE)} and not exists (select 1 from ${subscriptionPlates}
  where ${subscriptionPlates.subscriptionId} = ${subscriptions.id} and ${subscriptionPlates.recordedAt} >= ${BEFORE})
  and not exists (select 1 from ${pastSubscriptionPlates} where ${pastSubscriptionPlates.subscriptionId} = ${subscriptions.id})
  and not exists (select 1 from ${pastSubscriptions} where ${pastSubscriptions.id} = ${subscriptions.id}))`;
const GONE_SUBSCRIPTIONS = sql`${subscriptions.id} in ${IDS} and ${subscriptions.recordedAt} < ${BEFORE} and ${SUBSCRIPTION_IS_OVER}`;

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
const bears = ({ table, name }: SQLiteColumn, condition = sql``): SQL => sql`exists (select 1 from ${table}
  where ${table}.${sql.identifier('municipality_id')} = ${changes.municipalityId}
    and ${table}.${sql.identifier(name)} = ${changes.recordedAt} ${condition})`;

/** Of a session's versions, only those that lived long may bear an instant so long ago: the others are past their retention. */
const LONG_VERSION = sql`and ${pastParkingSessions.replacedAt} - ${pastParkingSessions.recordedAt} > ${literal(LONG_VERSION_MS)}`;
const IS_BORNE = sql.join(
  [...BORNE.map((column) => bears(column)), bears(pastParkingSessions.recordedAt, LONG_VERSION)],
  sql` or `,
);
const newest = alias(changes, 'newest');

/** In order: payments go before their subscription is looked at, and changes last. */
export const WALKS: readonly Walk[] = [
  {
    ...{ table: 'payments', rows: 250, before: (cuts: Cuts) => cuts.subscriptions },
    look: look(payments, payments.paymentId, paymentIsOver(BEFORE)),
    remove: [
      query(() =>
        db.all(sql`delete from ${payments} where (${payments.municipalityId}, ${payments.paymentId}) in (
          select value ->> 0, value ->> 1 from ${KEYS}) and ${paymentIsOver(BEFORE)} ${RETURNING}`),
      ),
    ],
  },
  {
    ...{ table: 'parking_sessions', rows: 250, before: (cuts: Cuts) => cuts.sessions },
    look: look(parkingSessions, parkingSessions.id, SESSION_IS_OVER),
    remove: [
      query(() =>
        db.all(sql`delete from ${parkingSessions} where ${parkingSessions.id} in ${IDS}
          and ${parkingSessions.recordedAt} < ${BEFORE} and ${SESSION_IS_OVER} and not exists (
            select 1 from ${pastParkingSessions} where ${pastParkingSessions.id} = ${parkingSessions.id}) ${RETURNING}`),
      ),
    ],
  },
  {
    // One may have 500 plates.
    ...{ table: 'subscriptions', rows: 25, before: (cuts: Cuts) => cuts.subscriptions },
    look: look(subscriptions, subscriptions.id, SUBSCRIPTION_IS_OVER),
    remove: [
      query(() =>
        db.all(sql`delete from ${subscriptionPlates} where ${subscriptionPlates.subscriptionId} in (
          select ${subscriptions.id} from ${subscriptions} where ${GONE_SUBSCRIPTIONS}) ${RETURNING}`),
      ),
      query(() => db.all(sql`delete from ${subscriptions} where ${GONE_SUBSCRIPTIONS} ${RETURNING}`)),
    ],
  },
  {
    ...{ table: 'changes', rows: 250, before: (cuts: Cuts) => cuts.sessions - LONG_VERSION_MS },
    look: look(
      changes,
      changes.recordedAt,
      sql`not (${IS_BORNE})`,
      sql`and ${changes.recordedAt} < (select max(${newest.recordedAt}) from ${changes} as ${newest}
        where ${newest.municipalityId} = ${municipalities.id})`,
    ),
    remove: [
      query(() =>
        db.all(sql`delete from ${changes} where (${changes.municipalityId}, ${changes.recordedAt}) in (
          select value ->> 0, value ->> 1 from ${KEYS}) ${RETURNING}`),
      ),
    ],
  },
];

/** The outcome of a step. */
export interface Step {
  readonly deleted: number;
  readonly isDone: boolean;
  /** The statements that were sent. */
  readonly statements: number;
}

/** Starts a walk: each call is a step of it. */
export function walk(
  { rows, before, look: next, remove }: Walk,
  cuts: Cuts,
): (d1: D1Database) => Promise<Step> {
  let seen = { municipality: 0, at: 0, key: 0 as number | string };
  return async (d1) => {
    const [looked] = await batch(d1, [next], { ...seen, before: before(cuts) });
    const over = looked.filter(({ isOver }) => isOver === 1);
    const due = over.slice(0, rows);
    seen = (over.length > rows ? due.at(-1) : looked.at(-1)) ?? seen;
    const isDone = looked.length < LOOKED_AT && over.length <= rows;
    if (due.length === 0) return { deleted: 0, isDone, statements: 1 };
    const keys = JSON.stringify(due.map(({ municipality, key }) => [municipality, key]));
    // It asks again whether they are over: an import may have changed one meanwhile.
    const deleted = await batch(d1, remove, { keys, before: before(cuts) });
    return { deleted: deleted.at(-1)?.length ?? 0, isDone, statements: 1 + remove.length };
  };
}
