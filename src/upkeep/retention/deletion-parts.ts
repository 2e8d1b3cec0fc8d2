import type { SQL } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { sum } from '../../domain/sum.ts';
import { prepareQuery } from '../../storage/db/sql.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';

/** The most that one statement deletes: a check that arrives meanwhile has to wait for it. */
export interface Batch {
  readonly rows: number;
  /** The bytes of calls logged whole. The first row is deleted whatever its size. */
  readonly bytes: number;
}

/** The instants before which rows are past their retention. */
export interface Past extends Readonly<Record<ErasedFrom['kind'], Instant>> {
  readonly callLog: Instant;
  /** The plates of rejected lines are kept for a day. */
  readonly rejected: Instant;
}

/** The outcome of a batch. */
export interface Deleted {
  /** Without dependent rows. */
  readonly rows: number;
  /** Whether nothing is left. */
  readonly isDone: boolean;
  /** The number of statements sent to D1. */
  readonly statements: number;
}

/** A statement of a batch. */
export interface Statement {
  readonly query: SQL;
  /** Whether its returned rows count as deleted. If not, they still show that more may be left. */
  readonly isCounted: boolean;
}
export const counted = (query: SQL): Statement => ({ query, isCounted: true });
export const uncounted = (query: SQL): Statement => ({ query, isCounted: false });

/** Sends the statements of a batch in one transaction. */
export async function deleteBatch(db: D1Database, statements: readonly Statement[]): Promise<Deleted> {
  const results = await db.batch(statements.map(({ query }) => prepareQuery(db, query)));
  const returned = results.map(({ results: rows }) => rows.length);
  return {
    rows: sum(returned.filter((_, index) => statements[index]?.isCounted)),
    isDone: sum(returned) === 0,
    statements: statements.length,
  };
}
