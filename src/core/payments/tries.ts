import type { Deadline } from '../../base/platform/deadline.ts';
import { type FoundMunicipality, requireStillHere } from '../../serving/lookups/located-municipality.ts';
import { isLost } from '../../storage/db/retry.ts';

/** How often something is decided, while others store what it depends on. */
const MAX_TRIES = 5;

/**
 * Decides by facts, and stores that. Where the facts have changed before it was stored, or an answer of the database was lost, it
 * reads them again, and decides again: they say whether it was stored.
 *
 * @param decide null: what was decided by is no longer so, and nothing was stored
 */
export async function inTries<Facts, Result>(
  { deadline }: { readonly deadline: Deadline },
  first: Facts,
  readAgain: () => Promise<Facts>,
  decide: (facts: Facts) => Promise<Result | null>,
): Promise<Result> {
  let facts = first;
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt + 1 === MAX_TRIES;
    const result = await deadline.race(decide(facts)).catch((error: unknown) => {
      if (isLast || !isLost(error)) {
        throw error;
      }
      return null;
    });
    if (result !== null) {
      return result;
    }
    if (isLast) {
      throw new Error('others have changed, again and again, what this depends on');
    }
    facts = await deadline.race(readAgain());
  }
}

/**
 * The municipality of a second read.
 *
 * @throws MovedOn where it has moved on since the first
 */
export function stillHere<Found extends FoundMunicipality>(before: Found, found: readonly Found[]): Found {
  const [municipality] = found;
  if (municipality === undefined) {
    throw new Error(`the municipality ${before.code} is gone`);
  }
  requireStillHere(before, municipality);
  return municipality;
}
