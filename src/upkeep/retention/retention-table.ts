import { type SQL, sql } from 'drizzle-orm';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import { firstIdAt } from '../../storage/call-log/calls-parts.ts';
import { callLogDays, callPlates, calls, changesByDay } from '../../storage/db/schema/index.ts';
import { primaryKeyOf, tableByIndex } from '../../storage/db/sql.ts';
import type { Over } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { type Batch, counted, type Past, type Statement, uncounted } from './deletion-parts.ts';
import { blankNewestErased, deleteAbandoned, deleteAbandonedKeys, deletePastErased } from './erased-table.ts';
import { deleteChanges, deleteConfigurations, deleteOver, forgetBefore } from './past-parts.ts';

/** The statements of one batch. */
type Delete = (past: Past, batch: Batch) => readonly Statement[];

const DAYS = tableByIndex(callLogDays, primaryKeyOf(callLogDays));
const dayOf = (at: Instant): number => Math.floor(at / DAY_MS);

/** Deletes rows that are over from the tables reported under this name. */
const reportedAs = (deletion: Over['reportedAs'], past: Past, rows: number): Statement[] =>
  STORED_TABLES.flatMap((stored) =>
    stored.over?.reportedAs === deletion && stored.over !== undefined
      ? deleteOver(stored, stored.over, past, rows)
      : [],
  );

/** Deletions from the other tables whose rows are over at an instant, each reported as its kind. */
export const OTHER_DELETIONS: readonly (readonly [kind: string, Delete])[] = STORED_TABLES.flatMap(
  (stored) => {
    const { kind, over } = stored;
    return over === undefined || over.reportedAs !== undefined
      ? []
      : [[kind, (past: Past, { rows }: Batch) => deleteOver(stored, over, past, rows)] as const];
  },
);

/** The deletions of retention, a batch at a time. Sessions and subscriptions have a file of their own. */
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

  changes_by_day: (past, { rows }) => [
    counted(sql`delete from ${changesByDay} where rowid in (
        select rowid from ${tableByIndex(changesByDay, primaryKeyOf(changesByDay))} where ${changesByDay.day} < ${dayOf(past.callLog)} limit ${rows})
        returning 1 as deleted`),
    ...reportedAs('changes_by_day', past, rows).map(({ query }) => uncounted(query)),
  ],

  changes: ({ callLog }, { rows }) => [deleteChanges(callLog, rows)],

  versions: (past, { rows }) => [
    forgetBefore(instant(Math.max(past.parking_session, past.subscription))),
    ...reportedAs('versions', past, rows),
  ],

  configurations: (past, { rows }) => [
    deleteConfigurations(past.parking_session, rows),
    ...reportedAs('configurations', past, rows),
  ],

  payments: (past, { rows }) => reportedAs('payments', past, rows),

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

/** Ids of the oldest calls before an instant, up to a size. The row holds the text's length, so no text is read. */
const oldestCalls = (before: Instant, { rows, bytes }: Batch): SQL => sql`
  select id from (
    select id, sum(bytes) over (rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select ${calls.id} as id,
        coalesce(octet_length(${calls.request}), 0) + coalesce(octet_length(${calls.response}), 0) as bytes
      from ${calls} where ${calls.id} < ${firstIdAt(sql`${before}`)} order by ${calls.id} limit ${rows}
    )
  ) where coalesce(bytes_before, 0) < ${bytes}`;
