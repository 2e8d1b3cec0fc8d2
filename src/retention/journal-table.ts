import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appendFirstVersions, plateOf } from '../db/journal-sql.ts';
import { journal, journalRetention, parkingSessions } from '../db/schema/index.ts';
import { bare, literal, tableAs } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';
import {
  BLANKED,
  FORGOTTEN,
  type Going,
  type JournalColumns,
  SUBJECTS,
  type Subject,
  type WithHistory,
} from './journal-parts.ts';

const BY_KEY = 'journal_by_key';
const change = alias(journal, 'change');
const replacing = alias(journal, 'replacing');

/** On average, a batch deletes at most this many rows of the journal for each deleted row; the rest wait for the next batch. */
const ROWS_EACH = 4;

const related = alias(journal, 'related');
const newestRow = ({ isOf }: Subject, column: SQLiteColumn): SQL =>
  sql`(select ${column} from ${tableAs(journal, related, BY_KEY)} where ${isOf(related)} order by ${related.sequence} desc limit 1)`;

const LONG_AGO = literal(-Number.MAX_SAFE_INTEGER);

/**
 * Whether all that is known of a row, from the journal or from itself, is past its retention. History is kept for its full term
 * even where the row goes early, so that sending a session again with dates long past takes nothing from evidence.
 */
const isLongKnown = (subject: Subject, before: Instant): SQL =>
  sql`max(coalesce(${newestRow(subject, related.recordedAt)}, ${LONG_AGO}), coalesce(${
    subject.table === parkingSessions ? parkingSessions.knownAt : null
  }, ${LONG_AGO})) < ${before}`;

const { id: placeId, afterSequence, upToSequence, goneUpToSequence } = journalRetention;

/**
 * The newest row of all stays, so that its number is never given out again. Where its session or subscription goes, the row
 * is emptied.
 */
export function blankNewest(kind: WithHistory, isPast: SQL, before: Instant): SQL {
  const subject: Subject = SUBJECTS[kind];
  const { byKey, isOf } = subject;
  return sql`
update ${journal} set ${BLANKED}
where ${journal.sequence} = (select max(${change.sequence}) from ${tableAs(journal, change)})
  and ${journal.key} is not null and ${journal.recordedAt} < ${before}
  and exists (select 1 from ${byKey} where ${isOf(journal)} and ${isPast} and ${isLongKnown(subject, before)})`;
}

/** The journal's rows of the rows that are being deleted, the oldest of each first. */
const historyOf = (kind: WithHistory, ids: SQL, rows: number, before: Instant): SQL => {
  const subject: Subject = SUBJECTS[kind];
  const { table, isOf } = subject;
  return sql`select ${change.sequence} from ${ids} as past
  cross join ${table} not indexed on ${table.id} = past.id
  cross join ${tableAs(journal, change, BY_KEY)} on ${isOf(change)}
  where ${isLongKnown(subject, before)}
  limit ${rows * ROWS_EACH}`;
};

/**
 * Notes the newest of the rows that {@link blankNewest} and {@link deleteHistory} are about to take, in the same
 * transaction: a list's cursor from before it would miss what they recorded.
 */
export const noteGone = (kind: WithHistory, isPast: SQL, ids: SQL, rows: number, before: Instant): SQL =>
  noteSequences(
    sql`${newestOf(kind, isPast, before)} union all select * from (${historyOf(kind, ids, rows, before)})`,
  );

/** @param sequences a select of `sequence` */
export function noteSequences(sequences: SQL): SQL {
  const gone = bare(goneUpToSequence);
  return sql`
insert into ${journalRetention} (${sql.join([placeId, afterSequence, upToSequence, goneUpToSequence].map(bare), sql`, `)})
select 1, 0, 0, max(sequence) from (${sequences}) where true having max(sequence) is not null
on conflict (${bare(placeId)}) do update set ${gone} = excluded.${gone} where excluded.${gone} > ${goneUpToSequence}`;
}

/** The newest row of all, where it is of what goes. */
function newestOf(kind: WithHistory, isPast: SQL, before: Instant): SQL {
  const subject: Subject = SUBJECTS[kind];
  const { byKey, isOf } = subject;
  return sql`select ${change.sequence} as sequence from ${tableAs(journal, change)}
  where ${change.sequence} = (select max(${replacing.sequence}) from ${tableAs(journal, replacing)}) and ${change.key} is not null
    and ${change.recordedAt} < ${before}
    and exists (select 1 from ${byKey} where ${isOf(change)} and ${isPast} and ${isLongKnown(subject, before)})`;
}

/** Deletes rows of the journal that are of the rows that go. */
export function deleteHistory(kind: WithHistory, ids: SQL, rows: number, before: Instant): SQL {
  return sql`
delete from ${journal} where ${journal.sequence} in (${historyOf(kind, ids, rows, before)}) returning 1 as deleted`;
}

