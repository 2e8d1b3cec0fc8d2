import type { Instant } from '../domain/instant.ts';

/** The import that stores a batch: what the journal says of it. */
export interface StoredBy {
  readonly requestId: string;
  /** Read each time that a batch is sent. */
  readonly clock: () => Instant;
}
