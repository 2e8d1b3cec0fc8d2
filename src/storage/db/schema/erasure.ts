import { check, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { instantColumn, oneOf } from './columns.ts';
import { municipalityId } from './configuration.ts';

/** What a plate can have been erased from. */
export const ERASED_KINDS = ['parking_session', 'subscription'] as const;

/**
 * What keeps a plate erased: a keyed digest of it, with the session or subscription that it was erased from. A line of an
 * import that names the same plate for the same one again does not bring it back.
 */
export const erasedPlates = sqliteTable(
  'erased_plates',
  {
    /** Rises with every row: an import that has read up to one notices what was erased since. */
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    kind: text('kind', { enum: ERASED_KINDS }).notNull(),
    /** The session's source; empty for a subscription. */
    sourceCode: text('source_code').notNull(),
    /** A keyed digest of the session's id, or the subscription's number. */
    key: text('key').notNull(),
    digest: text('digest').notNull(),
    /** What replaces the plate in a session; null for a subscription. */
    pseudonym: text('pseudonym'),
    /** When its session or subscription ends, or was last recorded if that is later: its retention counts from there. */
    guardsUntil: instantColumn('guards_until').notNull(),
  },
  (t) => [
    unique('erased_plates_digest').on(t.municipalityId, t.kind, t.sourceCode, t.key, t.digest),
    // Copies take them along in the order of their numbers.
    index('erased_plates_by_city').on(t.municipalityId),
    index('erased_plates_by_end').on(t.kind, t.guardsUntil),
    check('erased_plates_kind', oneOf(t.kind, ERASED_KINDS)),
  ],
);

/** Erasures that are under way, each a bounded part at a time. A row goes when its erasure is done. */
export const erasures = sqliteTable('erasures', {
  /** Keyed, of tenant and plate. */
  digest: text('digest').primaryKey(),
  /** An earlier version gives it to all sessions of the plate, also after a rollback. This one gives each its own. */
  pseudonym: text('pseudonym').notNull(),
  /** How far the calls that were kept whole have been looked through. */
  callsUpTo: instantColumn('calls_up_to').notNull(),
  callsAfterId: text('calls_after_id').notNull(),
  /** When it was last called: one that nobody continues is given up. */
  at: integer('at').notNull(),
});

/**
 * The keys that an erasure under way has taken away, since they are made from the plate: calls that were kept whole are
 * searched for them. They go when it is done.
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

/**
 * How far a municipality's sessions are anonymized. None with a plate lies before it: a trigger of the database takes it
 * back where one is stored that has ended before.
 */
export const anonymizations = sqliteTable('anonymizations', {
  municipalityId: municipalityId().primaryKey(),
  /** Of sessions with an end: by that. */
  endedUpTo: instantColumn('ended_up_to').notNull(),
  /** Of sessions without one: by their start. */
  openUpTo: instantColumn('open_up_to').notNull(),
});

/** In the home: what was erased of late. A backup from before it may hold the plate, and what is restored of that loses it again. */
export const erasuresForBackups = sqliteTable(
  'erasures_for_backups',
  {
    /** Keyed, of tenant and plate, as in {@link erasures}. */
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
