import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { sessionOverAt } from '../../storage/db/over-sql.ts';
import { isNotRestoring } from '../../storage/db/restoring.ts';
import { municipalities, parkingSessions, subscriptions } from '../../storage/db/schema/index.ts';
import { columns, list, prepareQuery, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { keyOf, tableByKey } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { counted, type Deleted, deleteBatch, type Statement, uncounted } from './deletion-parts.ts';
import { deleteKeys, forgetBefore } from './past-parts.ts';

const session = alias(parkingSessions, 'one');
const subscription = alias(subscriptions, 'one');
const municipality = alias(municipalities, 'municipality');

/**
 * Tables whose rows have past versions. Retention reads them by municipality and by when a row was last stored: few rows stored
 * so long ago are not over.
 */
const VERSIONED = {
  parking_session: {
    ...{ table: parkingSessions, one: session, storedAt: parkingSessions.recordedAt },
    ...{ index: 'parking_sessions_by_recording', overAt: sessionOverAt(session), lookedAtEach: 4 },
  },
  subscription: {
    ...{ table: subscriptions, one: subscription, storedAt: subscriptions.changedAt },
    ...{ index: 'subscriptions_by_change', overAt: sql`${subscription.overAt}`, lookedAtEach: 20 },
  },
} as const;

/** The number of statements in a batch. */
export const VERSIONED_STATEMENTS: Readonly<Record<ErasedFrom['kind'], number>> = {
  parking_session: 4,
  subscription: 5,
};

/** A batch deletes at most this many versions per row on average; the next batch deletes the rest. */
const VERSIONS_EACH = 4;

/** The last row that was checked. */
interface LastSeen {
  readonly municipality: number;
  readonly stored_at: number;
  readonly id: number;
}

function rowsBehind(kind: ErasedFrom['kind'], seen: LastSeen, before: Instant, rows: number) {
  const { table, one, storedAt: at, index, overAt } = VERSIONED[kind];
  const storedAt = sql<number>`${one}.${sql.identifier(at.name)}`;
  const selection = {
    municipality: municipality.id,
    stored_at: storedAt,
    id: one.id,
    is_over: sql<number>`${overAt} < ${before}`,
  };
  const query = sql`select ${columns(selection)} from ${tableAs(municipalities, municipality)}
    cross join ${tableAs(table, one, index)} on ${one.municipalityId} = ${municipality.id}
      and ${storedAt} >= iif(${municipality.id} = ${seen.municipality}, ${seen.stored_at}, 0) and ${storedAt} < ${before}
    where ${municipality.id} >= ${seen.municipality} and ${isNotRestoring(municipality.id)}
      and (${municipality.id} > ${seen.municipality} or ${storedAt} > ${seen.stored_at} or ${one.id} > ${seen.id})
    order by ${municipality.id}, ${storedAt}, ${one.id} limit ${rows}`;
  return { query, selection };
}
type Behind = RowOf<ReturnType<typeof rowsBehind>['selection']>;

/**
 * Deletes rows that are past their retention, after their versions: a row stays until these are deleted, so that no batch
 * deletes a long past at once.
 */
function deleteRows(
  kind: ErasedFrom['kind'],
  due: readonly number[],
  before: Instant,
  rows: number,
): readonly Statement[] {
  const { table, storedAt } = VERSIONED[kind];
  const ids = sql`(select value as id from json_each(${JSON.stringify(due)}))`;
  const pasts = STORED_TABLES.flatMap(({ goesWith, pastOf, over, table: past }) =>
    goesWith?.table === table && pastOf !== undefined && over !== undefined
      ? [{ past, of: goesWith.id, replacedAt: over.at, rows: tableByKey(past) }]
      : [],
  );
  return [
    forgetBefore(before),
    ...pasts.map(({ past, of, replacedAt, rows: versions }) =>
      uncounted(
        deleteKeys(
          past,
          sql`select ${list(keyOf(past))} from ${ids} as gone cross join ${versions}
            on ${of} = gone.id and ${replacedAt} < ${before} limit ${rows * VERSIONS_EACH}`,
        ),
      ),
    ),
    counted(sql`delete from ${table} where ${table.id} in (select gone.id from ${ids} as gone)
      and ${storedAt} < ${before} and ${isNotRestoring(table.municipalityId)}
      and ${sql.join(
        pasts.map(
          ({ of, rows: versions }): SQL =>
            sql`not exists (select 1 from ${versions} where ${of} = ${table.id})`,
        ),
        sql` and `,
      )} returning 1 as deleted`),
  ];
}

/**
 * Deletes sessions or subscriptions that were over, and last stored, before an instant: a batch per call, those unchanged for
 * longest first. Checks a row that is not over once per run.
 */
export function versionedDeletion(
  kind: ErasedFrom['kind'],
  before: Instant,
  rows: number,
): (db: D1Database) => Promise<Deleted> {
  const lookedAt = rows * VERSIONED[kind].lookedAtEach;
  let seen: LastSeen = { municipality: 0, stored_at: 0, id: 0 };
  return async (db) => {
    const { query } = rowsBehind(kind, seen, before, lookedAt);
    const { results } = await prepareQuery(db, query).all<Behind>();
    const due = results.filter(({ is_over }) => is_over === 1).slice(0, rows);
    const last = due.length === rows ? due.at(-1) : results.at(-1);
    const isLast = due.length < rows && results.length < lookedAt;
    if (due.length === 0) {
      seen = last ?? seen;
      return { rows: 0, isDone: isLast, statements: 1 };
    }
    const ids = due.map(({ id }) => id);
    const deleted = await deleteBatch(db, deleteRows(kind, ids, before, rows));
    // Rows with versions left are checked again.
    const isAll = deleted.rows === due.length;
    seen = isAll && last !== undefined ? last : seen;
    return { rows: deleted.rows, isDone: isAll && isLast, statements: 1 + deleted.statements };
  };
}
