import type { Instant } from '../domain/instant.ts';
import type { BatchCount } from './day-room.ts';
import type { Guard } from './erased-parts.ts';

/** The import that stores batches, as the journal records it. */
export interface StoredBy {
  readonly requestId: string;
  /** Read each time that a batch is sent. */
  readonly clock: () => Instant;
}

/** The import that stores a batch. */
export interface BatchStoredBy extends StoredBy {
  /** The last erasure that it knows of: if there is a later one, nothing is stored. */
  readonly erasedUpTo: number;
  /** What guards its rows against erased plates. */
  readonly guards: readonly Guard[];
  readonly count: BatchCount;
}
