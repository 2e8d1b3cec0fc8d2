/** One row of a precedence list: what must hold, and the outcome when it does. */
export interface Rule<Facts, Outcome> {
  readonly when: (facts: Facts) => boolean;
  readonly outcome: Outcome;
}

/**
 * Reads a precedence list from the top.
 *
 * @returns the outcome of the first row that applies, or `otherwise` (the list's last row) when none does.
 */
export function firstMatch<Facts, Outcome>(
  rows: readonly Rule<Facts, Outcome>[],
  otherwise: Outcome,
  facts: Facts,
): Outcome {
  const row = rows.find((candidate) => candidate.when(facts));
  return row === undefined ? otherwise : row.outcome;
}
