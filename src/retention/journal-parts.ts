import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { journal, parkingSessions, subscriptions } from '../db/schema/index.ts';
import { bare, tableByIndex } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';

/** The journal's columns, under whichever alias. */
export type JournalColumns = Readonly<
  Record<'municipalityId' | 'kind' | 'sourceCode' | 'key' | 'record', SQLiteColumn>
>;

/** What rows of the journal are about: its table, the same by its key alone, and the columns of its key. */
export interface Subject {
  readonly table: typeof parkingSessions | typeof subscriptions;
  readonly byKey: SQL;
  readonly isOf: (row: JournalColumns) => SQL;
}

export const SUBJECTS = {
  parking_session: {
    table: parkingSessions,
    byKey: tableByIndex(parkingSessions, 'parking_sessions_key'),
    isOf: (row) => sql`${row.municipalityId} = ${parkingSessions.municipalityId}
    and ${row.kind} = 'parking_session' and ${row.sourceCode} = ${parkingSessions.sourceCode}
    and ${row.key} = ${parkingSessions.sessionId}`,
  },
  subscription: {
    table: subscriptions,
    byKey: tableByIndex(subscriptions, 'subscriptions_number'),
    isOf: (
      row,
    ) => sql`${row.municipalityId} = ${subscriptions.municipalityId} and ${row.kind} = 'subscription'
    and ${row.sourceCode} is null and ${row.key} = ${subscriptions.subscriptionNumber}`,
  },
} as const satisfies Record<string, Subject>;

/** What has a history in the journal. */
export type WithHistory = keyof typeof SUBJECTS;

/** The instants before which rows of each kind are past their retention. */
export interface Past extends Readonly<Record<WithHistory, Instant>> {
  /** Sessions that ended before it, and their histories, have no plate any more; null where they keep it. */
  readonly plates: Instant | null;
  /** The plates of rejected lines are kept for a day. */
  readonly rejected?: Instant;
}

/** What is deleted: with its history, or before that. */
export interface Going {
  readonly kind: WithHistory;
  /** The instant before which its history is past its retention. */
  readonly before: Instant;
  /** How much later its history is judged than the rest of the journal. */
  readonly laterMs: number;
  /** Whether plates are taken out of it and its history before it is deleted and its history stays behind. */
  readonly isAnonymized: boolean;
}

/** The columns that say whom a row is about, emptied. */
export const BLANKED = sql.join(
  [
    ...[journal.key, journal.plate, journal.areaId, journal.leftAreaId, journal.record, journal.awaits],
    ...[journal.firstAt, journal.firstBy, journal.firstRecord],
  ].map((column) => sql`${bare(column)} = null`),
  sql`, `,
);

/** The columns of a first version, emptied: it has been replaced for long enough. */
export const FORGOTTEN = sql.join(
  [journal.firstAt, journal.firstBy, journal.firstRecord].map((column) => sql`${bare(column)} = null`),
  sql`, `,
);

/** A statement of a batch. */
export interface Statement {
  readonly query: SQL;
  /** Whether the rows that it returns count as deleted. If not, they still show that there may be more to do. */
  readonly isCounted: boolean;
}
export const counted = (query: SQL): Statement => ({ query, isCounted: true });
export const uncounted = (query: SQL): Statement => ({ query, isCounted: false });
