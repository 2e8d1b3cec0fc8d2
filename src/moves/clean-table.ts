import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  erasedPlates,
  journal,
  parkingSessions,
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
  sources,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, primaryKeyOf, tableAs, tableByIndex } from '../db/sql.ts';
import { batch, MAX_STEPS } from './move-parts.ts';

/** The most that one statement deletes: some tens of milliseconds' work. A subscription's lists are deleted with it. */
const ROWS = 500;
const SUBSCRIPTIONS = 50;

const everyChange = alias(journal, 'every_change');
const everyErased = alias(erasedPlates, 'every_erased');

/** The newest row of all stays, emptied, so that its number is not used again. */
const newest = sql`(select max(${everyChange.sequence}) from ${tableAs(journal, everyChange)})`;

/** The tables that grow, in an order in which foreign keys hold. Each statement deletes some rows of a municipality. */
const GROWING: readonly ((id: number) => SQL)[] = [
  (id) => sql`delete from ${parkingSessions} where ${parkingSessions.id} in (
    select ${parkingSessions.id} from ${tableByIndex(parkingSessions, 'parking_sessions_by_end')} where ${parkingSessions.municipalityId} = ${id} limit ${ROWS})`,
  (id) => sql`delete from ${subscriptions} where ${subscriptions.id} in (
    select ${subscriptions.id} from ${tableByIndex(subscriptions, 'subscriptions_number')} where ${subscriptions.municipalityId} = ${id} limit ${SUBSCRIPTIONS})`,
  // The newest of all stays: imports compare its number.
  (id) => sql`delete from ${erasedPlates} where ${erasedPlates.id} in (
    select ${erasedPlates.id} from ${tableByIndex(erasedPlates, 'erased_plates_digest')} where ${erasedPlates.municipalityId} = ${id}
      and ${erasedPlates.id} < (select max(${everyErased.id}) from ${tableAs(erasedPlates, everyErased)}) limit ${ROWS})`,
  (id) => sql`delete from ${journal} where ${journal.sequence} in (
    select ${journal.sequence} from ${tableByIndex(journal, 'journal_by_key')} where ${journal.municipalityId} = ${id} and ${journal.key} is not null
      and ${journal.sequence} < ${newest} limit ${ROWS})`,
  (id) => sql`delete from ${journal} where ${journal.sequence} in (
    select ${journal.sequence} from ${tableByIndex(journal, 'journal_by_time')} where ${journal.municipalityId} = ${id} and ${journal.key} is null
      and ${journal.sequence} < ${newest} limit ${ROWS})`,
  (id) => sql`delete from ${rejectedPlates} where rowid in (
    select ${rejectedPlates}.rowid from ${sources} cross join ${tableByIndex(rejectedPlates, 'rejected_plates_by_source')}
      on ${rejectedPlates.sourceId} = ${sources.id} where ${sources.municipalityId} = ${id} limit ${ROWS})`,
  (id) => sql`delete from ${rejectedSubscriptionPlates} where rowid in (
    select rowid from ${tableByIndex(rejectedSubscriptionPlates, 'rejected_subscription_plates_by_city')} where ${rejectedSubscriptionPlates.municipalityId} = ${id} limit ${ROWS})`,
  (id) => sql`delete from ${rejectedLines} where rowid in (
    select rowid from ${tableByIndex(rejectedLines, primaryKeyOf(rejectedLines))} where ${rejectedLines.municipalityId} = ${id} limit ${ROWS})`,
];

const LEFT_EMPTY = sql.join(
  [
    journal.requestId,
    journal.sourceCode,
    journal.key,
    journal.plate,
    journal.areaId,
    journal.leftAreaId,
    journal.record,
    ...[journal.firstAt, journal.firstBy, journal.firstRecord],
  ].map((column) => sql`${bare(column)} = null`),
  sql`, `,
);

/** What is deleted last. The configuration stays: it is small, and to delete an area SQLite would search all sessions. */
const deleteRest = (id: number): SQL[] => [
  sql`update ${journal} set ${LEFT_EMPTY}, ${bare(journal.kind)} = 'parking_session'
    where ${journal.sequence} = ${newest} and ${journal.municipalityId} = ${id}`,
];

/**
 * Deletes some of the rows of a municipality that does not live in this database. Its own row stays, as a pointer.
 *
 * @param guard undoes the transaction where nothing may be deleted
 * @returns whether nothing is left
 */
export async function cleanUp(db: D1Database, municipalityId: number, guard: SQL): Promise<boolean> {
  const deleted = await run(db, [guard, ...GROWING.map((make) => make(municipalityId))]);
  if (deleted > 0) {
    return false;
  }
  await run(db, [guard, ...deleteRest(municipalityId)]);
  return true;
}

/** Cleans up until a call has done its part. @returns whether nothing is left */
export async function cleanUpUntil(
  endsAtMs: number,
  db: D1Database,
  id: number,
  guard: SQL,
): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS && performance.now() < endsAtMs; steps += 1) {
    if (await cleanUp(db, id, guard)) {
      return true;
    }
  }
  return false;
}

/** @returns how many rows were changed */
async function run(db: D1Database, statements: readonly SQL[]): Promise<number> {
  const results = await batch(db, statements);
  return results.reduce((sum, { meta }) => sum + meta.changes, 0);
}