/** That a row of the table may go, and leaves its history behind. */
function leavesHistory({ kind, before, isAnonymized }: Going): SQL {
  const subject: Subject = SUBJECTS[kind];
  const isYoung = sql`not ${isLongKnown(subject, before)}`;
  return isAnonymized
    ? sql`(${isYoung} and ${parkingSessions.plate} < '0' and not exists (
      select 1 from ${tableAs(journal, related, BY_KEY)} where ${subject.isOf(related)} and +${related.plate} >= '0'))`
    : isYoung;
}

/**
 * Has retention look again at the histories that stay, once their newest row is old enough. Rows that left the plate to their
 * session now get it written in.
 */
export function keepYoungHistory(going: Going, ids: SQL): SQL {
  const subject: Subject = SUBJECTS[going.kind];
  const isNewest = sql`${change.sequence} = ${newestRow(subject, related.sequence)}`;
  const kept =
    going.kind === 'subscription'
      ? sql`${tableAs(journal, change)} on ${isNewest}`
      : sql`${tableAs(journal, change, BY_KEY)} on ${subject.isOf(change)} and (${change.plate} is null or ${isNewest})`;
  return sql`
update ${journal} set ${bare(journal.plate)} = ${plateOf(journal)},
  ${bare(journal.awaits)} = iif(${IS_NEWEST_OF_KEY}, ${journal.recordedAt} + ${going.laterMs}, ${journal.awaits})
where ${journal.sequence} in (
  select ${change.sequence} from ${ids} as past
  cross join ${subject.table} on ${subject.table.id} = past.id and ${leavesHistory(going)}
  cross join ${kept}
)`;
}

const IS_NEWEST_OF_KEY = sql`not exists (select 1 from ${tableAs(journal, related, BY_KEY)}
  where ${related.municipalityId} = ${journal.municipalityId} and ${related.sourceCode} is ${journal.sourceCode}
    and ${related.key} = ${journal.key} and ${related.kind} = ${journal.kind} and ${related.sequence} > ${journal.sequence})`;

const leavingHistory = (going: Going, ids: SQL): SQL =>
  sql`from ${ids} as past cross join ${parkingSessions} on ${parkingSessions.id} = past.id and ${leavesHistory(going)}`;

/** Writes the history of sessions that are about to go and whose first version stands in their own row alone. */
export const appendGone = (going: Going, ids: SQL): SQL =>
  appendFirstVersions(parkingSessions, sql`${leavingHistory(going, ids)} where true`);

/** Empties the first versions in the rows that {@link chooseReplacing} has chosen: they were replaced long enough ago. */
export const forgetReplacedFirst = (): SQL => sql`
update ${journal} set ${FORGOTTEN} where ${journal.sequence} in (select ${replacing.sequence} from ${journalRetention}
cross join ${tableAs(journal, replacing)} on ${replacing.sequence} > ${afterSequence} and ${replacing.sequence} <= ${upToSequence} and ${replacing.firstAt} is not null)
returning 1 as deleted`;

/** Deletes the rows that are due, except those whose history has to go first and has not gone yet. */
export function deleteWithoutHistory(going: Going, ids: SQL): SQL {
  const { table, isOf }: Subject = SUBJECTS[going.kind];
  return sql`
delete from ${table} where ${table.id} in (select past.id from ${ids} as past)
  and (not exists (select 1 from ${tableAs(journal, change, BY_KEY)} where ${isOf(change)}) or ${leavesHistory(going)})
returning 1 as deleted`;
}

const upTo = sql`coalesce((select ${upToSequence} from ${journalRetention}), 0)`;

const isImport = (row: JournalColumns): SQL => sql`${row.kind} = 'import'`;
const outcomeOf = (row: JournalColumns): SQL => sql`${row.record} ->> 'outcome'`;

const isOfSubscription = (row: JournalColumns): SQL => sql`${row.kind} = 'subscription'`;

/**
 * The latest chosen row of each key, for a subscription of each key and plate. All rows before it are replaced, so that they need
 * not be compared in pairs.
 */
const latest = alias(journal, 'latest');
const latestOf = (chosen: SQL) => sql`select ${sql.join(
  [
    replacing.municipalityId,
    replacing.kind,
    replacing.sourceCode,
    replacing.key,
    replacing.plate,
    replacing.recordedAt,
    replacing.record,
  ].map((column) => sql`${column} as ${bare(column)}`),
  sql`, `,
)}, max(${replacing.sequence}) as ${bare(replacing.sequence)}
from ${chosen}
group by ${replacing.municipalityId}, ${replacing.kind}, ${replacing.sourceCode}, ${replacing.key}, iif(${isImport(replacing)}, ${outcomeOf(replacing)}, null),
  iif(${isOfSubscription(replacing)}, ${replacing.plate}, null)`;

