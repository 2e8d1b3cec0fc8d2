import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { plateOf } from '../db/journal-sql.ts';
import { journal, journalRetention, parkingSessions } from '../db/schema/index.ts';
import { aliased, bare, literal } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';
import {
  BLANKED,
  type Going,
  type JournalColumns,
  SUBJECTS,
  type Subject,
  type WithHistory,
} from './journal-parts.ts';

const j = alias(journal, 'j');
const r = alias(journal, 'r');

/** A row that goes takes this many rows of the journal along in one batch, on average; what is more goes in the next. */
const ROWS_EACH = 4;

const n = alias(journal, 'n');
const newestRow = ({ isOf }: Subject, column: SQLiteColumn): SQL =>
  sql`(select ${column} from ${aliased(journal, n)} where ${isOf(n)} order by ${n.sequence} desc limit 1)`;

/**
 * That the journal has nothing young of a row of the table: what was known of it stays as long as if it had not gone.
 * Whoever sends a session again with dates long past takes nothing from what evidence knows.
 */
const isLongKnown = (subject: Subject, before: Instant): SQL =>
  sql`coalesce(${newestRow(subject, n.recordedAt)}, ${literal(-Number.MAX_SAFE_INTEGER)}) < ${before}`;

const { id: placeId, afterSequence, upToSequence, goneUpToSequence } = journalRetention;

/**
 * The newest row of all stays, so that its number is never given out again. Where what it is of goes, nothing of that
 * stays in it.
 */
export function blankNewest(kind: WithHistory, isPast: SQL, before: Instant): SQL {
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`
update ${journal} set ${BLANKED}
where ${journal.sequence} = (select max(${j.sequence}) from ${aliased(journal, j)})
  and ${journal.key} is not null and ${journal.recordedAt} < ${before}
  and exists (select 1 from ${table} where ${isOf(journal)} and ${isPast})`;
}

/** The journal's rows that are of the rows that go, the oldest of each first. */
const historyOf = (kind: WithHistory, ids: SQL, rows: number, before: Instant): SQL => {
  const subject: Subject = SUBJECTS[kind];
  const { table, isOf } = subject;
  return sql`select ${j.sequence} from ${ids} as past
  cross join ${table} on ${table.id} = past.id
  cross join ${aliased(journal, j)} on ${isOf(j)}
  where ${isLongKnown(subject, before)}
  limit ${rows * ROWS_EACH}`;
};

/**
 * Notes the newest of the rows that {@link blankNewest} and {@link deleteHistory} are about to take, in the same
 * transaction: a list's cursor from before it would miss what they told.
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
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`select ${j.sequence} as sequence from ${aliased(journal, j)}
  where ${j.sequence} = (select max(${r.sequence}) from ${aliased(journal, r)}) and ${j.key} is not null
    and ${j.recordedAt} < ${before} and exists (select 1 from ${table} where ${isOf(j)} and ${isPast})`;
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
      select 1 from ${aliased(journal, n)} where ${subject.isOf(n)} and +${n.plate} >= '0'))`
    : isYoung;
}

/**
 * Has retention look again at the histories that stay, once their newest row is old enough. What a session's rows left to it,
 * the plate, is written into them.
 */
export function keepYoungHistory(going: Going, ids: SQL): SQL {
  const subject: Subject = SUBJECTS[going.kind];
  const isNewest = sql`${j.sequence} = ${newestRow(subject, n.sequence)}`;
  const isKept =
    going.kind === 'subscription'
      ? isNewest
      : sql`${subject.isOf(j)} and (${j.plate} is null or ${isNewest})`;
  return sql`
update ${journal} set ${bare(journal.plate)} = ${plateOf(journal)},
  ${bare(journal.awaits)} = iif(${IS_NEWEST_OF_KEY}, ${journal.recordedAt} + ${going.laterMs}, ${journal.awaits})
where ${journal.sequence} in (
  select ${j.sequence} from ${ids} as past
  cross join ${subject.table} on ${subject.table.id} = past.id and ${leavesHistory(going)}
  cross join ${aliased(journal, j)} on ${isKept}
)`;
}

const IS_NEWEST_OF_KEY = sql`not exists (select 1 from ${aliased(journal, n, 'journal_by_key')}
  where ${n.municipalityId} = ${journal.municipalityId} and ${n.sourceCode} is ${journal.sourceCode}
    and ${n.key} = ${journal.key} and ${n.kind} = ${journal.kind} and ${n.sequence} > ${journal.sequence})`;

