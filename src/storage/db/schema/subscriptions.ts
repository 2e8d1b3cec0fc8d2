import { index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../../domain/instant.ts';
import { instantColumn, plateColumn, revisionColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const APPROVALS = ['approved', 'pending', 'rejected'] as const;

/** What a line says of a subscription, beside its number and plates. Its version is replaced when any of it changes. */
const record = () => ({
  /** No foreign key, as of a session's area. */
  typeId: integer('type_id').notNull(),
  approval: text('approval', { enum: APPROVALS }).notNull(),
  /** Null: unbounded. */
  authorizedFrom: instantColumn('authorized_from'),
  authorizedUntil: instantColumn('authorized_until'),
  /** The codes of the only areas where it is valid, sorted. Null: all areas. */
  areas: text('areas', { mode: 'json' }).$type<readonly string[]>(),
  suspendedFrom: instantColumn('suspended_from'),
  /** Null: for good, where `suspended_from` is set. */
  suspendedUntil: instantColumn('suspended_until'),
  revokedAt: instantColumn('revoked_at'),
  /** Those of lines, by start. They do not overlap. Paid ones are rows of `payments`. */
  periods: text('periods', { mode: 'json' })
    .$type<readonly (readonly [startsAt: Instant, endsAt: Instant])[]>()
    .notNull(),
});

/** The names of these columns. */
export const SUBSCRIPTION_RECORD = Object.keys(record()) as (keyof ReturnType<typeof record>)[];

/** A title: one row, but for its plates and its paid periods. A trigger copies each version that is replaced to the past. */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    /** Never reused: payments keep the id of a deleted subscription. */
    id: integer('id').primaryKey({ autoIncrement: true }),
    municipalityId: municipalityId(),
    subscriptionNumber: text('subscription_number').notNull(),
    ...record(),
    revision: revisionColumn(),
    /** When this version was stored. Its plates have their own. */
    recordedAt: instantColumn('recorded_at').notNull(),
  },
  (t) => [
    unique('subscriptions_number').on(t.municipalityId, t.subscriptionNumber),
    // Changes since an instant: entitlement lists, and retention.
    index('subscriptions_by_recording').on(t.municipalityId, t.recordedAt),
  ],
);

/** Replaced versions of subscriptions. Only the present row has the number. */
export const pastSubscriptions = sqliteTable(
  'past_subscriptions',
  {
    /** The subscription's. */
    id: integer('id')
      .notNull()
      .references(() => subscriptions.id),
    municipalityId: integer('municipality_id').notNull(),
    ...record(),
    revision: revisionColumn(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** When the next version was stored. */
    replacedAt: instantColumn('replaced_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.replacedAt] }),
    // Changes since an instant: entitlement lists, and retention.
    index('past_subscriptions_by_time').on(t.municipalityId, t.replacedAt),
    // Whether a version still bears a change of long ago: retention.
    index('past_subscriptions_by_recording').on(t.municipalityId, t.recordedAt),
  ],
);

/**
 * A span of a plate on a subscription; a plate may have several. A row never changes: one that leaves is copied to the past by the
 * writer and deleted.
 */
export const subscriptionPlates = sqliteTable(
  'subscription_plates',
  {
    /** Never reused: entries of lists bear it. */
    id: integer('id').primaryKey({ autoIncrement: true }),
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id),
    /** A copy of the subscription's, for the index by plate. */
    municipalityId: integer('municipality_id').notNull(),
    plate: plateColumn().notNull(),
    /** Null: unbounded. */
    validFrom: instantColumn('valid_from'),
    validUntil: instantColumn('valid_until'),
    /** When it was stored. */
    recordedAt: instantColumn('recorded_at').notNull(),
  },
  (t) => [
    // The plate check reads the plate's subscriptions.
    index('subscription_plates_by_plate').on(t.municipalityId, t.plate, t.subscriptionId),
    // The plates of a subscription, and whether they have changed since an instant.
    index('subscription_plates_by_subscription').on(t.subscriptionId, t.recordedAt),
    // Changes since an instant: entitlement lists.
    index('subscription_plates_by_recording').on(t.municipalityId, t.recordedAt),
  ],
);

/** Spans of plates that have left their subscription. Without rowid. */
export const pastSubscriptionPlates = sqliteTable(
  'past_subscription_plates',
  {
    /** The span's. */
    id: integer('id').notNull(),
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id),
    municipalityId: integer('municipality_id').notNull(),
    plate: plateColumn().notNull(),
    validFrom: instantColumn('valid_from'),
    validUntil: instantColumn('valid_until'),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** When it left. */
    replacedAt: instantColumn('replaced_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.replacedAt, t.id] }),
    // What was known of a plate.
    index('past_subscription_plates_by_plate').on(t.municipalityId, t.plate, t.subscriptionId),
    // Changes since an instant: entitlement lists, and retention.
    index('past_subscription_plates_by_time').on(t.municipalityId, t.replacedAt),
    // Whether a version still bears a change of long ago: retention.
    index('past_subscription_plates_by_recording').on(t.municipalityId, t.recordedAt),
  ],
);
