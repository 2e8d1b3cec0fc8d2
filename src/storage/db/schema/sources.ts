import { index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { codeAndName, flag, instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const IMPORT_OUTCOMES = ['succeeded', 'failed'] as const;

/** Where parking sessions come from: the meters, an app, a gate system. */
export const sources = sqliteTable(
  'sources',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    ...codeAndName(),
    category: text('category').notNull(),
    isSystem: flag('is_system').notNull(),
    active: flag('active').notNull(),
    staleAfterMinutes: integer('stale_after_minutes').notNull(),
    reportDelayMinutes: integer('report_delay_minutes').notNull(),
    openSessionMaxHours: integer('open_session_max_hours').notNull(),
  },
  (t) => [unique('sources_municipality_code').on(t.municipalityId, t.code)],
);

/**
 * The last import of each source, for its freshness, and the imports that show what was known of it earlier: the first of
 * consecutive failures, each import after a failure, and each that ended a silence. Without rowid.
 */
export const imports = sqliteTable(
  'imports',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id),
    /** When its end was stored. */
    recordedAt: instantColumn('recorded_at').notNull(),
    municipalityId: municipalityId(),
    outcome: text('outcome', { enum: IMPORT_OUTCOMES }).notNull(),
    /** The source's last success up to this import, by the instant at which its call began. Null: none yet. */
    succeededAt: instantColumn('succeeded_at'),
    /** The same before this import. */
    succeededBefore: instantColumn('succeeded_before'),
    /** Whether it is kept once another has ended. */
    isKept: flag('is_kept').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.sourceId, t.recordedAt] }),
    // Retention deletes by age.
    index('imports_by_time').on(t.municipalityId, t.recordedAt),
  ],
);

/**
 * Keyed digests of the plates that rejected lines named, for a day. They can confirm a given plate, but not be turned back into
 * one.
 */
export const rejectedPlates = sqliteTable(
  'rejected_plates',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    /** Null: every plate is in doubt. */
    digest: text('digest'),
    at: instantColumn('at').notNull(),
  },
  (t) => [
    // A patrol asks for some digests. Erasure looks a plate's digests up.
    index('rejected_plates_by_digest').on(t.municipalityId, t.digest, t.at),
    // Retention deletes by age.
    index('rejected_plates_by_time').on(t.at),
  ],
);
