import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { journal, journalRetention, parkingSessions, subscriptions } from '../db/schema/index.ts';
import { aliased, bare, literal } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';

const j = alias(journal, 'j');
const r = alias(journal, 'r');

/** A row that goes takes this many rows of the journal along in one batch, on average; what is more goes in the next. */
const ROWS_EACH = 4;

/** The journal's columns, under whichever alias. */
type JournalColumns = Readonly<
  Record<'municipalityId' | 'kind' | 'sourceCode' | 'key' | 'record', SQLiteColumn>
>;

/** What rows of the journal are of: their table, and the columns that are their key. */
interface Subject {
  readonly table: typeof parkingSessions | typeof subscriptions;
  readonly isOf: (row: JournalColumns) => SQL;
}

const SUBJECTS = {
  parking_session: {
    table: parkingSessions,
    isOf: (row) => sql`${row.municipalityId} = ${parkingSessions.municipalityId}
    and ${row.kind} = 'parking_session' and ${row.sourceCode} = ${parkingSessions.sourceCode}
    and ${row.key} = ${parkingSessions.sessionId}`,
  },
  subscription: {
    table: subscriptions,
    isOf: (
      row,
    ) => sql`${row.municipalityId} = ${subscriptions.municipalityId} and ${row.kind} = 'subscription'
    and ${row.sourceCode} is null and ${row.key} = ${subscriptions.subscriptionNumber}`,
  },
} as const satisfies Record<string, Subject>;

/** What has a history in the journal, and goes with it. */
export type WithHistory = keyof typeof SUBJECTS;

const { id: placeId, afterSequence, upToSequence, goneUpToSequence } = journalRetention;

/**
 * The newest row of all stays, so that its number is never given out again. Where what it is of goes, nothing of that
 * stays in it.
 *
 * @param ids a select of the ids of the rows that go
 */
export function blankNewest(kind: WithHistory, isPast: SQL): SQL {
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`
update ${journal} set ${sql.join(
    [journal.key, journal.plate, journal.areaId, journal.leftAreaId, journal.record].map(
      (column) => sql`${bare(column)} = null`,
    ),
    sql`, `,
  )}
where ${journal.sequence} = (select max(${j.sequence}) from ${aliased(journal, j)})
  and ${journal.key} is not null
  and exists (select 1 from ${table} where ${isOf(journal)} and ${isPast})`;
}

/** The journal's rows that are of the rows that go, the oldest of each first. */
const historyOf = (kind: WithHistory, ids: SQL, rows: number): SQL => {
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`select ${j.sequence} from ${ids} as past
  cross join ${table} on ${table.id} = past.id
  cross join ${aliased(journal, j)} on ${isOf(j)}
  limit ${rows * ROWS_EACH}`;
};

/**
 * Notes the newest of the rows that {@link blankNewest} and {@link deleteHistory} are about to take, in the same
 * transaction: a list's cursor from before it would miss what they told.
 */
export function noteGone(kind: WithHistory, isPast: SQL, ids: SQL, rows: number): SQL {
  const gone = bare(goneUpToSequence);
  return sql`
insert into ${journalRetention} (${sql.join([placeId, afterSequence, upToSequence, goneUpToSequence].map(bare), sql`, `)})
select 1, 0, 0, max(sequence) from (
  ${newestOf(kind, isPast)} union all select * from (${historyOf(kind, ids, rows)})
) where true having max(sequence) is not null
on conflict (${bare(placeId)}) do update set ${gone} = excluded.${gone} where excluded.${gone} > ${goneUpToSequence}`;
}

/** The newest row of all, where it is of what goes. */
function newestOf(kind: WithHistory, isPast: SQL): SQL {
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`select ${j.sequence} as sequence from ${aliased(journal, j)}
  where ${j.sequence} = (select max(${r.sequence}) from ${aliased(journal, r)}) and ${j.key} is not null
    and exists (select 1 from ${table} where ${isOf(j)} and ${isPast})`;
}

/** Deletes rows of the journal that are of the rows that go. */
export function deleteHistory(kind: WithHistory, ids: SQL, rows: number): SQL {
  return sql`
delete from ${journal} where ${journal.sequence} in (${historyOf(kind, ids, rows)}) returning 1 as deleted`;
}

/** Deletes the rows that go, but those of which the journal has rows yet. */
export function deleteWithoutHistory(kind: WithHistory, ids: SQL): SQL {
  const { table, isOf }: Subject = SUBJECTS[kind];
  return sql`
delete from ${table} where ${table.id} in (select past.id from ${ids} as past)
  and not exists (select 1 from ${aliased(journal, j)} where ${isOf(j)})
returning 1 as deleted`;
}

const upTo = sql`coalesce((select ${upToSequence} from ${journalRetention}), 0)`;

const isImport = (row: JournalColumns): SQL => sql`${row.kind} = 'import'`;
const outcomeOf = (row: JournalColumns): SQL => sql`${row.record} ->> 'outcome'`;

/** An erasure's row is of one plate of a subscription: it replaces no row of the others. */
const ENDED_ONE_PLATE = sql`${r.kind} = 'subscription' and ${r.key} is not null
  and ${r.record} is null and ${r.requestId} is null`;

/** Of each key among the chosen rows the latest. All before it is replaced: no row has to be compared with another. */
const latest = alias(journal, 'latest');
const LATEST = sql`select ${sql.join(
  [r.municipalityId, r.kind, r.sourceCode, r.key, r.recordedAt, r.requestId, r.record].map(
    (column) => sql`${column} as ${bare(column)}`,
  ),
  sql`, `,
)}, max(${r.sequence}) as ${bare(r.sequence)}
from ${journalRetention}
cross join ${aliased(journal, r)} on ${r.sequence} > ${afterSequence} and ${r.sequence} <= ${upToSequence}
where not (${ENDED_ONE_PLATE})
group by ${r.municipalityId}, ${r.kind}, ${r.sourceCode}, ${r.key}, iif(${isImport(r)}, ${outcomeOf(r)}, null)`;

const isOlder = sql`${j.municipalityId} = ${latest.municipalityId} and ${j.kind} = ${latest.kind}
  and ${j.sourceCode} is ${latest.sourceCode} and ${j.sequence} < ${latest.sequence}`;

/** A subscription has a row for each plate, and these do not replace each other. */
const isOfOneChange = sql`${j.kind} = 'subscription' and ${j.recordedAt} = ${latest.recordedAt}
  and ${j.requestId} is ${latest.requestId}`;

/** Of a source's imports, the newest success stays until a later one comes. */
const isLastSuccess = sql`${isImport(j)} and ${outcomeOf(j)} = 'succeeded' and ${outcomeOf(latest)} <> 'succeeded'`;

/**
 * What the chosen rows replaced. Areas are never deleted: a large configuration has at least the rows that the one
 * before it had, each under its key.
 */
const REPLACED = sql`
with latest as materialized (${LATEST})
select ${j.sequence} from latest cross join ${aliased(journal, j)}
  on ${isOlder} and ${j.key} = ${latest.key}
  where not (${isOfOneChange})
union all
select ${j.sequence} from latest cross join ${aliased(journal, j)}
  on ${isOlder} and ${latest.key} is null and ${j.key} is null and ${j.recordedAt} <= ${latest.recordedAt}
  where not (${isLastSuccess})`;

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
