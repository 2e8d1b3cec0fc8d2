import { index, integer, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { instant } from '../../../domain/instant.ts';
import type { PaidSpan } from '../../../domain/patrol/paid-hours.ts';
import { codeAndName, flag, instantColumn } from './columns.ts';

export const AREA_TYPES = ['street', 'facility'] as const;
export type AreaType = (typeof AREA_TYPES)[number];

/** The texts about an area that the public is shown, in characters. */
export const ADDRESS_LENGTH = 200;
export const PRICE_NOTE_LENGTH = 200;
export const WEBSITE_LENGTH = 500;

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  code: text('code').notNull().unique(),
  name: text('name').notNull(),
  active: flag('active').notNull(),
});

export const municipalities = sqliteTable('municipalities', {
  id: integer('id').primaryKey(),
  tenantId: integer('tenant_id')
    .notNull()
    .references(() => tenants.id),
  /** Callers name a municipality only by its code. */
  code: text('code').notNull().unique(),
  name: text('name').notNull(),
  /** IANA name. */
  timeZone: text('time_zone').notNull(),
  active: flag('active').notNull(),
  plateCheckEnabled: flag('plate_check_enabled').notNull(),
  subscriptionsEnabled: flag('subscriptions_enabled').notNull(),
  subscriptionOptionsEnabled: flag('subscription_options_enabled').notNull(),
  reportEnabled: flag('report_enabled').notNull(),
  publicOccupancyEnabled: flag('public_occupancy_enabled').notNull().default(false),
  /** ISO 3166-1 alpha-2. */
  country: text('country').notNull().default('IT'),
  /** The position of the next part of the backup from which it is being restored. Null: it is whole, and can be read. */
  restoring: text('restoring'),
  /** An entitlement list given before this instant is not continued: an erasure changed rows since, or a restore. */
  pastSince: instantColumn('past_since').notNull().default(instant(0)),
  /** When its last restore was finished: the call log does not reach back behind it. */
  restoredAt: instantColumn('restored_at').notNull().default(instant(0)),
  /** The age of the newest successful import of its sources from which the public sees no figures. */
  publicMaxAgeMinutes: integer('public_max_age_minutes').notNull().default(60),
  /** Local dates, as the document had them. */
  holidays: text('holidays', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  /** How long an officer waits before a vehicle counts as not paid for. */
  observationMinutes: integer('observation_minutes').notNull().default(0),
  /** How long after its end an entitlement is tolerated. */
  overstayMinutes: integer('overstay_minutes').notNull().default(0),
  // The statements that its page links to. Null: not configured.
  dataProtectionUrl: text('data_protection_url'),
  accessibilityUrl: text('accessibility_url'),
});

/** The municipality that a row belongs to. */
export const municipalityId = () =>
  integer('municipality_id')
    .notNull()
    .references(() => municipalities.id);

/** A street or a facility. A street that was a facility keeps its switches and tolerances, which have no effect. */
export const areas = sqliteTable(
  'areas',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    ...codeAndName(),
    areaType: text('area_type', { enum: AREA_TYPES }).notNull(),
    /** Spaces. Null: unknown, which is not zero. */
    capacity: integer('capacity'),
    active: flag('active').notNull(),
    serviceEnabled: flag('service_enabled').notNull(),
    plateControlEnabled: flag('plate_control_enabled').notNull(),
    subscriptionAccess: flag('subscription_access').notNull(),
    entryGraceMinutes: integer('entry_grace_minutes').notNull(),
    exitGraceMinutes: integer('exit_grace_minutes').notNull(),
    /** WGS 84, decimal degrees: both or none. */
    latitude: real('latitude'),
    longitude: real('longitude'),
    /** How long its gate may use a list that it cannot renew. */
    offlineMinutes: integer('offline_minutes').notNull().default(720),
    // Shown to the public. Null: not configured.
    address: text('address'),
    website: text('website'),
    priceNote: text('price_note'),
    maxHeightCm: integer('max_height_cm'),
    disabledSpaces: integer('disabled_spaces'),
    chargingSpaces: integer('charging_spaces'),
    /** The public sees it as closed before this instant. */
    closedUntil: instantColumn('closed_until'),
    /** As the document had them. Null: always. */
    paidHours: text('paid_hours', { mode: 'json' }).$type<readonly PaidSpan[]>(),
  },
  (t) => [unique('areas_municipality_code').on(t.municipalityId, t.code)],
);

/** The type of a subscription: whether and when meters sell and renew it. */
export const subscriptionTypes = sqliteTable(
  'subscription_types',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    ...codeAndName(),
    freelySold: flag('freely_sold').notNull(),
    renewalAllowed: flag('renewal_allowed').notNull(),
    /** Null: any time. */
    renewalOpensDaysBefore: integer('renewal_opens_days_before'),
    /** Whether meters offer only plans that end no later than the authorization. */
    soldWithinAuthorization: flag('sold_within_authorization').notNull(),
  },
  (t) => [unique('subscription_types_municipality_code').on(t.municipalityId, t.code)],
);

/** A plan that a parking meter can sell: a `tariffa` on the wire. */
export const plans = sqliteTable(
  'plans',
  {
    id: integer('id').primaryKey(),
    municipalityId: municipalityId(),
    subscriptionTypeId: integer('subscription_type_id')
      .notNull()
      .references(() => subscriptionTypes.id),
    /** Three digits, `000` reserved: the wire's `codice_tariffa`. */
    code: text('code').notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** ISO 8601 calendar duration, such as `P1M`. */
    duration: text('duration').notNull(),
    /** The text that the meter prints: `descrizione` on the wire. */
    description: text('description').notNull(),
    forFirstActivation: flag('for_first_activation').notNull(),
    forRenewal: flag('for_renewal').notNull(),
    onParkingMeter: flag('on_parking_meter').notNull(),
    active: flag('active').notNull(),
  },
  (t) => [
    unique('plans_municipality_code').on(t.municipalityId, t.code),
    // The options query reads only the plans of a subscription's type.
    index('plans_by_type').on(t.subscriptionTypeId),
  ],
);
