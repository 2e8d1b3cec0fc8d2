import type { Instant } from '../domain/instant.ts';

/** The import that stores batches: what the journal says of it. */
export interface StoredBy {
  readonly requestId: string;
  /** Read each time that a batch is sent. */
  readonly clock: () => Instant;
}

/** The import that stores a batch. */
export interface BatchStoredBy extends StoredBy {
  /** The last erasure that it knows of: where there was another one since, nothing is stored. */
  readonly erasedUpTo: number;
}
