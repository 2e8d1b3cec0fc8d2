import { spellsPlate } from '../../domain/plate.ts';
import { writeBatch } from '../db/writable.ts';
import { isKeyDigest, keyDigest, newPseudonym } from '../plate-digest/erased-plate.ts';
import * as statements from './payments-statements.ts';
import { MAKE_COPIES_STALE, REQUIRE_NOT_STOPPED } from './subjects-statements.ts';
import type { HeldPlate } from './subjects-table.ts';

/** How an erasure makes digests, and what identifies it. */
interface Digests {
  readonly key: string;
  readonly digest: string;
}

/**
 * Puts a pseudonym into the plate's place in payments, each its own. A key that is made from the plate gives way to a digest.
 *
 * @param max how many
 * @returns how many there were
 */
export async function erasePayments(
  db: D1Database,
  { plate, municipalities }: HeldPlate,
  { key, digest }: Digests,
  max: number,
): Promise<number> {
  const ids = JSON.stringify(municipalities.map(({ id }) => id));
  const { results } = await db
    .prepare(statements.PAYMENTS_OF_PLATE())
    .bind(ids, plate, max)
    .all<{ municipalityId: number; paymentId: string }>();
  if (results.length === 0) {
    return 0;
  }
  const list = JSON.stringify(
    results.map(({ municipalityId, paymentId }) => {
      const isRenamed = !isKeyDigest(paymentId) && spellsPlate(paymentId, plate);
      return [municipalityId, paymentId, newPseudonym(), isRenamed ? keyDigest(key, paymentId) : null];
    }),
  );
  const ofPayments = (text: () => string, ...more: readonly string[]) =>
    db.prepare(text()).bind(list, ...more);
  const written = await writeBatch<{ erased: number }>(db, [
    ofPayments(statements.KEEP_PAYMENT_KEYS, digest),
    ofPayments(statements.RENAME_IN_PERIODS),
    ofPayments(statements.RENAME_IN_PAST_PERIODS),
    ofPayments(statements.RENAME_CHANGES),
    ofPayments(statements.ERASE_PAYMENTS, plate),
    ofPayments(MAKE_COPIES_STALE),
    ofPayments(REQUIRE_NOT_STOPPED),
  ]);
  return written[4]?.results.length ?? 0;
}