const isOlder = sql`${change.municipalityId} = ${latest.municipalityId} and ${change.kind} = ${latest.kind}
  and ${change.sourceCode} is ${latest.sourceCode} and ${change.sequence} < ${latest.sequence}`;

/**
 * Nothing is kept of a plate that has left its subscription, once the subscription has changed again and the plate's older rows
 * are gone.
 */
const IS_OF_PLATE_THAT_LEFT = sql`${isOfSubscription(latest)} and ${latest.record} is null
  and ${latest.recordedAt} < (select ${related.recordedAt} from ${tableAs(journal, related, BY_KEY)}
    where ${related.municipalityId} = ${latest.municipalityId} and ${related.sourceCode} is null and ${related.key} = ${latest.key}
    order by ${related.sequence} desc limit 1)
  and not exists (select 1 from ${tableAs(journal, related, 'journal_by_title')}
    where ${related.municipalityId} = ${latest.municipalityId} and ${isOfSubscription(related)} and ${related.key} = ${latest.key}
      and ${related.plate} = ${latest.plate} and ${related.sequence} < ${latest.sequence})`;

/** Of a source's imports, the newest success stays until a later one comes. */
const isLastSuccess = sql`${isImport(change)} and ${outcomeOf(change)} = 'succeeded' and ${outcomeOf(latest)} <> 'succeeded'`;

/**
 * What the chosen rows replaced. Areas are never deleted: a large configuration has at least the rows that the one
 * before it had, each under its key. A subscription's change has rows of the plates that it is about: it replaces those of no other.
 *
 * @param chosen a `from` clause of rows of the journal as `replacing`
 */
export const replacedBy = (chosen: SQL): SQL => sql`
with latest as materialized (${latestOf(chosen)})
select ${change.sequence} from latest cross join ${tableAs(journal, change, BY_KEY)}
  on ${isOlder} and ${change.key} = ${latest.key}
  where not (${isOfSubscription(latest)})
union all
select ${change.sequence} from latest cross join ${tableAs(journal, change, 'journal_by_title')}
  on ${change.municipalityId} = ${latest.municipalityId} and ${isOfSubscription(change)} and ${change.key} = ${latest.key}
    and ${change.plate} = ${latest.plate} and ${change.sequence} < ${latest.sequence}
  where ${isOfSubscription(latest)}
union all
select ${latest.sequence} from latest where ${IS_OF_PLATE_THAT_LEFT}
union all
select ${change.sequence} from latest cross join ${tableAs(journal, change, 'journal_by_time')}
  on ${isOlder} and ${latest.key} is null and ${change.key} is null and ${change.recordedAt} <= ${latest.recordedAt}
  where not (${isLastSuccess})`;

/** Those that {@link chooseReplacing} has chosen. */
const REPLACED = replacedBy(sql`${journalRetention}
cross join ${tableAs(journal, replacing)} on ${replacing.sequence} > ${afterSequence} and ${replacing.sequence} <= ${upToSequence}`);

/**
 * The number to go on after; past every row where even the next one is too young. As a condition beside the limit this would be
 * judged for every row of the table.
 */
const from = (before: Instant): SQL => sql`iif((
  select ${replacing.recordedAt} from ${tableAs(journal, replacing)} where ${replacing.sequence} > ${upTo} order by ${replacing.sequence} limit 1
) < ${before}, ${upTo}, ${literal(Number.MAX_SAFE_INTEGER)})`;

/**
 * Chooses the next rows that are old enough for what they replaced to go: along the sequence, up to the first one that
 * is not. Those that are chosen stay so while anything that they replaced is left. To be run before
 * {@link deleteReplaced}, in the same transaction.
 */
export const chooseReplacing = (before: Instant, rows: number): SQL => sql`
insert into ${journalRetention} (${sql.join([placeId, afterSequence, upToSequence].map(bare), sql`, `)})
select 1, ${upTo}, coalesce(max(number), ${upTo}) from (
  select number, max(at) over (order by number) as latest from (
    select ${journal.sequence} as number, ${journal.recordedAt} as at from ${journal}
    where ${journal.sequence} > ${from(before)}
    order by ${journal.sequence} limit ${rows}
  )
) where latest < ${before}
on conflict (${bare(placeId)}) do update set
  ${bare(afterSequence)} = excluded.${bare(afterSequence)}, ${bare(upToSequence)} = excluded.${bare(upToSequence)}
  where not exists (${REPLACED})
returning ${bare(upToSequence)} > ${bare(afterSequence)} as deleted`;

/** Deletes what the chosen rows replaced, or the first of it. */
export const deleteReplaced = (rows: number): SQL => sql`
delete from ${journal} where ${journal.sequence} in (${REPLACED} limit ${rows}) returning 1 as deleted`;
