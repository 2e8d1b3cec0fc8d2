import type { Instant } from '../../domain/instant.ts';
import { all } from '../../storage/db/statement.ts';
import { writeBatch } from '../../storage/db/writable.ts';
import { newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { ADVANCE, ANONYMIZE, FORGET_PAST, MAKE_COPIES_STALE, READ_PAST } from './anonymization-statements.ts';
import type { Deleted } from './deletion-parts.ts';

/** The number of statements in a batch. */
export const ANONYMIZATION_STATEMENTS = 5 + ANONYMIZE.length;

/**
 * Replaces the plates of sessions that ended before an instant by pseudonyms, in all versions: one batch, two round trips. Each
 * session has its own pseudonym, so that sessions of one vehicle cannot be linked.
 *
 * @returns the number of sessions, and whether these were all
 */
export async function anonymizeBefore(db: D1Database, before: Instant, max: number): Promise<Deleted> {
  const { results: past } = await all(READ_PAST.prepare(db, { before, max }));
  if (past.length === 0) {
    return { rows: 0, isDone: true, statements: 1 };
  }
  // An erasure may have left a pseudonym.
  const lines = JSON.stringify(
    past.map(({ id, recorded_at, plate, pseudonym }) => [
      id,
      recorded_at,
      plate,
      pseudonym ?? newPseudonym(),
    ]),
  );
  const results = await writeBatch(db, [
    FORGET_PAST.prepare(db, { lines }),
    ...ANONYMIZE.map((anonymize) => anonymize.prepare(db, { lines })),
    ADVANCE.prepare(db, { before }),
    MAKE_COPIES_STALE.prepare(db, { lines }),
  ]);
  const rows = results[ANONYMIZE.length]?.results.length ?? 0;
  return { rows, isDone: past.length < max, statements: ANONYMIZATION_STATEMENTS };
}
