import { UnreadError } from '../../base/errors/unread.ts';
import type { Judgement } from '../../core/entitlement/judge.ts';
import type { Change } from '../../storage/history/recorded.ts';
import type { Checks } from './facts.ts';
import { MAX_COUNTED } from './history.ts';
import type { Versions } from './versions-table.ts';

/**
 * A history needs all versions, or as many as are counted.
 *
 * @param code the municipality's
 * @throws UnreadError
 */
export function requireWholeHistory(
  history: readonly Change[],
  { areWhole, mostFrom }: Versions,
  code: string,
): void {
  if (!areWhole && history.length < MAX_COUNTED) {
    throw new UnreadError(code, ['history'], mostFrom);
  }
}

/**
 * A verdict does not say where what it lacks comes from, where nothing of that counts for it.
 *
 * @param mostFrom the source of most that is known of the plate
 * @throws UnreadError
 */
export function namingSource(mostFrom: string | null, judge: () => Judgement): Judgement {
  try {
    return judge();
  } catch (error) {
    const isNameless = error instanceof UnreadError && error.source === null;
    throw isNameless ? new UnreadError(error.municipality, error.unread, mostFrom) : error;
  }
}

/**
 * The same for the checks.
 *
 * @throws UnreadError
 */
export function requireWholeChecks({ areWhole, count }: Checks, code: string): void {
  if (!areWhole && count < MAX_COUNTED) {
    throw new UnreadError(code, ['checks']);
  }
}
