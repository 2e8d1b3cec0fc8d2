import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core';
import {
  CODE_LENGTH,
  codeAndName,
  codeAndNameChecks,
  flag,
  instantColumn,
  lengthWithin,
  NAME_LENGTH,
  oneOf,
} from './columns.ts';
import { areas, municipalityId } from './configuration.ts';

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
  (t) => [
    unique('sources_municipality_code').on(t.municipalityId, t.code),
    ...codeAndNameChecks('sources', t),
    check('sources_category_length', lengthWithin(t.category, CODE_LENGTH)),
    check('sources_stale_after', sql`${t.staleAfterMinutes} >= 1`),
    check('sources_report_delay', sql`${t.reportDelayMinutes} between 0 and 1440`),
    check('sources_open_session_max', sql`${t.openSessionMaxHours} >= 1`),
  ],
);

/** The last import of each source, for its freshness. A source that has never imported has no row. */
export const sourceImports = sqliteTable(
  'source_imports',
  {
    sourceId: integer('source_id')
      .primaryKey()
      .references(() => sources.id),
    lastFinishedAt: instantColumn('last_finished_at').notNull(),
    lastOutcome: text('last_outcome', { enum: IMPORT_OUTCOMES }).notNull(),
    lastSuccessfulAt: instantColumn('last_successful_at'),
    /** The call that made it, for the call log. */
    lastRequestId: text('last_request_id').notNull(),
    recordedAt: instantColumn('recorded_at').notNull().default(0),
  },
  (t) => [check('source_imports_outcome', oneOf(t.lastOutcome, IMPORT_OUTCOMES))],
);

/** Keyed digests of the plates that rejected lines named, for a day. They can confirm a given plate, but not be turned back into one. */
export const rejectedPlates = sqliteTable(
  'rejected_plates',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    digest: text('digest').notNull(),
    at: instantColumn('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.sourceId, t.digest] }),
    // Retention deletes by age.
    index('rejected_plates_by_at').on(t.at),
    // A patrol asks whether there are any today, and an import counts them.
    index('rejected_plates_by_source').on(t.sourceId, t.at),
    // Erasure looks a plate's digests up.
    index('rejected_plates_by_digest').on(t.digest),
  ],
);

/** The `runs_until` of an open-ended session: later than any real instant. */
export const OPEN_END = 9_007_199_254_740_991;

/**
 * Hourly parking, as its source reports it. It has the source's code (which never changes) instead of its id, so that listing
 * a plate's sessions does not cost one more row each.
 */
export const parkingSessions = sqliteTable(
  'parking_sessions',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    sourceCode: text('source_code').notNull(),
    /** Unique in its source. */
    sessionId: text('session_id').notNull(),
    areaId: integer('area_id')
      .notNull()
      .references(() => areas.id),
    /** Normalized. */
    plate: text('plate').notNull(),
    startsAt: instantColumn('starts_at').notNull(),
    /** Null while a start-and-stop session runs. */
    endsAt: instantColumn('ends_at'),
    cancelledAt: instantColumn('cancelled_at'),
    revision: integer('revision'),
    /** `ends_at`, or {@link OPEN_END} without one, for the index. */
    runsUntil: integer('runs_until').generatedAlwaysAs(sql.raw(`coalesce("ends_at", ${OPEN_END})`), {
      mode: 'virtual',
    }),
    /** When this version was stored. */
    recordedAt: instantColumn('recorded_at').notNull().default(0),
  },
  (t) => [
    unique('parking_sessions_key').on(t.municipalityId, t.sourceCode, t.sessionId),
    foreignKey({
      columns: [t.municipalityId, t.sourceCode],
      foreignColumns: [sources.municipalityId, sources.code],
    }),
    // The plate check reads only the plate's sessions that end after a given instant.
    index('parking_sessions_by_plate').on(t.municipalityId, t.plate, t.runsUntil),
    // The report reads sessions that run or start soon, and open-ended ones that have not expired.
    index('parking_sessions_by_end').on(t.municipalityId, t.runsUntil, t.startsAt),
    // Changes since an instant: entitlement lists, copies, retention.
    index('parking_sessions_by_recording').on(t.municipalityId, t.recordedAt),
    check('parking_sessions_id_length', lengthWithin(t.sessionId, NAME_LENGTH)),
    check('parking_sessions_plate_length', lengthWithin(t.plate, 15)),
    check('parking_sessions_ends_after_start', sql`${t.endsAt} > ${t.startsAt}`),
  ],
);
