import { type SQL, sql } from 'drizzle-orm';
import { firstIdAt } from '../call-log/calls-parts.ts';
import {
  callLogDays,
  callPlates,
  calls,
  changesByDay,
  municipalities,
  paymentChanges,
  payments,
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { list, primaryKeyOf, tableByIndex } from '../db/sql.ts';
import { isNotMoving } from '../db/writable.ts';
import { DAY_MS, type Instant } from '../domain/instant.ts';
import { type Batch, counted, type Past, type Statement, uncounted } from './deletion-parts.ts';
import { blankNewestErased, deleteAbandoned, deleteAbandonedKeys, deletePastErased } from './erased-table.ts';
import { deleteChanges, deleteConfigurations, deleteReplaced, deleteVersioned } from './past-parts.ts';

/** The statements of one batch. */
type Delete = (past: Past, batch: Batch) => readonly Statement[];

const DAYS = tableByIndex(callLogDays, primaryKeyOf(callLogDays));
const CHANGES_OF_PAYMENTS = tableByIndex(paymentChanges, primaryKeyOf(paymentChanges));
const KEY_OF_CHANGE = [paymentChanges.municipalityId, paymentChanges.paymentId, paymentChanges.change];
const dayOf = (at: Instant): number => Math.floor(at / DAY_MS);

/** What the retention deletes, a batch at a time. Sessions have a file of their own. */
export const DELETIONS = {
  call_log: ({ callLog: before }, { rows, bytes }) => [
    counted(
      sql`delete from ${calls} where ${calls.id} in (${oldestCalls(before, { rows, bytes })}) returning 1 as deleted`,
    ),
    uncounted(sql`delete from ${DAYS} where (${callLogDays.day}, ${callLogDays.credentialId}) in (
          select ${callLogDays.day}, ${callLogDays.credentialId} from ${DAYS}
          where ${callLogDays.day} < ${dayOf(before)} limit ${rows}
        ) returning 1 as deleted`),
    uncounted(sql`delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
          select ${callPlates.id}, ${callPlates.position} from ${callPlates}
          where ${callPlates.id} < ${firstIdAt(sql`${before}`)} limit ${rows}
        ) returning 1 as deleted`),
  ],

  changes_by_day: ({ callLog, rejected }, { rows }) => [
    counted(sql`delete from ${changesByDay} where rowid in (
        select rowid from ${tableByIndex(changesByDay, primaryKeyOf(changesByDay))} where ${changesByDay.day} < ${dayOf(callLog)} limit ${rows})
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

  changes: ({ callLog }, { rows }) => [deleteChanges(callLog, rows)],

  versions: (past, { rows }) => deleteReplaced(past, rows),

  configurations: ({ parking_session: before }, { rows }) => deleteConfigurations(before, rows),

  // Their plates, periods and areas go with them.
  subscriptions: ({ subscription: before }, { rows }) =>
    deleteVersioned(
      'subscription',
      sql`(select ${subscriptions.id} as id from ${tableByIndex(subscriptions, 'subscriptions_by_retention')}
        where ${subscriptions.retainedFrom} < ${before} and ${isNotMoving(subscriptions.municipalityId)} limit ${rows})`,
      before,
      rows,
    ),

  // With what has become of them.
  payments: ({ subscription: before }, { rows }) => [
    uncounted(
      sql`delete from ${CHANGES_OF_PAYMENTS} where (${list(KEY_OF_CHANGE)}) in (select ${list(KEY_OF_CHANGE)}
        from (${oldestPayments(before, rows)}) as gone cross join ${CHANGES_OF_PAYMENTS}
        on ${paymentChanges.municipalityId} = gone.municipality and ${paymentChanges.paymentId} = gone.payment) returning 1 as deleted`,
    ),
    counted(
      sql`delete from ${tableByIndex(payments, primaryKeyOf(payments))} where (${payments.municipalityId}, ${payments.paymentId})
        in (${oldestPayments(before, rows)}) returning 1 as deleted`,
    ),
  ],

  erased_plates: (past, { rows }) => [
    counted(deletePastErased(past, rows)),
    uncounted(blankNewestErased(past)),
  ],

  abandoned_erasures: ({ callLog }, { rows }) => [
    uncounted(deleteAbandonedKeys(callLog, rows)),
    counted(deleteAbandoned(callLog, rows)),
  ],
} as const satisfies Record<string, Delete>;

export type Deletion = keyof typeof DELETIONS;

/** Payments that were recorded before an instant: what is collected is never recorded earlier. */
const oldestPayments = (before: Instant, rows: number): SQL => sql`
  select ${payments.municipalityId} as municipality, ${payments.paymentId} as payment
  from ${municipalities} cross join ${tableByIndex(payments, 'payments_by_collection')}
  on ${payments.municipalityId} = ${municipalities.id} and ${payments.collectedAt} < ${before}
  where ${payments.recordedAt} < ${before} and ${isNotMoving(municipalities.id)} limit ${rows}`;

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
