import type { Answer } from '../operation-types.ts';
import type { Result } from '../result.ts';

/** The service's answer to a patrol, or why there is none. */
export type PatrolAnswer = Result<Answer<'checkPatrol'>>;
export type PatrolItem = Answer<'checkPatrol'>['results'][number];

/** What an officer does next about a sighting. */
export type NextStep = 'issue' | 'let_go' | 'look_again' | 'officer_decides';

/**
 * Whether a fine may be issued: true for `no_entitlement` of a whole 200 alone.
 *
 * @param id of the sighting; may be left out where the call had one
 */
export function mayIssue(result: PatrolAnswer, id?: string): boolean {
  return nextStep(result, id) === 'issue';
}

/** What comes next: `look_again` also after every failure, `officer_decides` for a refused item. */
export function nextStep(result: PatrolAnswer, id?: string): NextStep {
  if (!result.ok) return 'look_again';
  const { results } = result.answer;
  const found = id === undefined ? results : results.filter((item) => item.id === id);
  const [item] = found;
  // A missing or ambiguous item is not an answer.
  return item === undefined || found.length > 1 ? 'look_again' : stepOf(item);
}

/** Likewise of one item of a whole answer. A finding that this client does not know is for the officer. */
export function stepOf(item: PatrolItem): NextStep {
  if ('refused' in item) return 'officer_decides';
  switch (item.finding) {
    case 'no_entitlement':
      return 'issue';
    case 'entitled':
    case 'tolerated':
    case 'not_due':
      return 'let_go';
    case 'look_again':
      return 'look_again';
    default:
      return 'officer_decides';
  }
}

const AGAIN_AFTER_MS = 60_000;
const WORTH_ASKING_MS = 3_600_000;

/**
 * When to ask again; null: the answer is final. What fails alone mostly fails for good: after an hour of failures it is the
 * officer's.
 */
export function againAt(item: PatrolItem, seenAt: number, failedSince: number, now: number): number | null {
  if (!('refused' in item)) {
    return item.finding === 'look_again' ? Date.parse(item.look_again_at ?? '') : null;
  }
  const { code } = item.refused;
  if (code === 'CHECKED_AT_IN_FUTURE') return seenAt;
  return code === 'TEMPORARY_ERROR' && now < failedSince + WORTH_ASKING_MS ? now + AGAIN_AFTER_MS : null;
}
