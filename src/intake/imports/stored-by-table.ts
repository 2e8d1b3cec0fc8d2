import { sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { isKeyTaken, isStoredAlready, recordChange } from '../../storage/db/changes-sql.ts';
import { guardReason } from '../../storage/db/guards.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { statement, value } from '../../storage/db/statement.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import { countStatement } from './daily-changes-table.ts';
import type { BatchCount } from './day-room.ts';
import { type Guard, guardStatements, requireNoErasure } from './erased-parts.ts';

/** The import that stores batches. */
export interface StoredBy {
  readonly requestId: string;
  /** Read each time that a batch is sent. */
  readonly clock: () => Instant;
}

/** The import that stores a batch. */
export interface BatchStoredBy extends StoredBy {
  /** Which batch of the call, from 0. */
  readonly batch: number;
  /** The last erasure that it knows of: if there is a later one, nothing is stored. */
  readonly erasedUpTo: number;
  /** Its rows' guards against erased plates. */
  readonly guards: readonly Guard[];
  readonly count: BatchCount;
  /** The statements that undo it if a plate comes near its bound. */
  readonly bounds: readonly D1PreparedStatement[];
}

const RECORD_CHANGE = statement(
  {
    municipalityId: value<number>(),
    /** Our clock. */
    now: value<Instant>(),
    requestId: value<string>(),
    batch: value<number>(),
    /** The last erasure that the batch knows of. */
    erasedUpTo: value<number>(),
  },
  ({ municipalityId, now, requestId, batch, erasedUpTo }) =>
    recordChange(
      municipalityId,
      { now, requestId, batch },
      {
        guarded: requireNoErasure(municipalityId, erasedUpTo),
        from: sql`
        from ${municipalities}
        where ${municipalities.id} = ${municipalityId}`,
      },
    ),
);

/**
 * Stores a batch in one transaction: the change, then what it stores. If an earlier try was stored and its answer lost,
 * does not store the batch again.
 *
 * @throws ChangedMeanwhile if the rows by which the batch was judged have changed
 */
export async function storeBatch(
  db: D1Database,
  from: Omit<ErasedFrom, 'key'>,
  by: BatchStoredBy,
  now: Instant,
  statements: readonly D1PreparedStatement[],
): Promise<void> {
  const { municipalityId } = from;
  const batch = [
    RECORD_CHANGE.prepare(db, {
      ...{ municipalityId, now, requestId: by.requestId, batch: by.batch },
      erasedUpTo: by.erasedUpTo,
    }),
    countStatement(db, municipalityId, by.count),
    ...by.bounds,
    ...statements,
    ...guardStatements(db, from, by.guards, now),
  ];
  try {
    await db.batch(batch);
  } catch (error) {
    if (isStoredAlready(error)) {
      return;
    }
    // Another import has stored a row of the batch.
    const reason = isKeyTaken(error) ? 'changed_meanwhile' : guardReason(error);
    if (reason === null) {
      throw error;
    }
    throw new ChangedMeanwhile(reason, { cause: error });
  }
}
