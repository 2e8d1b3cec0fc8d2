import * as z from 'zod';
import { notedInstant } from '../../base/platform/kv-notes.ts';
import { COUNTERS, type Counters } from '../../domain/occupancy.ts';
import { PAID_DAYS } from '../../domain/patrol/paid-hours.ts';
import { isTimeZone } from '../../domain/zoned-time.ts';
import { SHOWN_COLUMNS, type ShownColumn } from '../../storage/configuration/shown.ts';
import { AREA_TYPES, type areas } from '../../storage/db/schema/configuration.ts';
import { IMPORT_OUTCOMES } from '../../storage/db/schema/sources.ts';

const id = z.int().min(1);
const count = z.int().min(0);

const municipality = z.object({
  code: z.string(),
  name: z.string(),
  /** One that this runtime knows: no report can be written in any other. */
  timeZone: z.string().refine(isTimeZone),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  tenantCode: z.string(),
  tenantActive: z.boolean(),
  reportEnabled: z.boolean(),
  /** How old the newest success of its sources may be before the public is shown no figures. */
  publicMaxAgeMinutes: count,
  dataProtectionUrl: z.string().nullable(),
  accessibilityUrl: z.string().nullable(),
});

const source = z.object({
  id,
  code: z.string(),
  name: z.string(),
  category: z.string(),
  active: z.boolean(),
  isSystem: z.boolean(),
  staleAfterMinutes: count,
  /** Of its last import. Null: it has had none. */
  lastOutcome: z.enum(IMPORT_OUTCOMES).nullable(),
  lastSuccessfulAt: notedInstant.nullable(),
});

/** What is shown of an area, as its row has it. Each value is one that the configuration has validated, put there by us. */
const shown = Object.fromEntries(
  SHOWN_COLUMNS.map((column) => [column, z.union([z.string(), z.number()]).nullable()]),
) as unknown as { readonly [Column in ShownColumn]: z.ZodType<(typeof areas.$inferSelect)[Column]> };

// It has an entry for each counter.
const counters = z.object(
  Object.fromEntries(COUNTERS.map((name) => [name, count])) as Record<keyof Counters, typeof count>,
);

const area = z.object({
  id,
  code: z.string(),
  name: z.string(),
  areaType: z.enum(AREA_TYPES),
  /** Null: not configured. */
  capacity: count.nullable(),
  /** Decimal degrees, WGS 84. Null, as then both are: not configured. */
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  ...shown,
  /** Null: at any time. */
  paidHours: z
    .array(z.object({ days: z.array(z.enum(PAID_DAYS)).readonly(), from: z.string(), to: z.string() }))
    .readonly()
    .nullable(),
  /** Whether parking must be paid at the instant of the counters. */
  paymentDue: z.boolean(),
  /** When that changes next. Null: not within the next 8 days. */
  paymentDueChangesAt: notedInstant.nullable(),
  /** Of all sources together. */
  counters,
  /** Of each source that has vehicles there, by its id. */
  bySource: z.record(z.string(), counters),
});

/**
 * A municipality at an instant: its active areas with their counters, its sources with their last imports, and whatever
 * else a report or the public page needs. It contains no plate and no single session.
 */
export const snapshotSchema = z.object({
  /** A value of another version counts as missing. */
  version: z.literal(4),
  /** The instant of the counters. Everything was read at this instant or a moment later. */
  at: notedInstant,
  /** When the counters were computed. The snapshots of one run differ in it. */
  computedAt: notedInstant,
  municipality,
  /** All of them, ordered by code. */
  sources: z.array(source).readonly(),
  /** The active ones, ordered by code. */
  areas: z.array(area),
});

export type Snapshot = z.output<typeof snapshotSchema>;
export type SnapshotSource = Snapshot['sources'][number];
export type SnapshotArea = Snapshot['areas'][number];
