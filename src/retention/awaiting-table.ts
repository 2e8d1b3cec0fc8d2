import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal, moves } from '../db/schema/index.ts';
import { aliased, bare } from '../db/sql.ts';
import { BLANKED, type Past, SUBJECTS, type WithHistory } from './journal-parts.ts';
import { noteSequences, replacedBy } from './journal-table.ts';

const r = alias(journal, 'r');
const j = alias(journal, 'j');
const n = alias(journal, 'n');

/** A batch deletes this many rows of a history on average; the next batch takes the rest. */
const ROWS_EACH = 4;

/** A municipality that is still being copied here lacks the rows that its journal is about. */
const isNotOnItsWay = sql`${journal.municipalityId} not in (select ${moves.municipalityId} from ${moves})`;

/** The rows whose time has come, as `r`. */
const dueRows = ({ parking_session: before }: Past, rows: number): SQL => sql`(
    select * from ${journal} where ${journal.awaits} is not null and ${journal.awaits} < ${before} and ${isNotOnItsWay}
    order by ${journal.awaits} limit ${rows}
  ) as ${sql.identifier('r')}`;

const isGone = (kind: WithHistory): SQL =>
  sql`${r.kind} = ${sql.raw(`'${kind}'`)} and not exists (select 1 from ${SUBJECTS[kind].table} where ${SUBJECTS[kind].isOf(r)})`;

/** The condition that a row is the newest of something that was deleted. */
const IS_LAST_OF_GONE = sql`(${r.key} is not null
  and (${isGone('parking_session')} or ${isGone('subscription')})
  and not exists (
    select 1 from ${aliased(journal, n)} where ${n.municipalityId} = ${r.municipalityId} and ${n.sourceCode} is ${r.sourceCode}
      and ${n.key} = ${r.key} and ${n.kind} = ${r.kind} and ${n.sequence} > ${r.sequence}))`;

const isPast = (past: Past): SQL =>
  sql`${r.recordedAt} < iif(${r.kind} = 'subscription', ${past.subscription}, ${past.parking_session})`;

const NEWEST = sql`(select max(${j.sequence}) from ${aliased(journal, j)})`;

const lastOfGone = (past: Past, rows: number): SQL =>
  sql`select ${r.sequence} from ${dueRows(past, rows)} where ${isPast(past)} and ${IS_LAST_OF_GONE}`;

/**
 * Handles the rows that await retention, in one transaction: deletes the rows that they replaced, and the histories of deleted
 * sessions and subscriptions whose newest row is past its retention.
 */
export function takeAwaiting(past: Past, rows: number): readonly { sql: SQL; isCounted: boolean }[] {
  const replaced = replacedBy(dueRows(past, rows));
  const historyOfGone = sql`
with gone as materialized (select ${r.municipalityId}, ${r.kind}, ${r.sourceCode}, ${r.key} from ${dueRows(past, rows)}
  where ${isPast(past)} and ${IS_LAST_OF_GONE})
select ${j.sequence} from gone cross join ${aliased(journal, j)}
  on ${j.municipalityId} = gone.municipality_id and ${j.sourceCode} is gone.source_code and ${j.key} = gone.key
    and ${j.kind} = gone.kind
  where ${j.sequence} <> ${NEWEST} limit ${rows * ROWS_EACH}`;
  return [
    {
      sql: sql`delete from ${journal} where ${journal.sequence} in (${replaced} limit ${rows}) returning 1 as deleted`,
      isCounted: true,
    },
    // A list's cursor from before these rows would miss their changes.
    {
      sql: noteSequences(sql`select ${r.sequence} as sequence from ${dueRows(past, rows)}`),
      isCounted: false,
    },
    // The newest row of all is emptied instead of deleted, once all before it are gone: its number must not be used again.
    {
      sql: sql`update ${journal} set ${BLANKED}
where ${journal.sequence} = ${NEWEST} and ${journal.sequence} in (${lastOfGone(past, rows)})
  and not exists (${historyOfGone})`,
      isCounted: false,
    },
    {
      sql: sql`delete from ${journal} where ${journal.sequence} in (${historyOfGone}) returning 1 as deleted`,
      isCounted: true,
    },
    // A row that came in a move, and whose session or subscription is gone, is looked at twice, and kept longer.
    {
      sql: sql`update ${journal} set ${bare(journal.awaits)} = due.again from (
  select ${r.sequence} as sequence,
    iif(not ${isPast(past)} and ${IS_LAST_OF_GONE}, ${r.recordedAt} + ${past.parking_session - past.subscription}, null) as again
  from ${dueRows(past, rows)}
) as due
where ${journal.sequence} = due.sequence and not exists (${replaced}) and not exists (${lastOfGone(past, rows)})
returning 1 as deleted`,
      isCounted: false,
    },
  ];
}
