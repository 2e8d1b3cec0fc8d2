import { check, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { instantColumn, oneOf } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const ERASED_KINDS = ['parking_session', 'subscription'] as const;

/**
 * Keeps a plate erased: its keyed digest, with the session or subscription from which it was erased. An import's line that
 * names the same plate for the same session or subscription does not bring it back.
 */
export const erasedPlates = sqliteTable(
  'erased_plates',
  {
    /** Rises with every row, so that an import can tell what was erased since it read. */
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    kind: text('kind', { enum: ERASED_KINDS }).notNull(),
    /** The session's source; empty for a subscription. */
    sourceCode: text('source_code').notNull(),
    /** A keyed digest of the session's id, or the subscription's number. */
    key: text('key').notNull(),
    digest: text('digest').notNull(),
    /** Replaces the plate in a session; null for a subscription. */
    pseudonym: text('pseudonym'),
    /** When its session or subscription ends, or was last recorded if that is later. Its retention begins then. */
    guardsUntil: instantColumn('guards_until').notNull(),
  },
  (t) => [
    unique('erased_plates_digest').on(t.municipalityId, t.kind, t.sourceCode, t.key, t.digest),
    // A backup reads them by id.
    index('erased_plates_by_city').on(t.municipalityId),
    index('erased_plates_by_end').on(t.kind, t.guardsUntil),
    check('erased_plates_kind', oneOf(t.kind, ERASED_KINDS)),
  ],
);

/** Erasures under way. Each call does a bounded part; the row is deleted when the erasure is done. */
export const erasures = sqliteTable('erasures', {
  /** A keyed digest of tenant and plate. */
  digest: text('digest').primaryKey(),
  /** For an earlier version, even after a rollback, which gives it to all sessions of the plate. This one gives each its own. */
  pseudonym: text('pseudonym').notNull(),
  /** Progress through the calls with bodies. */
  callsUpTo: instantColumn('calls_up_to').notNull(),
  callsAfterId: text('calls_after_id').notNull(),
  /** Last call. Abandoned erasures expire. */
  at: integer('at').notNull(),
});

/**
 * The keys that an erasure under way has replaced because they contain the plate. It searches the calls with bodies for them.
 * Deleted when it is done.
 */
export const erasureKeys = sqliteTable(
  'erasure_keys',
  {
    /** The erasure's. */
    digest: text('digest').notNull(),
    key: text('key').notNull(),
  },
  (t) => [primaryKey({ columns: [t.digest, t.key] })],
);

/** Recent erasures. An older backup may contain the plate, so a restore erases it again. */
export const erasuresForBackups = sqliteTable(
  'erasures_for_backups',
  {
    /** As in {@link erasures}. */
    digest: text('digest').primaryKey(),
    /** The tenant's code. */
    tenant: text('tenant').notNull(),
    /** When it was last worked on. */
    at: instantColumn('at').notNull(),
  },
  (t) => [
    index('erasures_for_backups_by_tenant').on(t.tenant, t.at),
    // Retention deletes by age.
    index('erasures_for_backups_by_at').on(t.at),
  ],
);
