import type { Answer } from './operation-types.ts';
import type { Result } from './result.ts';

/** The service's answer to a patrol, or why there is none. */
export type PatrolAnswer = Result<Answer<'checkPatrol'>>;
export type PatrolItem = Answer<'checkPatrol'>['results'][number];

/** What an officer does next about a sighting. */
export type NextStep = 'issue' | 'let_go' | 'look_again' | 'officer_decides';

/**
 * Whether a fine may be issued: true only for `no_entitlement` of a whole 200.
 *
 * @param id of the sighting; may be left out if the call had only one
 */
export function mayIssue(result: PatrolAnswer, id?: string): boolean {
  return nextStep(result, id) === 'issue';
}

/** What comes next: `look_again` also after every failure, `officer_decides` for a refused item. */
export function nextStep(result: PatrolAnswer, id?: string): NextStep {
  if (!result.ok || !Array.isArray(result.answer.results)) return 'look_again';
  const results: readonly PatrolItem[] = result.answer.results;
  const found = id === undefined ? results : results.filter((item) => item.id === id);
  const [item] = found;
  // A missing or ambiguous item is not an answer.
  if (item === undefined || found.length > 1) return 'look_again';
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
      // Also a finding that this client does not know.
      return 'officer_decides';
  }
}
