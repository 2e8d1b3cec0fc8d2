import { inArray, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import {
  callLog,
  municipalities,
  parkingSessions,
  sources,
  subscriptionPeriods,
  subscriptions,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { HOUR_MS, type Instant } from '../domain/instant.ts';

/** The most that one statement deletes: a check that arrives meanwhile waits for it to end. */
export interface Batch {
  readonly rows: number;
  /** Of what the call log holds of whole calls. The first row is deleted whatever its size. */
  readonly bytes: number;
}

type Delete = (db: D1Database, before: Instant, batch: Batch) => Promise<readonly unknown[]>;

/** What the retention deletes: rows that ended before an instant, a batch at a time. Each returns what it deleted. */
export const DELETIONS = {
  call_log: (db, before, { rows, bytes }) => deleteCalls(db, sql`(${oldestCalls(before, rows, bytes)})`),

  // The planner reads a plain join in any order, and once chose to scan the sessions: `cross join` keeps the order.
  parking_sessions: (db, before, { rows }) =>
    deleteSessions(
      db,
      sql`(select ${parkingSessions.id} from ${municipalities}
        cross join ${parkingSessions} on ${parkingSessions.municipalityId} = ${municipalities.id}
        where ${parkingSessions.runsUntil} < ${before} limit ${rows})`,
    ),

  // Cancelled long ago, whenever they would have ended.
  cancelled_parking_sessions: (db, before, { rows }) =>
    deleteSessions(
      db,
      sql`(select ${parkingSessions.id} from ${parkingSessions}
        where ${parkingSessions.cancelledAt} < ${before} limit ${rows})`,
    ),

  // A forgotten stop: the session has no end of its own, and ended when its source's longest time was over.
  open_parking_sessions: (db, before, { rows }) =>
    deleteSessions(
      db,
      sql`(select ${parkingSessions.id} from ${sources}
        cross join ${parkingSessions} on ${parkingSessions.municipalityId} = ${sources.municipalityId}
          and ${parkingSessions.sourceCode} = ${sources.code}
        where ${parkingSessions.runsUntil} = ${OPEN_END}
          and ${parkingSessions.startsAt} < ${before} - ${sources.openSessionMaxHours} * ${HOUR_MS}
        limit ${rows})`,
    ),

  subscriptions: (db, before, { rows }) =>
    deleteSubscriptions(
      db,
      sql`${subscriptions.authorizedUntil} < ${before} and not exists (
        select 1 from ${subscriptionPeriods}
        where ${subscriptionPeriods.subscriptionId} = ${subscriptions.id} and ${subscriptionPeriods.endsAt} >= ${before}
      )`,
      rows,
    ),

  revoked_subscriptions: (db, before, { rows }) =>
    deleteSubscriptions(db, sql`${subscriptions.revokedAt} < ${before}`, rows),

  // A rejection has no date of its own. The literal is the index's own: a parameter may not find it.
  rejected_subscriptions: (db, before, { rows }) =>
    deleteSubscriptions(
      db,
      sql`${subscriptions.approval} = 'rejected' and ${subscriptions.changedAt} < ${before}`,
      rows,
    ),
} as const satisfies Record<string, Delete>;

export type Deletion = keyof typeof DELETIONS;

/**
 * Deletes one batch of what ended before an instant.
 *
 * @returns how many were deleted (the rows that go with a subscription are not counted); 0 when none is left
 */
export async function deleteBefore(
  db: D1Database,
  deletion: Deletion,
  before: Instant,
  batch: Batch,
): Promise<number> {
  const deleted = await DELETIONS[deletion](db, before, batch);
  return deleted.length;
}

const ONE = { deleted: sql<number>`1` };

const deleteCalls = async (db: D1Database, ids: SQL) =>
  drizzle(db).delete(callLog).where(inArray(callLog.requestId, ids)).returning(ONE);

const deleteSessions = async (db: D1Database, ids: SQL) =>
  drizzle(db).delete(parkingSessions).where(inArray(parkingSessions.id, ids)).returning(ONE);

/** Their plates, periods and areas go with them. */
const deleteSubscriptions = async (db: D1Database, isPast: SQL, rows: number) =>
  drizzle(db)
    .delete(subscriptions)
    .where(
      inArray(
        subscriptions.id,
        sql`(select ${subscriptions.id} from ${subscriptions} where ${isPast} limit ${rows})`,
      ),
    )
    .returning(ONE);

/** Ids of the oldest calls, up to a size. A text's length in bytes stands in its row: no text is read for it. */
const oldestCalls = (before: Instant, rows: number, bytes: number): SQL => sql`
  select request_id from (
    select request_id, sum(bytes) over (rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select ${callLog.requestId} as request_id,
        coalesce(octet_length(${callLog.request}), 0) + coalesce(octet_length(${callLog.response}), 0) as bytes
      from ${callLog} where ${callLog.at} < ${before} order by ${callLog.at} limit ${rows}
    )
  ) where coalesce(bytes_before, 0) < ${bytes}`;
