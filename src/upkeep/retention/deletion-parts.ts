import type { SQL } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { sum } from '../../domain/sum.ts';
import { prepareQuery } from '../../storage/db/sql.ts';
import { writeBatch } from '../../storage/db/writable.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';

/** The most that one statement deletes: a check that arrives meanwhile waits for it to end. */
export interface Batch {
  readonly rows: number;
  /** Of what the call log holds of whole calls. The first row is deleted whatever its size. */
  readonly bytes: number;
}

/** The instants before which rows are past their retention. */
export interface Past extends Readonly<Record<ErasedFrom['kind'], Instant>> {
  readonly callLog: Instant;
  /** The plates of rejected lines are kept for a day. */
  readonly rejected: Instant;
}

/** What a batch has done. */
export interface Deleted {
  /** Rows; those that go with another one are not counted. */
  readonly rows: number;
  /** Nothing is left. */
  readonly isDone: boolean;
  /** How many D1 was sent. */
  readonly statements: number;
}

/** A statement of a batch. */
export interface Statement {
  readonly query: SQL;
  /** Whether the rows that it returns count as deleted. If not, they still show that there may be more to do. */
  readonly isCounted: boolean;
}
export const counted = (query: SQL): Statement => ({ query, isCounted: true });
export const uncounted = (query: SQL): Statement => ({ query, isCounted: false });

/** Sends the statements of a batch in one transaction. */
export async function deleteBatch(db: D1Database, statements: readonly Statement[]): Promise<Deleted> {
  const results = await writeBatch(
    db,
    statements.map(({ query }) => prepareQuery(db, query)),
  );
  const returned = results.map(({ results: rows }) => rows.length);
  return {
    rows: sum(returned.filter((_, index) => statements[index]?.isCounted)),
    isDone: sum(returned) === 0,
    // And the one that asks whether this version may write.
    statements: statements.length + 1,
  };
}
