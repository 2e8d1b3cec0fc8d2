import { sql } from 'drizzle-orm';
import { blob, check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { instantColumn, oneOf } from './columns.ts';
import { municipalityId } from './configuration.ts';

/** What a row of the journal is about. */
export const JOURNAL_KINDS = ['parking_session', 'subscription', 'configuration', 'import'] as const;

/**
 * What was known when: a row for every stored change, written in the same transaction. Append-only: rows are changed by
 * erasure and anonymization alone, and deleted by retention alone.
 */
export const journal = sqliteTable(
  'journal',
  {
    /** Never given out twice: the newest row is never deleted. */
    sequence: integer('sequence').primaryKey(),
    /** Random: distinguishes a row from another one of the same number in a database that was restored and has gone on. */
    stamp: integer('stamp').notNull().default(sql`(random() & 9007199254740991)`),
    municipalityId: municipalityId(),
    kind: text('kind', { enum: JOURNAL_KINDS }).notNull(),
    /** Our clock when the batch was stored; it never decreases along the sequence. */
    recordedAt: instantColumn('recorded_at').notNull(),
    /** The call that brought it; null for what was stored before the journal began. Of sessions and subscriptions its 16 bytes. */
    requestId: text('request_id'),
    /** Of a session or an import: the source's code. */
    sourceCode: text('source_code'),
    /** The session's id, or the subscription's number. */
    key: text('key'),
    /**
     * Of a session or a subscription: the plate that the row is about. Null where a session's row is about the plate that the
     * session itself has: see `plateOf`. It is written into such a row before the session gets another one, or is deleted.
     * Null of a subscription in a row that its plates share.
     */
    plate: text('plate'),
    /**
     * Of a session: its area after the change, where that is a facility, and the one that it left, where it moved. A row of a
     * plate that has left the session is in no area, and has left the one where that plate was.
     */
    areaId: integer('area_id'),
    leftAreaId: integer('left_area_id'),
    /**
     * JSON: what it is after the change. Null where the plate has left the session or the subscription. A list without what
     * other columns have; earlier versions wrote objects: see `history/recorded.ts`. What plates of a subscription share may
     * be in a row of its own: see `history/shared-rows-parts.ts`.
     */
    record: text('record'),
    /**
     * Of a subscription: the row with which its plate came on it, null in that row itself. It names the plate's right
     * without naming the plate.
     */
    cameWith: integer('came_with'),
    /**
     * Its own instant, or a later one: past that, retention looks at the row by itself, since it is not in the order
     * of time (it came with a municipality that moved), or since its session or subscription has gone before it. Null: it need not.
     */
    awaits: instantColumn('awaits'),
    /**
     * In the first row of a session that stood in its own row alone until then: how it was stored first, when, and by which
     * call. The same plate had it. What was known first counts as a row of its own before this one.
     */
    firstAt: instantColumn('first_at'),
    firstBy: blob('first_by'),
    firstRecord: text('first_record'),
  },
  // Every index ends with the row's number, which SQLite adds by itself: its rows come in the order of the sequence.
  (t) => [
    // A plate's own history, except the rows of sessions that have the plate now: their sessions lead to these.
    index('journal_by_plate').on(t.municipalityId, t.plate).where(sql`${t.plate} is not null`),
    // What replaced a row: the rows of a session (whose source is never null) or of a subscription.
    index('journal_by_key').on(t.municipalityId, t.sourceCode, t.key).where(sql`${t.key} is not null`),
    // The configuration, and a source's imports, as they were known at an instant.
    index('journal_by_time')
      .on(t.municipalityId, t.kind, t.sourceCode, t.recordedAt)
      .where(sql`${t.key} is null`),
    // What has changed in a facility since. An area is of one municipality.
    index('journal_by_area').on(t.areaId).where(sql`${t.areaId} is not null`),
    index('journal_by_left_area').on(t.leftAreaId).where(sql`${t.leftAreaId} is not null`),
    // What has changed among a municipality's subscriptions since.
    index('journal_by_subscription').on(t.municipalityId).where(sql`${t.kind} = 'subscription'`),
    // The history of one plate on one subscription, of which either may have a long one.
    index('journal_by_title').on(t.municipalityId, t.key, t.plate).where(sql`${t.kind} = 'subscription'`),
    // An import whose record was stored, but whose answer was lost, is not recorded twice.
    uniqueIndex('journal_import_once').on(t.requestId).where(sql`${t.kind} = 'import'`),
    // First versions in rows that name their plate: all others are found by their sessions.
    index('journal_first_versions')
      .on(t.municipalityId, t.plate)
      .where(sql`${t.firstAt} is not null and ${t.plate} is not null`),
    // What retention looks at by itself.
    index('journal_awaiting').on(t.awaits).where(sql`${t.awaits} is not null`),
    check('journal_kind', oneOf(t.kind, JOURNAL_KINDS)),
  ],
);

/** One row: which rows of the journal retention has looked at last, for what they replaced. All before are done. */
export const journalRetention = sqliteTable(
  'journal_retention',
  {
    id: integer('id').primaryKey(),
    /** Sequence numbers: the rows after the first, up to the second. */
    afterSequence: integer('after_sequence').notNull(),
    upToSequence: integer('up_to_sequence').notNull(),
    /** The newest row that went with what it was of: who knows less has missed it. */
    goneUpToSequence: integer('gone_up_to_sequence').notNull().default(0),
  },
  (t) => [check('journal_retention_one_row', sql`${t.id} = 1`)],
);
