import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { journal, parkingSessions, subscriptions } from '../db/schema/index.ts';
import { bare } from '../db/sql.ts';
import type { Instant } from '../domain/instant.ts';

/** The journal's columns, under whichever alias. */
export type JournalColumns = Readonly<
  Record<'municipalityId' | 'kind' | 'sourceCode' | 'key' | 'record', SQLiteColumn>
>;

/** What rows of the journal are of: their table, and the columns that are their key. */
export interface Subject {
  readonly table: typeof parkingSessions | typeof subscriptions;
  readonly isOf: (row: JournalColumns) => SQL;
}

export const SUBJECTS = {
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

/** What has a history in the journal. */
export type WithHistory = keyof typeof SUBJECTS;

/** Before when each kind's rows are past their retention. */
export interface Past extends Readonly<Record<WithHistory, Instant>> {
  /** Sessions that ended before it have no plate any more, nor have their histories; null where they keep it. */
  readonly plates: Instant | null;
}

/** What goes: with its history, or before that. */
export interface Going {
  readonly kind: WithHistory;
  /** Before when its history is past its retention. */
  readonly before: Instant;
  /** By how much later than anything else of the journal that is judged. */
  readonly laterMs: number;
  /** Whether plates are taken from it and its history, before it goes and leaves that behind. */
  readonly isAnonymized: boolean;
}

/** What says of whom a row is. */
export const BLANKED = sql.join(
  [journal.key, journal.plate, journal.areaId, journal.leftAreaId, journal.record, journal.awaits].map(
    (column) => sql`${bare(column)} = null`,
  ),
  sql`, `,
);
