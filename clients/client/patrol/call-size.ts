import type { Failure } from '../result.ts';
import type { KeptSighting } from './kept.ts';

const MAX_CHECKS = 100;

/**
 * How many sightings go into one call: half as many after a call that was too large, or more than the rest of
 * the budget, and more again after an answer.
 */
export class CallSize {
  #checks = MAX_CHECKS;
  /** The service counts plates against the credential's limit, which no answer contains. */
  #plates = Number.POSITIVE_INFINITY;

  /** The first sightings of the next call: one at least. */
  firstOf(due: readonly KeptSighting[]): readonly KeptSighting[] {
    let count = 0;
    for (let plates = 0; count < Math.min(due.length, this.#checks); count += 1) {
      plates += platesOf(due.slice(count, count + 1));
      if (count > 0 && plates > this.#plates) break;
    }
    return due.slice(0, count);
  }

  answered(): void {
    this.#checks = Math.min(2 * this.#checks, MAX_CHECKS);
  }

  /** Halves the next call. @returns whether a smaller one may get an answer */
  halve(failure: Failure, asked: readonly KeptSighting[]): boolean {
    if (asked.length === 1) return false;
    if (isOverLimit(failure)) {
      this.#plates = Math.floor(platesOf(asked) / 2);
      return true;
    }
    if (failure.code !== 'PAYLOAD_TOO_LARGE' && failure.code !== 'RATE_LIMIT_EXCEEDED') return false;
    this.#checks = Math.ceil(asked.length / 2);
    return true;
  }
}

/**
 * The sightings that the service refuses individually: those whose paths it names, and one that is too large,
 * or more than the credential's limit, alone.
 */
export function refusedAlone(failure: Failure, asked: readonly KeptSighting[]): readonly KeptSighting[] {
  if (asked.length === 1 && (failure.code === 'PAYLOAD_TOO_LARGE' || isOverLimit(failure))) return asked;
  const { issues = [] } = failure;
  const named = issues.flatMap(({ path }) => /^checks\.(\d{1,3})(?:\.|$)/.exec(path)?.[1] ?? []);
  return asked.filter((_, index) => named.includes(String(index)));
}

const isOverLimit = ({ issues = [] }: Failure): boolean => issues.some(({ path }) => path === 'checks');

const platesOf = (sightings: readonly KeptSighting[]): number =>
  sightings.reduce((sum, { alternatives }) => sum + 1 + alternatives.length, 0);
