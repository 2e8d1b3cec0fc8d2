/** Attempts to decide while other calls change the facts. */
const MAX_TRIES = 5;

/**
 * Decides by facts, and stores the decision. If others have changed the facts meanwhile, reads them and decides again.
 *
 * @param readAgain returns null for a municipality that is gone, which none ever is
 * @param decide returns null if nothing was stored, since the facts have changed
 */
export async function inTries<Facts, Result>(
  first: Facts,
  readAgain: () => Promise<Facts | null>,
  decide: (facts: Facts) => Promise<Result | null>,
): Promise<Result> {
  let facts: Facts | null = first;
  for (let attempt = 0; facts !== null && attempt < MAX_TRIES; attempt += 1) {
    const result = await decide(facts);
    if (result !== null) return result;
    facts = await readAgain();
  }
  throw new Error(`the data changed during each of ${MAX_TRIES} attempts`);
}
