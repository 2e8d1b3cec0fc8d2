import { spellsPlate } from '../../domain/plate.ts';
import { type Json, parsed } from '../db/json.ts';
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

interface PaymentOfPlate {
  readonly municipalityId: number;
  readonly paymentId: string;
  readonly terminalCode: string | null;
  readonly notes: Json<[change: string, note: string | null][]>;
}

/**
 * Puts a pseudonym into the plate's place in payments, each its own. A key that is made from the plate gives way to a digest, and a
 * terminal or a note that spells it to stars.
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
    .all<PaymentOfPlate>();
  if (results.length === 0) {
    return 0;
  }
  const list = JSON.stringify(
    results.map(({ municipalityId, paymentId, terminalCode, notes }) => {
      const isSpelled = (text: string | null) => text !== null && spellsPlate(text, plate);
      const isRenamed = !isKeyDigest(paymentId) && isSpelled(paymentId);
      return [
        ...[municipalityId, paymentId, newPseudonym(), isRenamed ? keyDigest(key, paymentId) : null],
        isSpelled(terminalCode),
        parsed(notes).flatMap(([change, note]) => (isSpelled(note) ? [change] : [])),
      ];
    }),
  );
  const ofPayments = (text: () => string, ...more: readonly string[]) =>
    db.prepare(text()).bind(list, ...more);
  const written = await writeBatch<{ erased: number }>(db, [
    ofPayments(statements.KEEP_PAYMENT_KEYS, digest),
    ofPayments(statements.RENAME_IN_PERIODS),
    ofPayments(statements.RENAME_IN_PAST_PERIODS),
    ofPayments(statements.HIDE_NOTES),
    ofPayments(statements.RENAME_CHANGES),
    ofPayments(statements.ERASE_PAYMENTS, plate),
    ofPayments(MAKE_COPIES_STALE),
    ofPayments(REQUIRE_NOT_STOPPED),
  ]);
  return written[5]?.results.length ?? 0;
}
