import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn, oneOf } from './columns.ts';
import { municipalityId } from './configuration.ts';

/** What a plate can have been erased from. */
export const ERASED_KINDS = ['parking_session', 'subscription'] as const;

/**
 * What keeps a plate erased: a keyed digest of it, with the session or subscription that it was erased from. A line of an
 * import that names the same plate for the same one again brings it not back.
 */
export const erasedPlates = sqliteTable(
  'erased_plates',
  {
    municipalityId: municipalityId(),
    kind: text('kind', { enum: ERASED_KINDS }).notNull(),
    /** The session's source; empty for a subscription. */
    sourceCode: text('source_code').notNull(),
    /** The session's id, or the subscription's number. */
    key: text('key').notNull(),
    digest: text('digest').notNull(),
    /** What stands in the plate's place in a session; null for a subscription. */
    pseudonym: text('pseudonym'),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.kind, t.sourceCode, t.key, t.digest] }),
    check('erased_plates_kind', oneOf(t.kind, ERASED_KINDS)),
  ],
);

/** Erasures that are under way, each a bounded part at a time. A row goes when its erasure is done. */
export const erasures = sqliteTable('erasures', {
  /** Keyed, of tenant and plate. */
  digest: text('digest').primaryKey(),
  /** One for all sessions of the plate, so that they stay the sessions of one vehicle. */
  pseudonym: text('pseudonym').notNull(),
  /** How far the calls that were kept whole have been looked through. */
  callsUpTo: instantColumn('calls_up_to').notNull(),
  callsAfterId: text('calls_after_id').notNull(),
  /** When it began. */
  at: integer('at').notNull(),
});
