import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal, moves } from '../db/schema/index.ts';
import { bare, tableAs, tableByIndex } from '../db/sql.ts';
import {
  BLANKED,
  counted,
  FORGOTTEN,
  type Past,
  type Statement,
  SUBJECTS,
  uncounted,
  type WithHistory,
} from './journal-parts.ts';
import { noteSequences, replacedBy } from './journal-table.ts';

const replacing = alias(journal, 'replacing');
const change = alias(journal, 'change');
const newer = alias(journal, 'newer');

/** A batch deletes this many rows of a history on average; the next batch takes the rest. */
const ROWS_EACH = 4;

/** A municipality that is still being copied here lacks the rows that its journal is about. */
const isNotOnItsWay = sql`${journal.municipalityId} not in (select ${moves.municipalityId} from ${moves})`;

/** The rows whose time has come, as `replacing`. */
const dueRows = ({ parking_session: before }: Past, rows: number): SQL => sql`(
    select * from ${tableByIndex(journal, 'journal_awaiting')} where ${journal.awaits} is not null and ${journal.awaits} < ${before} and ${isNotOnItsWay}
    order by ${journal.awaits} limit ${rows}
  ) as ${sql.identifier('replacing')}`;

const isGone = (kind: WithHistory): SQL =>
  sql`${replacing.kind} = ${sql.raw(`'${kind}'`)} and not exists (select 1 from ${SUBJECTS[kind].byKey} where ${SUBJECTS[kind].isOf(replacing)})`;

/** The condition that a row is the newest of something that was deleted. */
const IS_LAST_OF_GONE = sql`(${replacing.key} is not null
  and (${isGone('parking_session')} or ${isGone('subscription')})
  and not exists (
    select 1 from ${tableAs(journal, newer, 'journal_by_key')} where ${newer.municipalityId} = ${replacing.municipalityId} and ${newer.sourceCode} is ${replacing.sourceCode}
      and ${newer.key} = ${replacing.key} and ${newer.kind} = ${replacing.kind} and ${newer.sequence} > ${replacing.sequence}))`;

const isPast = (past: Past): SQL =>
  sql`${replacing.recordedAt} < iif(${replacing.kind} = 'subscription', ${past.subscription}, ${past.parking_session})`;

const NEWEST = sql`(select max(${change.sequence}) from ${tableAs(journal, change)})`;

const lastOfGone = (past: Past, rows: number): SQL =>
  sql`select ${replacing.sequence} from ${dueRows(past, rows)} where ${isPast(past)} and ${IS_LAST_OF_GONE}`;

/**
 * Handles the rows that await retention, in one transaction: deletes the rows that they replaced, and the histories of deleted
 * sessions and subscriptions whose newest row is past its retention.
 */
export function takeAwaiting(past: Past, rows: number): readonly Statement[] {
  const replaced = replacedBy(dueRows(past, rows));
  const historyOfGone = sql`
with gone as materialized (select ${replacing.municipalityId}, ${replacing.kind}, ${replacing.sourceCode}, ${replacing.key} from ${dueRows(past, rows)}
  where ${isPast(past)} and ${IS_LAST_OF_GONE})
select ${change.sequence} from gone cross join ${tableAs(journal, change, 'journal_by_key')}
  on ${change.municipalityId} = gone.municipality_id and ${change.sourceCode} is gone.source_code and ${change.key} = gone.key
    and ${change.kind} = gone.kind
  where ${change.sequence} <> ${NEWEST} limit ${rows * ROWS_EACH}`;
  return [
    counted(
      sql`delete from ${journal} where ${journal.sequence} in (${replaced} limit ${rows}) returning 1 as deleted`,
    ),
    // A list's cursor from before these rows would miss their changes.
    uncounted(noteSequences(sql`select ${replacing.sequence} as sequence from ${dueRows(past, rows)}`)),
    // The newest row of all is emptied instead of deleted, once all before it are gone: its number must not be used again.
    uncounted(sql`update ${journal} set ${BLANKED}
where ${journal.sequence} = ${NEWEST} and ${journal.sequence} in (${lastOfGone(past, rows)})
  and not exists (${historyOfGone})`),
    counted(
      sql`delete from ${journal} where ${journal.sequence} in (${historyOfGone}) returning 1 as deleted`,
    ),
    // A row that came in a move, and whose session or subscription is gone, is looked at twice, and kept longer.
    uncounted(sql`update ${journal} set ${bare(journal.awaits)} = due.again, ${FORGOTTEN} from (
  select ${replacing.sequence} as sequence,
    iif(not ${isPast(past)} and ${IS_LAST_OF_GONE}, ${replacing.recordedAt} + ${past.parking_session - past.subscription}, null) as again
  from ${dueRows(past, rows)}
) as due
where ${journal.sequence} = due.sequence and not exists (${replaced}) and not exists (${lastOfGone(past, rows)})
returning 1 as deleted`),
  ];
}
