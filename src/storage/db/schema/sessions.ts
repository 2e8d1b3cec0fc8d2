import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { instantColumn, plateColumn, revisionColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';
import { sources } from './sources.ts';

/** Added to its start, the `runs_until` of an open-ended session: later than any real instant. */
export const OPEN_FROM = 2 ** 52;

/** A version of a session seldom lives longer: 30 days. */
export const LONG_VERSION_MS = 2_592_000_000;

/** What a line says of a session, beside its key. Its version is replaced when any of it changes. */
const record = () => ({
  /** No foreign key: each area that a discarded restore deletes would scan the sessions of all cities. */
  areaId: integer('area_id').notNull(),
  plate: plateColumn().notNull(),
  startsAt: instantColumn('starts_at').notNull(),
  /** Null while a start-and-stop session runs. */
  endsAt: instantColumn('ends_at'),
  cancelledAt: instantColumn('cancelled_at'),
});

/** The names of these columns. */
export const SESSION_RECORD = Object.keys(record()) as (keyof ReturnType<typeof record>)[];

/**
 * Hourly parking, as its source reports it. It has the source's code (which never changes) instead of its id, so that listing
 * a plate's sessions does not cost one more row each. A trigger copies each version that is replaced to the past.
 */
export const parkingSessions = sqliteTable(
  'parking_sessions',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    sourceCode: text('source_code').notNull(),
    /** Unique in its source. */
    sessionId: text('session_id').notNull(),
    ...record(),
    revision: revisionColumn(),
    /** `ends_at`, or without one later than any instant, in the order of the starts: for the indexes. */
    runsUntil: integer('runs_until').generatedAlwaysAs(
      sql.raw(`coalesce("ends_at", ${OPEN_FROM} + "starts_at")`),
      {
        mode: 'virtual',
      },
    ),
    /** When this version was stored. */
    recordedAt: instantColumn('recorded_at').notNull(),
  },
  (t) => [
    unique('parking_sessions_key').on(t.municipalityId, t.sourceCode, t.sessionId),
    foreignKey({
      columns: [t.municipalityId, t.sourceCode],
      foreignColumns: [sources.municipalityId, sources.code],
    }),
    // The plate check reads only the plate's sessions that end after a given instant.
    index('parking_sessions_by_plate').on(t.municipalityId, t.plate, t.runsUntil),
    // Snapshots read sessions that have not ended, and open-ended ones that have not expired; so do entitlement lists.
    index('parking_sessions_by_end').on(t.municipalityId, t.runsUntil),
    // Changes since an instant: entitlement lists, and retention.
    index('parking_sessions_by_recording').on(t.municipalityId, t.recordedAt),
  ],
);

/** Replaced versions of sessions. Only the present row has the session's key. Without rowid. */
export const pastParkingSessions = sqliteTable(
  'past_parking_sessions',
  {
    /** The session's. */
    id: integer('id')
      .notNull()
      .references(() => parkingSessions.id),
    municipalityId: integer('municipality_id').notNull(),
    ...record(),
    revision: revisionColumn(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** When the next version was stored. */
    replacedAt: instantColumn('replaced_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.replacedAt] }),
    // What was known of a plate.
    index('past_parking_sessions_by_plate').on(t.municipalityId, t.plate, t.recordedAt),
    // Changes since an instant: entitlement lists, and retention.
    index('past_parking_sessions_by_time').on(t.municipalityId, t.replacedAt),
    // Whether a version still bears a change of long ago: retention. Of the other versions, age alone tells.
    index('past_parking_sessions_by_recording')
      .on(t.municipalityId, t.recordedAt)
      .where(sql`${t.replacedAt} - ${t.recordedAt} > ${sql.raw(String(LONG_VERSION_MS))}`),
  ],
);
