import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';
import { IMPORT_OUTCOMES, parkingSessions, sources } from './sessions.ts';
import { subscriptions } from './subscriptions.ts';

/*
 * System-versioned tables: a row of the present says since when it is (`recorded_at`), and each version that it replaced is in
 * the table of the past with the instant at which it stopped being the present (`replaced_at`). Both intervals are half-open,
 * and the two instants of one change are the same number. Tables of the past have no rowid, since their
 * key finds all versions of one row, but for that of records: without a rowid, all of one that is longer than a quarter of a page
 * but its beginning would be on pages of its own.
 */

/** The batch that records how an import ended. */
export const LAST_BATCH = -1;
/** That of a payment, a reversal or a settlement, which is recognized by its own key. */
export const OF_PAYMENT = -2;

/**
 * One row for each transaction that changed something of a municipality. Its instant is our clock, or one more than the
 * municipality's last change where that is later: within a municipality it is unique and increases.
 */
export const changes = sqliteTable(
  'changes',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** The 16 bytes of the call that made the change. */
    requestId: blob('request_id').$type<Uint8Array>().notNull(),
    /** Which batch of the call, from 0; {@link LAST_BATCH} for what ends an import; {@link OF_PAYMENT}. */
    batch: integer('batch').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.recordedAt] }),
    // A batch that was stored, and is sent again because its answer was lost, is recognized.
    uniqueIndex('changes_once')
      .on(t.requestId, t.batch, t.municipalityId)
      .where(sql`${t.batch} >= ${sql.raw(String(LAST_BATCH))}`),
  ],
);

/** When a past version stopped being the present. */
const replacedAt = () => instantColumn('replaced_at').notNull();

/** Past versions of sessions. The key of a session is in its present row alone: it never changes but by erasure. */
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
    // What was known of a plate, in the order in which it was: what came later is not read.
    index('past_parking_sessions_by_plate').on(t.municipalityId, t.plate, t.recordedAt),
    // What has changed since, and what retention deletes.
    index('past_parking_sessions_by_time').on(t.municipalityId, t.replacedAt),
  ],
);

/**
 * What the plates of a subscription shared until they were replaced. Without a rowid a version would write one row less; but a record
 * of 1,000 bytes, which a year's payments make, would then keep 4.7 KB instead of 1.4, and one of 300 bytes 6% more.
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

/** Spans of plates on subscriptions, until they were taken off or changed. */
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

/** A municipality's whole configuration, as it was from one change to the next. */
export const configurationVersions = sqliteTable(
  'configuration_versions',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** A row has room for 2 MB: of a very large municipality, the areas that do not fit follow in further parts. */
    part: integer('part').notNull(),
    /** JSON: see `RecordedConfiguration`. */
    record: text('record').notNull(),
  },
  (t) => [primaryKey({ columns: [t.municipalityId, t.recordedAt, t.part] })],
);

/** How the imports of a source stood until the next one ended. */
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
    // What has changed since: copies.
    index('past_source_imports_by_time').on(t.municipalityId, t.replacedAt),
  ],
);
