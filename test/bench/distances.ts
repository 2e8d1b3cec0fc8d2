/** How far a Worker's bindings are away: milliseconds for a round trip to each. */
export interface Distances {
  readonly object: number;
  readonly database: number;
  readonly kv: number;
}

/** What a call took, in milliseconds: the whole, and the slowest round trip to each binding. */
export interface Times {
  readonly totalMs: number;
  readonly objectMs: number;
  /** A reading of the operation. */
  readonly readMs: number;
  /** The call log's row. */
  readonly insertMs: number;
  readonly kvMs: number;
}

/** The call's header with the {@link Distances}, and the answer's with the {@link Times}. */
export const DELAY_HEADER = 'X-Bench-Distances';
export const TIMES_HEADER = 'X-Bench-Times';
