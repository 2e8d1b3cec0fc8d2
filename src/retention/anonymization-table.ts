import { writeBatch } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';
import { isPseudonym, newPseudonym } from '../plate-digest/erased-plate.ts';
import {
  ADVANCE,
  ANONYMIZE_HISTORY,
  ANONYMIZE_SESSIONS,
  APPEND_ANONYMIZED,
  MAKE_COPIES_STALE,
  type PastSessionRow,
  READ_PAST,
} from './anonymization-statements.ts';
import type { Deleted } from './retention-table.ts';

/** How many statements one batch sends. */
export const ANONYMIZATION_STATEMENTS = 7;

/**
 * Gives sessions that ended before an instant, and their rows of the journal, pseudonyms in the place of plates: one
 * batch, two round trips. Each session has a pseudonym of its own, which its whole history shares: it says nothing of which
 * sessions were one vehicle's.
 *
 * @returns how many sessions there were, and whether that was all
 */
export async function anonymizeBefore(
  db: D1Database,
  before: Instant,
  now: Instant,
  max: number,
): Promise<Deleted> {
  const { results: past } = await db.prepare(READ_PAST()).bind(before, max).all<PastSessionRow>();
  if (past.length === 0) {
    return { rows: 0, isDone: true, statements: 1 };
  }
  const lines = JSON.stringify(linesOf(past));
  const [, , anonymized] = await writeBatch(db, [
    db.prepare(ANONYMIZE_HISTORY()).bind(lines),
    db.prepare(APPEND_ANONYMIZED()).bind(lines, now),
    db.prepare(ANONYMIZE_SESSIONS()).bind(lines),
    db.prepare(ADVANCE()).bind(before),
    db.prepare(MAKE_COPIES_STALE()).bind(lines),
  ]);
  const rows = anonymized?.results.length ?? 0;
  return { rows, isDone: past.length < max, statements: ANONYMIZATION_STATEMENTS };
}

/** A line for every plate of every session. The statements know the order. */
function linesOf(past: readonly PastSessionRow[]): unknown[][] {
  return past.flatMap(({ id, starts_at, ends_at, cancelled_at, plate, history }) => {
    const texts = new Set([plate, ...(JSON.parse(history) as string[])]);
    // An erasure may have left one.
    const pseudonym = [...texts].find(isPseudonym) ?? newPseudonym();
    const plates = [...texts].filter((text) => !isPseudonym(text));
    return plates.map((one) => [id, starts_at, ends_at, cancelled_at, plate, one, pseudonym]);
  });
}
