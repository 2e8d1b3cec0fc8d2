import { erasedDigest, keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import type { Holder } from '../administration/holder.ts';
import { readErasedUnder, type WholeCallRow } from './erasure-table.ts';
import { wordsSpelling } from './masked-plate.ts';

/**
 * The keys that the plate was erased from, found among the words of calls that spell it: a call may be logged after an
 * erasure has ended and its keys are forgotten.
 */
export async function spelledKeys(
  db: D1Database,
  { plate, municipalities }: Holder,
  digestKeys: readonly string[],
  calls: readonly WholeCallRow[],
): Promise<readonly string[]> {
  const words = new Set(
    calls.flatMap(({ request, response }) =>
      [request, response].flatMap((text) => wordsSpelling(text, plate)),
    ),
  );
  if (words.size === 0) {
    return [];
  }
  const byDigest = new Map<string, string>();
  for (const word of words) {
    for (const digestKey of digestKeys) {
      byDigest.set(keyDigest(digestKey, word), word);
    }
  }
  const ids = municipalities.map(({ id }) => id);
  const found = new Set<string>();
  for (const { digest, ...from } of await readErasedUnder(db, ids, [...byDigest.keys()])) {
    const digests = digestKeys.map((digestKey) => erasedDigest(digestKey, from, plate));
    const word = byDigest.get(from.key);
    if (word !== undefined && (digest === null || digests.includes(digest))) {
      found.add(word);
    }
  }
  return [...found];
}
