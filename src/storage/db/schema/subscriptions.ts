import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { flag, instantColumn, lengthWithin, NAME_LENGTH, oneOf } from './columns.ts';
import { areas, municipalityId, subscriptionTypes } from './configuration.ts';
import { OPEN_END } from './sessions.ts';

export const APPROVALS = ['approved', 'pending', 'rejected'] as const;

/** When a subscription is over: `subscriptionOverAt` of the domain, in SQL. */
const OVER_AT = sql.raw(`min(
      coalesce(max("authorized_until", coalesce("last_period_ends_at", "authorized_until")), "last_period_ends_at", "changed_at", ${OPEN_END}),
      coalesce("revoked_at", ${OPEN_END}),
      iif("approval" = 'rejected', coalesce("changed_at", ${OPEN_END}), ${OPEN_END}))`);

export const subscriptions = sqliteTable(
  'subscriptions',
  {
    /** Never reused: payments keep the id of a deleted subscription. */
    id: integer('id').primaryKey({ autoIncrement: true }),
    municipalityId: municipalityId(),
    subscriptionNumber: text('subscription_number').notNull(),
    typeId: integer('type_id')
      .notNull()
      .references(() => subscriptionTypes.id),
    approval: text('approval', { enum: APPROVALS }).notNull(),
    /** Null: unbounded. */
    authorizedFrom: instantColumn('authorized_from'),
    authorizedUntil: instantColumn('authorized_until'),
    /** False: only in the areas of `subscription_areas`. */
    allAreas: flag('all_areas').notNull(),
    suspendedFrom: instantColumn('suspended_from'),
    /** Null: unbounded. */
    suspendedUntil: instantColumn('suspended_until'),
    revokedAt: instantColumn('revoked_at'),
    /** The highest revision of an import; null if no import had one. */
    revision: integer('revision'),
    /** When an import or a payment last changed it. */
    changedAt: instantColumn('changed_at'),
    /** When the part that its plates share was stored. */
    recordedAt: instantColumn('recorded_at').notNull().default(0),
    /** The latest end of its periods; null without any. */
    lastPeriodEndsAt: instantColumn('last_period_ends_at'),
    overAt: integer('over_at').generatedAlwaysAs(OVER_AT, { mode: 'virtual' }),
  },
  (t) => [
    unique('subscriptions_number').on(t.municipalityId, t.subscriptionNumber),
    // Changes since an instant: copies.
    index('subscriptions_by_recording').on(t.municipalityId, t.recordedAt),
    // Changes since an instant, of plates as well: entitlement lists. And those without any: retention.
    index('subscriptions_by_change').on(t.municipalityId, t.changedAt),
    check('subscriptions_number_length', lengthWithin(t.subscriptionNumber, NAME_LENGTH)),
    check('subscriptions_approval', oneOf(t.approval, APPROVALS)),
    check('subscriptions_authorized', sql`${t.authorizedUntil} > ${t.authorizedFrom}`),
    check('subscriptions_suspended', sql`${t.suspendedUntil} > ${t.suspendedFrom}`),
    check(
      'subscriptions_suspended_from_somewhen',
      sql`${t.suspendedUntil} is null or ${t.suspendedFrom} is not null`,
    ),
  ],
);

/** A span of a plate on a subscription. A plate may have several. */
export const subscriptionPlates = sqliteTable(
  'subscription_plates',
  {
    id: integer('id').primaryKey(),
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    /** A copy of the subscription's, for the index by plate. */
    municipalityId: integer('municipality_id').notNull(),
    /** Normalized. */
    plate: text('plate').notNull(),
    validFrom: instantColumn('valid_from'),
    validUntil: instantColumn('valid_until'),
    /** When this span was stored. */
    recordedAt: instantColumn('recorded_at').notNull().default(0),
    /** `valid_until`, or {@link OPEN_END} without one, for the index. */
    onUntil: integer('on_until').generatedAlwaysAs(sql.raw(`coalesce("valid_until", ${OPEN_END})`), {
      mode: 'virtual',
    }),
  },
  (t) => [
    // The options query reads only the plate's subscriptions.
    index('subscription_plates_by_plate').on(t.municipalityId, t.plate, t.subscriptionId),
    // The plate check reads the subscriptions that the plate has not left.
    index('subscription_plates_by_end').on(
      t.municipalityId,
      t.plate,
      t.onUntil,
      t.validFrom,
      t.subscriptionId,
    ),
    // The plates of a subscription, and their changes since an instant.
    index('subscription_plates_by_subscription').on(t.subscriptionId, t.recordedAt),
    // Changes since an instant: copies.
    index('subscription_plates_by_recording').on(t.municipalityId, t.recordedAt),
    check('subscription_plates_plate_length', lengthWithin(t.plate, 15)),
    check('subscription_plates_valid', sql`${t.validUntil} > ${t.validFrom}`),
  ],
);

/**
 * A period of a subscription, which an import's line brought or a payment made. Periods of lines do not overlap each other, but
 * may overlap those of payments. Without rowid.
 */
export const subscriptionPeriods = sqliteTable(
  'subscription_periods',
  {
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    startsAt: instantColumn('starts_at').notNull(),
    endsAt: instantColumn('ends_at').notNull(),
    /**
     * The latest end of the subscription's periods that start no later than this one. So the last row that starts before an
     * instant tells whether any period contains the instant.
     */
    coveredUntil: instantColumn('covered_until').notNull(),
    /** The `payment_id` of the payment that made it; null if a line brought it. */
    paidBy: text('paid_by'),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionId, t.startsAt] }),
    check('subscription_periods_ends_after_start', sql`${t.endsAt} > ${t.startsAt}`),
    check('subscription_periods_covered', sql`${t.coveredUntil} >= ${t.endsAt}`),
  ],
);

/** Where a limited subscription is valid. */
export const subscriptionAreas = sqliteTable(
  'subscription_areas',
  {
    subscriptionId: integer('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    areaId: integer('area_id')
      .notNull()
      .references(() => areas.id),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.areaId] })],
);
