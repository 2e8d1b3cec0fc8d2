import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';
import { IMPORT_OUTCOMES, parkingSessions, sources } from './sessions.ts';
import { subscriptions } from './subscriptions.ts';

/*
 * System-versioned tables: a row of the present has the instant at which it was stored (`recorded_at`). Each version that it
 * replaced is in the table of the past, with the instant at which it was replaced (`replaced_at`). Both intervals are
 * half-open, and the two instants of one change are equal. Tables of the past have no rowid, since their key finds all versions
 * of a row. The table of records has one: without it, SQLite would store a record longer than a quarter of a page on overflow
 * pages.
 */

/** The batch that records how an import ended. */
export const LAST_BATCH = -1;
/** The batch number of a payment, a reversal or a settlement, which has its own key. */
export const OF_PAYMENT = -2;

/**
 * One row for each transaction that changed a municipality. Its instant is the Worker's clock, or one more than the
 * municipality's last change if that is later. So it is unique in a municipality, and increases.
 */
export const changes = sqliteTable(
  'changes',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** The 16 bytes of the id of the call that made the change. */
    requestId: blob('request_id').$type<Uint8Array>().notNull(),
    /** The batch of the call, from 0; {@link LAST_BATCH} for the end of an import; {@link OF_PAYMENT}. */
    batch: integer('batch').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.recordedAt] }),
    // Recognizes a batch that is sent again because its answer was lost.
    uniqueIndex('changes_once')
      .on(t.requestId, t.batch, t.municipalityId)
      .where(sql`${t.batch} >= ${sql.raw(String(LAST_BATCH))}`),
  ],
);

/** When a past version was replaced. */
const replacedAt = () => instantColumn('replaced_at').notNull();

/** Past versions of sessions. Only the present row has the session's key, which nothing but an erasure changes. */
export const pastParkingSessions = sqliteTable(
  'past_parking_sessions',
  {
    /** The session's. */
    id: integer('id')
      .notNull()
      .references(() => parkingSessions.id, { onDelete: 'cascade' }),
    municipalityId: integer('municipality_id').notNull(),
    areaId: integer('area_id').notNull(),
    plate: text('plate').notNull(),
    startsAt: instantColumn('starts_at').notNull(),
    endsAt: instantColumn('ends_at'),
    cancelledAt: instantColumn('cancelled_at'),
    revision: integer('revision'),
    recordedAt: instantColumn('recorded_at').notNull(),
    replacedAt: replacedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.replacedAt] }),
    // What was known of a plate, in order, without reading later versions.
    index('past_parking_sessions_by_plate').on(t.municipalityId, t.plate, t.recordedAt),
    // Changes since an instant, and retention.
    index('past_parking_sessions_by_time').on(t.municipalityId, t.replacedAt),
  ],
);

/**
 * Past versions of the part that a subscription's plates share. Without a rowid a version would write one row less. But a record
 * of 1,000 bytes, which a year's payments make, would then take 4.7 KB instead of 1.4, and one of 300 bytes 6% more.
 */
export const pastSubscriptions = sqliteTable(
  'past_subscriptions',
  {
    /** The subscription's. */
    id: integer('id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    municipalityId: integer('municipality_id').notNull(),
    /** JSON: see `SubscriptionRecord`. */
    record: text('record').notNull(),
    recordedAt: instantColumn('recorded_at').notNull(),
    replacedAt: replacedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.replacedAt] }),
    index('past_subscriptions_by_time').on(t.municipalityId, t.replacedAt),
  ],
);

/** Past spans of plates on subscriptions. */
export const pastSubscriptionPlates = sqliteTable(
  'past_subscription_plates',
  {
    /** The span's. */
    id: integer('id').notNull(),
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    municipalityId: integer('municipality_id').notNull(),
    plate: text('plate').notNull(),
    validFrom: instantColumn('valid_from'),
    validUntil: instantColumn('valid_until'),
    recordedAt: instantColumn('recorded_at').notNull(),
    replacedAt: replacedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.replacedAt, t.id] }),
    index('past_subscription_plates_by_plate').on(t.municipalityId, t.plate),
    index('past_subscription_plates_by_time').on(t.municipalityId, t.replacedAt),
  ],
);

/** Versions of a municipality's whole configuration. */
export const configurationVersions = sqliteTable(
  'configuration_versions',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** A row may have 2 MB. The further areas of a very large municipality are in further parts. */
    part: integer('part').notNull(),
    /** JSON: see `RecordedConfiguration`. */
    record: text('record').notNull(),
  },
  (t) => [primaryKey({ columns: [t.municipalityId, t.recordedAt, t.part] })],
);

/** Past versions of a source's last import. */
export const pastSourceImports = sqliteTable(
  'past_source_imports',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    /** The source's. */
    municipalityId: integer('municipality_id').notNull(),
    lastFinishedAt: instantColumn('last_finished_at').notNull(),
    lastOutcome: text('last_outcome', { enum: IMPORT_OUTCOMES }).notNull(),
    lastSuccessfulAt: instantColumn('last_successful_at'),
    recordedAt: instantColumn('recorded_at').notNull(),
    replacedAt: replacedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.sourceId, t.replacedAt] }),
    // Changes since an instant: copies.
    index('past_source_imports_by_time').on(t.municipalityId, t.replacedAt),
  ],
);
