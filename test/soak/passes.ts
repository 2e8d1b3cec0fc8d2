/** A call that passed: it did so at some instant from its start to its answer, both included. */
export interface Pass {
  readonly startedAt: number;
  readonly answeredAt: number;
}

/**
 * The most calls that have certainly passed within one stretch of `windowMs`, wherever it lies: those whose start and
 * answer both lie in it.
 */
export function mostWithin(passes: readonly Pass[], windowMs: number): number {
  const sorted = passes.toSorted((a, b) => a.startedAt - b.startedAt);
  let most = 0;
  for (let first = 0; first < sorted.length; first++) {
    const until = (sorted[first]?.startedAt ?? 0) + windowMs;
    let within = 0;
    for (let next = first; next < sorted.length; next++) {
      const pass = sorted[next];
      if (pass === undefined || pass.startedAt >= until) break;
      if (pass.answeredAt < until) within += 1;
    }
    most = Math.max(most, within);
  }
  return most;
}