/** Deletes the rows that go, but those whose history is to go with them and has not yet. */
export function deleteWithoutHistory(going: Going, ids: SQL): SQL {
  const { table, isOf }: Subject = SUBJECTS[going.kind];
  return sql`
delete from ${table} where ${table.id} in (select past.id from ${ids} as past)
  and (not exists (select 1 from ${aliased(journal, j)} where ${isOf(j)}) or ${leavesHistory(going)})
returning 1 as deleted`;
}

const upTo = sql`coalesce((select ${upToSequence} from ${journalRetention}), 0)`;

const isImport = (row: JournalColumns): SQL => sql`${row.kind} = 'import'`;
const outcomeOf = (row: JournalColumns): SQL => sql`${row.record} ->> 'outcome'`;

const isOfSubscription = (row: JournalColumns): SQL => sql`${row.kind} = 'subscription'`;

/**
 * Of each key among the chosen rows the latest, of a subscription that of each plate. All before it is replaced: no row has to
 * be compared with another.
 */
const latest = alias(journal, 'latest');
const latestOf = (chosen: SQL) => sql`select ${sql.join(
  [r.municipalityId, r.kind, r.sourceCode, r.key, r.plate, r.recordedAt, r.record].map(
    (column) => sql`${column} as ${bare(column)}`,
  ),
  sql`, `,
)}, max(${r.sequence}) as ${bare(r.sequence)}
from ${chosen}
group by ${r.municipalityId}, ${r.kind}, ${r.sourceCode}, ${r.key}, iif(${isImport(r)}, ${outcomeOf(r)}, null),
  iif(${isOfSubscription(r)}, ${r.plate}, null)`;

const isOlder = sql`${j.municipalityId} = ${latest.municipalityId} and ${j.kind} = ${latest.kind}
  and ${j.sourceCode} is ${latest.sourceCode} and ${j.sequence} < ${latest.sequence}`;

/** A plate that has left its subscription is nothing to keep, once that has changed again and its own history has gone. */
const IS_OF_PLATE_THAT_LEFT = sql`${isOfSubscription(latest)} and ${latest.record} is null
  and ${latest.recordedAt} < (select ${n.recordedAt} from ${aliased(journal, n, 'journal_by_key')}
    where ${n.municipalityId} = ${latest.municipalityId} and ${n.sourceCode} is null and ${n.key} = ${latest.key}
    order by ${n.sequence} desc limit 1)
  and not exists (select 1 from ${aliased(journal, n, 'journal_by_title')}
    where ${n.municipalityId} = ${latest.municipalityId} and ${isOfSubscription(n)} and ${n.key} = ${latest.key}
      and ${n.plate} = ${latest.plate} and ${n.sequence} < ${latest.sequence})`;

/** Of a source's imports, the newest success stays until a later one comes. */
const isLastSuccess = sql`${isImport(j)} and ${outcomeOf(j)} = 'succeeded' and ${outcomeOf(latest)} <> 'succeeded'`;

/**
 * What the chosen rows replaced. Areas are never deleted: a large configuration has at least the rows that the one
 * before it had, each under its key. A subscription's change has rows of the plates that it is about: it replaces those of no other.
 *
 * @param chosen a `from` clause of rows of the journal as `r`
 */
export const replacedBy = (chosen: SQL): SQL => sql`
with latest as materialized (${latestOf(chosen)})
select ${j.sequence} from latest cross join ${aliased(journal, j)}
  on ${isOlder} and ${j.key} = ${latest.key}
  where not (${isOfSubscription(latest)})
union all
select ${j.sequence} from latest cross join ${aliased(journal, j, 'journal_by_title')}
  on ${j.municipalityId} = ${latest.municipalityId} and ${isOfSubscription(j)} and ${j.key} = ${latest.key}
    and ${j.plate} = ${latest.plate} and ${j.sequence} < ${latest.sequence}
  where ${isOfSubscription(latest)}
union all
select ${latest.sequence} from latest where ${IS_OF_PLATE_THAT_LEFT}
union all
select ${j.sequence} from latest cross join ${aliased(journal, j)}
  on ${isOlder} and ${latest.key} is null and ${j.key} is null and ${j.recordedAt} <= ${latest.recordedAt}
  where not (${isLastSuccess})`;

/** Those that {@link chooseReplacing} has chosen. */
const REPLACED = replacedBy(sql`${journalRetention}
cross join ${aliased(journal, r)} on ${r.sequence} > ${afterSequence} and ${r.sequence} <= ${upToSequence}`);

/**
 * Behind which row to look. The first of the next rows is not old enough: behind all. As a condition beside the limit it
 * would be judged row by row, to the end of the table.
 */
const from = (before: Instant): SQL => sql`iif((
  select ${r.recordedAt} from ${aliased(journal, r)} where ${r.sequence} > ${upTo} order by ${r.sequence} limit 1
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
