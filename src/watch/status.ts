/** More than an operator reads. */
export const MOST_LATE_SOURCES = 200;
export const MOST_MOVES = 200;

/** A database, as it is now; what is not known of one that is away is null. */
export interface DatabaseStatus {
  name: string;
  size_bytes: number | null;
  schema: number | null;
  reachable: boolean;
}

/** An active source whose sessions are not up to date. */
export interface LateSource {
  readonly municipality_code: string;
  readonly source_code: string;
  readonly status: 'stale' | 'error';
  readonly last_successful_at: string | null;
}

/** A move that is under way. */
export interface MoveStatus {
  municipality_code: string;
  to: string;
  state: 'copying' | 'cleaning' | 'calling_off';
}

/** What an operator asks first, in the form in which it is answered. */
export interface Status {
  version: string;
  databases: DatabaseStatus[];
  late_sources: { -readonly [K in keyof LateSource]: LateSource[K] }[];
  snapshots: { oldest_at: string | null };
  retention: { last_run_at: string | null; behind: boolean };
  moves: MoveStatus[];
  failing: string[];
}
