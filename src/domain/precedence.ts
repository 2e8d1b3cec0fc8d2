/** One rule of a precedence list: a condition, and the outcome if it holds. */
export interface Rule<Facts, Outcome> {
  readonly when: (facts: Facts) => boolean;
  readonly outcome: Outcome;
}

/**
 * Applies a precedence list from the top.
 *
 * @returns the outcome of the first rule whose condition holds, or `otherwise` if none does
 */
export function firstMatch<Facts, Outcome>(
  rules: readonly Rule<Facts, Outcome>[],
  otherwise: Outcome,
  facts: Facts,
): Outcome {
  const rule = rules.find((candidate) => candidate.when(facts));
  return rule === undefined ? otherwise : rule.outcome;
}
