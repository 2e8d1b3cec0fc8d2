import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { journal, journalRetention, parkingSessions, subscriptions } from '../db/schema/index.ts';
import { aliased } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';

const j = alias(journal, 'j');
const r = alias(journal, 'r');

/** A row that goes takes this many rows of the journal along in one batch, on average; what is more goes in the next. */
const ROWS_EACH = 4;

/** What rows of the journal are of: their kind, and the columns that are their key. */
interface Subject {
  readonly table: typeof parkingSessions | typeof subscriptions;
  readonly isOf: (row: typeof journal) => SQL;
}

export const SESSIONS: Subject = {
  table: parkingSessions,
  isOf: (
    row,
  ) => sql`${row.municipalityId} = ${parkingSessions.municipalityId} and ${row.kind} = 'parking_session'
    and ${row.sourceCode} = ${parkingSessions.sourceCode} and ${row.key} = ${parkingSessions.sessionId}`,
};

export const SUBSCRIPTIONS: Subject = {
  table: subscriptions,
  isOf: (row) => sql`${row.municipalityId} = ${subscriptions.municipalityId} and ${row.kind} = 'subscription'
    and ${row.sourceCode} is null and ${row.key} = ${subscriptions.subscriptionNumber}`,
};

const bare = ({ name }: SQLiteColumn): SQL => sql`${sql.identifier(name)}`;

/**
 * The newest row of all stays, so that its number is never given out again. Where what it is of goes, nothing of that
 * stays in it.
 *
 * @param ids a select of the ids of the rows that go
 */
export const blankNewest = ({ table, isOf }: Subject, isPast: SQL): SQL => sql`
update ${journal} set ${sql.join(
  [journal.key, journal.plate, journal.areaId, journal.leftAreaId, journal.record].map(
    (column) => sql`${bare(column)} = null`,
  ),
  sql`, `,
)}
where ${journal.sequence} = (select max(${j.sequence}) from ${aliased(journal, j)})
  and ${journal.key} is not null
  and exists (select 1 from ${table} where ${isOf(journal)} and ${isPast})`;

/** Deletes rows of the journal that are of the rows that go, the oldest of each first. */
export const deleteHistory = ({ table, isOf }: Subject, ids: SQL, rows: number): SQL => sql`
delete from ${journal} where ${journal.sequence} in (
  select ${j.sequence} from ${ids} as past
  cross join ${table} on ${table.id} = past.id
  cross join ${aliased(journal, j)} on ${isOf(j as unknown as typeof journal)}
  limit ${rows * ROWS_EACH}
) returning 1 as deleted`;

/** Deletes the rows that go, but those of which the journal has rows yet. */
export const deleteWithoutHistory = ({ table, isOf }: Subject, ids: SQL): SQL => sql`
delete from ${table} where ${table.id} in (select past.id from ${ids} as past)
  and not exists (select 1 from ${aliased(journal, j)} where ${isOf(j as unknown as typeof journal)})
returning 1 as deleted`;

const { id: placeId, afterSequence, upToSequence } = journalRetention;
const upTo = sql`coalesce((select ${upToSequence} from ${journalRetention}), 0)`;

/** The first of the next rows alone is read where it is not old enough. */
const nextIsDue = (before: Instant): SQL => sql`(
  select ${r.recordedAt} from ${aliased(journal, r)} where ${r.sequence} > ${upTo} order by ${r.sequence} limit 1
) < ${before}`;

/**
 * Chooses the next rows that are old enough for what they replaced to go: along the sequence, up to the first one that
 * is not. To be run before {@link deleteReplaced}, in the same transaction.
 */
export const chooseReplacing = (before: Instant, rows: number): SQL => sql`
insert into ${journalRetention} (${sql.join([placeId, afterSequence, upToSequence].map(bare), sql`, `)})
select 1, ${upTo}, coalesce(max(number), ${upTo}) from (
  select number, max(at) over (order by number) as latest from (
    select ${journal.sequence} as number, ${journal.recordedAt} as at from ${journal}
    where ${journal.sequence} > ${upTo} and ${nextIsDue(before)}
    order by ${journal.sequence} limit ${rows}
  )
) where latest < ${before}
on conflict (${bare(placeId)}) do update set
  ${bare(afterSequence)} = excluded.${bare(afterSequence)}, ${bare(upToSequence)} = excluded.${bare(upToSequence)}
returning ${bare(upToSequence)} > ${bare(afterSequence)} as deleted`;

/**
 * What a later row replaced. The rows of one change do not replace each other: a subscription has one for each plate, a
 * large configuration several. Of a source's imports, the newest and its newest success stay.
 */
const isReplaced = sql`${j.sequence} < ${r.sequence}
  and (${j.kind} = 'parking_session' or ${j.requestId} is not ${r.requestId})
  and (${j.kind} <> 'import' or ${r.record} ->> 'outcome' = 'succeeded' or ${j.record} ->> 'outcome' <> 'succeeded')`;

/** Areas are never deleted: a configuration has at least the rows that the one before it had, each under its key. */
const isSameKey = sql`${j.municipalityId} = ${r.municipalityId} and ${j.kind} = ${r.kind}
  and ${j.sourceCode} is ${r.sourceCode}`;

const chosen = sql`${journalRetention}
  cross join ${aliased(journal, r)} on ${r.sequence} > ${afterSequence} and ${r.sequence} <= ${upToSequence}`;

/** Deletes what the chosen rows replaced. */
export const deleteReplaced = (): SQL => sql`
delete from ${journal} where ${journal.sequence} in (
  select ${j.sequence} from ${chosen} cross join ${aliased(journal, j)} on ${isSameKey} and ${j.key} is ${r.key}
    where ${isReplaced}
) returning 1 as deleted`;
