import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { firstIdAt } from '../call-log/calls-parts.ts';
import {
  callLogDays,
  callPlates,
  calls,
  changesByDay,
  municipalities,
  parkingSessions,
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
  sources,
  subscriptionPeriods,
  subscriptions,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { prepareQuery, primaryKeyOf, tableByIndex } from '../db/sql.ts';
import { isNotMoving, writeBatch } from '../db/writable.ts';
import { DAY_MS, HOUR_MS, type Instant } from '../domain/instant.ts';
import { sum } from '../domain/sum.ts';
import { takeAwaiting } from './awaiting-table.ts';
import { blankNewestErased, deleteAbandoned, deleteAbandonedKeys, deletePastErased } from './erased-table.ts';
import { counted, type Going, type Past, type Statement, uncounted } from './journal-parts.ts';
import {
  appendGone,
  blankNewest,
  chooseReplacing,
  deleteHistory,
  deleteReplaced,
  deleteWithoutHistory,
  forgetReplacedFirst,
  keepYoungHistory,
  noteGone,
} from './journal-table.ts';

/** The most that one statement deletes: a check that arrives meanwhile waits for it to end. */
export interface Batch {
  readonly rows: number;
  /** Of what the call log holds of whole calls. The first row is deleted whatever its size. */
  readonly bytes: number;
}

/** The statements of one batch. */
type Delete = (before: Instant, batch: Batch, past: Past) => readonly Statement[];

const isStill = isNotMoving(parkingSessions.municipalityId);

const BY_END = tableByIndex(parkingSessions, 'parking_sessions_by_end');
const DAYS = tableByIndex(callLogDays, primaryKeyOf(callLogDays));

/** What the retention deletes: rows that ended before an instant, a batch at a time. */
export const DELETIONS = {
  call_log: (before, { rows, bytes }) => [
    counted(
      sql`delete from ${calls} where ${calls.id} in (${oldestCalls(before, { rows, bytes })}) returning 1 as deleted`,
    ),
    uncounted(sql`delete from ${DAYS} where (${callLogDays.day}, ${callLogDays.credentialId}) in (
          select ${callLogDays.day}, ${callLogDays.credentialId} from ${DAYS}
          where ${callLogDays.day} < ${Math.floor(before / DAY_MS)} limit ${rows}
        ) returning 1 as deleted`),
    uncounted(sql`delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
          select ${callPlates.id}, ${callPlates.position} from ${callPlates}
          where ${callPlates.id} < ${firstIdAt(sql`${before}`)} limit ${rows}
        ) returning 1 as deleted`),
  ],

  // The planner reads a plain join in any order, and once chose to scan the sessions: `cross join` keeps the order.
  parking_sessions: (before, { rows }, past) =>
    withHistory(
      ofSessions(before, past),
      sql`${parkingSessions.runsUntil} < ${before} and ${isStill}`,
      (isPast) => sql`(select ${parkingSessions.id} as id from ${municipalities}
        cross join ${BY_END} on ${parkingSessions.municipalityId} = ${municipalities.id}
        where ${isPast} limit ${rows})`,
      rows,
    ),

  // Cancelled long ago, whenever they would have ended.
  cancelled_parking_sessions: (before, { rows }, past) =>
    withHistory(
      ofSessions(before, past),
      sql`${parkingSessions.cancelledAt} < ${before} and ${isStill}`,
      (isPast) =>
        sql`(select ${parkingSessions.id} as id from ${tableByIndex(parkingSessions, 'parking_sessions_by_cancellation')} where ${isPast} limit ${rows})`,
      rows,
    ),

  // A forgotten stop: the session has no end of its own, and ended when its source's longest time was over.
  open_parking_sessions: (before, { rows }, past) => {
    const isOpen = sql`${parkingSessions.runsUntil} = ${OPEN_END}`;
    const startedBefore = (maxHours: SQLWrapper) =>
      sql`${parkingSessions.startsAt} < ${before} - ${maxHours} * ${HOUR_MS}`;
    const ofSource = sql`${parkingSessions.municipalityId} = ${sources.municipalityId}
      and ${parkingSessions.sourceCode} = ${sources.code}`;
    return withHistory(
      ofSessions(before, past),
      sql`${isOpen} and ${isStill} and ${startedBefore(
        sql`(select ${sources.openSessionMaxHours} from ${sources} where ${ofSource})`,
      )}`,
      () => sql`(select ${parkingSessions.id} as id from ${sources}
        cross join ${BY_END} on ${ofSource}
        where ${isOpen} and ${isStill} and ${startedBefore(sources.openSessionMaxHours)}
        limit ${rows})`,
      rows,
    );
  },

  subscriptions: subscriptionsThat(
    'subscriptions_by_end',
    (before) => sql`${subscriptions.authorizedUntil} < ${before} and ${hasNoPeriodAfter(before)}`,
  ),

  unbounded_subscriptions: subscriptionsThat(
    'subscriptions_unbounded',
    (before) => sql`${subscriptions.unboundedUntil} < ${before}`,
  ),

  revoked_subscriptions: subscriptionsThat(
    'subscriptions_by_revocation',
    (before) => sql`${subscriptions.revokedAt} < ${before}`,
  ),

  // A rejection has no date of its own. The literal is the index's own: a parameter may not find it.
  rejected_subscriptions: subscriptionsThat(
    'subscriptions_rejected',
    (before) => sql`${subscriptions.approval} = 'rejected' and ${subscriptions.changedAt} < ${before}`,
  ),

  changes_by_day: (before, { rows }, { rejected = before }) => [
    counted(sql`delete from ${changesByDay} where rowid in (
        select rowid from ${tableByIndex(changesByDay, primaryKeyOf(changesByDay))} where ${changesByDay.day} < ${Math.floor(before / DAY_MS)} limit ${rows})
        returning 1 as deleted`),
    ...[
      { table: rejectedPlates, index: 'rejected_plates_by_at', at: rejectedPlates.at },
      {
        table: rejectedSubscriptionPlates,
        index: 'rejected_subscription_plates_by_at',
        at: rejectedSubscriptionPlates.at,
      },
      { table: rejectedLines, index: 'rejected_lines_by_last_at', at: rejectedLines.lastAt },
    ].map(({ table, index, at }) =>
      uncounted(sql`delete from ${table} where rowid in (
        select rowid from ${tableByIndex(table, index)} where ${at} < ${rejected} limit ${rows})
        returning 1 as deleted`),
    ),
  ],

  replaced_journal: (before, { rows }) => [
    uncounted(chooseReplacing(before, rows)),
    counted(deleteReplaced(rows)),
    counted(forgetReplacedFirst()),
  ],

  awaiting_journal: (_, { rows }, past) => takeAwaiting(past, rows),

  erased_plates: (_, { rows }, past) => [
    counted(deletePastErased(past, rows)),
    uncounted(blankNewestErased(past)),
  ],

  abandoned_erasures: (before, { rows }) => [
    uncounted(deleteAbandonedKeys(before, rows)),
    counted(deleteAbandoned(before, rows)),
  ],
} as const satisfies Record<string, Delete>;

export type Deletion = keyof typeof DELETIONS;

/** What a batch has done. */
export interface Deleted {
  /** Rows; those that go with a subscription are not counted. */
  readonly rows: number;
  /** Nothing is left. */
  readonly isDone: boolean;
  /** How many D1 was sent. */
  readonly statements: number;
}

/** The most statements that one batch sends. */
export const maxStatements = (deletion: Deletion): number => (deletion.endsWith('parking_sessions') ? 7 : 6);

/**
 * Deletes one batch of what ended before an instant, in one transaction.
 *
 * @param past of the kinds that the journal is of
 */
export async function deleteBefore(
  db: D1Database,
  deletion: Deletion,
  before: Instant,
  batch: Batch,
  past: Past,
): Promise<Deleted> {
  const statements: readonly Statement[] = DELETIONS[deletion](before, batch, past);
  const results = await writeBatch<{ deleted: number }>(
    db,
    statements.map(({ query }) => prepareQuery(db, query)),
  );
  const returned = results.map(({ results: rows }) => sum(rows.map(({ deleted }) => deleted)));
  return {
    rows: sum(returned.filter((_, index) => statements[index]?.isCounted)),
    isDone: sum(returned) === 0,
    // And the one that asks whether this version may write.
    statements: statements.length + 1,
  };
}

const ofSessions = (before: Instant, { plates }: Past): Going => ({
  ...{ kind: 'parking_session', before, laterMs: 0 },
  isAnonymized: plates !== null && plates >= before,
});

/** Rows, and what the journal has of them, except histories that are still young. */
const withHistory = (
  going: Going,
  isPast: SQL,
  idsOf: (isPast: SQL) => SQL,
  rows: number,
): readonly Statement[] => {
  const { kind, before } = going;
  const ids = idsOf(isPast);
  return [
    uncounted(noteGone(kind, isPast, ids, rows, before)),
    uncounted(blankNewest(kind, isPast, before)),
    uncounted(deleteHistory(kind, ids, rows, before)),
    uncounted(keepYoungHistory(going, ids)),
    ...(kind === 'parking_session' ? [uncounted(appendGone(going, ids))] : []),
    counted(deleteWithoutHistory(going, ids)),
  ];
};

const hasNoPeriodAfter = (before: Instant): SQL => sql`not exists (
  select 1 from ${tableByIndex(subscriptionPeriods, primaryKeyOf(subscriptionPeriods))}
  where ${subscriptionPeriods.subscriptionId} = ${subscriptions.id} and ${subscriptionPeriods.endsAt} >= ${before}
)`;

/** Their plates, periods and areas go with them. */
function subscriptionsThat(index: string, haveEnded: (before: Instant) => SQL): Delete {
  return (before, { rows }, past) =>
    withHistory(
      { kind: 'subscription', before, laterMs: past.parking_session - before, isAnonymized: false },
      sql`${haveEnded(before)} and ${isNotMoving(subscriptions.municipalityId)}`,
      (isPast) =>
        sql`(select ${subscriptions.id} as id from ${tableByIndex(subscriptions, index)} where ${isPast} limit ${rows})`,
      rows,
    );
}

/** Ids of the oldest calls before an instant, up to a size. The row has the text's length in bytes: no text is read for it. */
const oldestCalls = (before: Instant, { rows, bytes }: Batch): SQL => sql`
  select id from (
    select id, sum(bytes) over (rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select ${calls.id} as id,
        coalesce(octet_length(${calls.request}), 0) + coalesce(octet_length(${calls.response}), 0) as bytes
      from ${calls} where ${calls.id} < ${firstIdAt(sql`${before}`)} order by ${calls.id} limit ${rows}
    )
  ) where coalesce(bytes_before, 0) < ${bytes}`;
