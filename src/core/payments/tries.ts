import { isLost } from '../../storage/db/retry.ts';

/** Attempts to decide while other calls change the facts. */
const MAX_TRIES = 5;

/**
 * Decides by facts, and stores the decision. If the facts changed before it was stored, or the database's answer was lost, reads
 * them again and decides again: the facts show whether it was stored.
 *
 * @param decide returns null if the facts changed and nothing was stored
 */
export async function inTries<Facts, Result>(
  first: Facts,
  readAgain: () => Promise<Facts>,
  decide: (facts: Facts) => Promise<Result | null>,
): Promise<Result> {
  let facts = first;
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt + 1 === MAX_TRIES;
    const result = await decide(facts).catch((error: unknown) => {
      if (isLast || !isLost(error)) {
        throw error;
      }
      return null;
    });
    if (result !== null) {
      return result;
    }
    if (isLast) {
      throw new Error(`the data changed during each of ${MAX_TRIES} attempts`);
    }
    facts = await readAgain();
  }
}

/** The facts of a second read: no municipality is ever deleted. */
export function stillThere<Facts>(facts: Facts | null): Facts {
  if (facts === null) throw new Error('the municipality is gone');
  return facts;
}
