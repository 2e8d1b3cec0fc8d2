import type { AreaType } from '../db/schema/configuration.ts';
import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { AreaCounters } from '../domain/occupancy.ts';
import type { SourceImports } from '../domain/source-freshness.ts';

/**
 * A municipality as it was at an instant: its active areas with their counters, its sources with their imports, and
 * what must be known of itself to answer a report. No plate, and no single session.
 */
export interface Snapshot {
  /** The counters are true for it; everything was read from the database at it or a moment later. */
  readonly at: Instant;
  /** When the counters were computed: of the snapshots of a minute's run, each has its own. */
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
  readonly tenantId: number;
  readonly tenantActive: boolean;
  readonly reportEnabled: boolean;
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
}

/** Older than this, a snapshot is no answer any more. */
export const MOST_AGE_MS = 120 * SECOND_MS;
/** The clock that it was made by may run ahead of the reader's by so much. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;

/** Whether a snapshot may be answered from: its own instant tells, whatever the storage may say of its age. */
export function isRecent({ at }: Snapshot, now: Instant): boolean {
  const age = now - at;
  return -CLOCK_AHEAD_MS <= age && age <= MOST_AGE_MS;
}
