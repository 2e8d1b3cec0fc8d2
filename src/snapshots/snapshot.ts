import type { AreaType } from '../db/schema/configuration.ts';
import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { AreaCounters } from '../domain/occupancy.ts';
import type { SourceImports } from '../domain/source-freshness.ts';

/**
 * A municipality at an instant: its active areas with their counters, its sources with their last imports, and whatever
 * else a report or the public page needs. It contains no plate and no single session.
 */
export interface Snapshot {
  /** The instant of the counters. Everything was read at this instant or a moment later. */
  readonly at: Instant;
  /** When the counters were computed. The snapshots of one run differ in it. */
  readonly computedAt: Instant;
  readonly municipality: SnapshotMunicipality;
  /** All of them, ordered by code. */
  readonly sources: readonly SnapshotSource[];
  /** The active ones, ordered by code. */
  readonly areas: readonly SnapshotArea[];
}

/** An active municipality. */
export interface SnapshotMunicipality {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly tenantId: number;
  readonly tenantActive: boolean;
  readonly reportEnabled: boolean;
  /** How old the newest success of its sources may be before the public is shown no figures. */
  readonly publicMaxAgeMinutes: number;
}

export interface SnapshotSource extends SourceImports {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly category: string;
  readonly active: boolean;
}

export interface SnapshotArea extends AreaCounters {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly areaType: AreaType;
  /** Null: not configured. */
  readonly capacity: number | null;
  /** WGS 84. Null: not configured. */
  readonly coordinates: Coordinates | null;
  readonly details: AreaDetails;
}

/** What the public is shown of an area, apart from its counters. Null: not configured. */
export interface AreaDetails {
  readonly address: string | null;
  readonly website: string | null;
  readonly priceNote: string | null;
  readonly maxHeightCm: number | null;
  readonly disabledSpaces: number | null;
  readonly chargingSpaces: number | null;
  /** Closed before it. */
  readonly closedUntil: Instant | null;
  /** Whether parking must be paid at the instant of the counters. */
  readonly paymentDue: boolean;
  /** When that changes next. Null: not within the next 8 days. */
  readonly paymentDueChangesAt: Instant | null;
}

/** A point in decimal degrees. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Older snapshots are not used. */
const MAX_AGE_MS = 120 * SECOND_MS;
/** How far the clock of the machine that computed it may run ahead of the reader's. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;

/** Whether a snapshot is recent enough to answer from, by its own instant, however long KV has had it. */
export function isRecent({ at }: Snapshot, now: Instant): boolean {
  const age = now - at;
  return -CLOCK_AHEAD_MS <= age && age <= MAX_AGE_MS;
}
