import { lt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { type Instant, instant, utcDay } from '../../domain/instant.ts';
import { firstIdAt } from '../../storage/call-log/calls-parts.ts';
import { isNotRestoring } from '../../storage/db/restoring.ts';
import {
  ERASED_KINDS,
  erasedPlates,
  erasureKeys,
  erasures,
  erasuresForBackups,
} from '../../storage/db/schema/erasure.ts';
import { callLogDays, callPlates, calls, changesByDay } from '../../storage/db/schema/index.ts';
import { bare, primaryKeyOf, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import type { Over } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { type Batch, counted, type Past, type Statement, uncounted } from './deletion-parts.ts';
import { deleteChanges, deleteConfigurations, deleteOver, forgetBefore } from './past-parts.ts';

const erased = alias(erasedPlates, 'erased');
const LAST = sql`(select max(${erased.id}) from ${tableAs(erasedPlates, erased)})`;

/** Deletes digests of erased plates once the rows they guard are past their retention, a batch of both kinds. */
function deletePastErased(past: Past, rows: number): SQL {
  const ofKind = (kind: ErasedFrom['kind']): SQL => sql`select * from (
    select ${erasedPlates.id} from ${tableByIndex(erasedPlates, 'erased_plates_by_end')} where ${erasedPlates.kind} = ${kind}
      and ${erasedPlates.guardsUntil} < ${past[kind]} and ${erasedPlates.id} < ${LAST}
      and ${isNotRestoring(erasedPlates.municipalityId)} limit ${rows})`;
  return sql`
delete from ${erasedPlates} where ${erasedPlates.id} in (
  ${sql.join(ERASED_KINDS.map(ofKind), sql` union all `)} limit ${rows}) returning 1 as deleted`;
}

/** Empties the newest row but keeps its number: imports remember the last erasure that they have seen by it. */
const blankNewestErased = (past: Past): SQL => sql`
update ${erasedPlates} set ${bare(erasedPlates.key)} = '', ${bare(erasedPlates.pseudonym)} = null,
  ${bare(erasedPlates.digest)} = cast(${erasedPlates.id} as text)
where ${erasedPlates.id} = ${LAST} and ${erasedPlates.key} <> '' and ${isNotRestoring(erasedPlates.municipalityId)}
  and ${erasedPlates.guardsUntil} < iif(${erasedPlates.kind} = 'subscription', ${past.subscription}, ${past.parking_session})`;

const KEYS = tableByIndex(erasureKeys, primaryKeyOf(erasureKeys));

/** Deletes the unmasked keys of abandoned erasures: no call is left to mask them in. */
const deleteAbandonedKeys = (before: Instant, rows: number): SQL => sql`
delete from ${erasureKeys} where rowid in (
  select ${erasureKeys}.rowid from ${erasures}
  cross join ${KEYS} on ${erasureKeys.digest} = ${erasures.digest} where ${erasures.at} < ${before} limit ${rows})
returning 1 as deleted`;

/** Run it after {@link deleteAbandonedKeys}. */
const deleteAbandoned = (before: Instant, rows: number): SQL => sql`
delete from ${erasures} where ${erasures.digest} in (
  select ${erasures.digest} from ${erasures} where ${erasures.at} < ${before}
    and not exists (select 1 from ${KEYS} where ${erasureKeys.digest} = ${erasures.digest}) limit ${rows})
returning 1 as deleted`;

/** Deletes the record of erasures, for backups that are too old to be restored. */
export async function deleteOldErasures(db: D1Database, before: Instant): Promise<void> {
  await drizzle(db).delete(erasuresForBackups).where(lt(erasuresForBackups.at, before));
}

/** The statements of one batch. */
type Delete = (past: Past, batch: Batch) => readonly Statement[];

const DAYS = tableByIndex(callLogDays, primaryKeyOf(callLogDays));

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
          where ${callLogDays.day} < ${utcDay(before)} limit ${rows}
        ) returning 1 as deleted`),
    uncounted(sql`delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
          select ${callPlates.id}, ${callPlates.position} from ${callPlates}
          where ${callPlates.id} < ${firstIdAt(sql`${before}`)} limit ${rows}
        ) returning 1 as deleted`),
  ],

  changes_by_day: (past, { rows }) => [
    counted(sql`delete from ${changesByDay} where rowid in (
        select rowid from ${tableByIndex(changesByDay, primaryKeyOf(changesByDay))} where ${changesByDay.day} < ${utcDay(past.callLog)} limit ${rows})
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
