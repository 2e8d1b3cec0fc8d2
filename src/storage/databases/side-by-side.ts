import { Shares } from '../../base/platform/shares.ts';

/** Cloudflare allows an invocation six connections at a time. */
export const AT_ONCE = 6;

/**
 * Works on several databases, or on items of each, six at a time. A slow or failing one holds only its own connection.
 *
 * @returns the outcomes, in the order of the items
 */
export function sideBySide<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const connections = new Shares(AT_ONCE);
  return Promise.allSettled(items.map((item) => connections.within(1, () => work(item))));
}

/**
 * As {@link sideBySide}, for callers that need every result.
 *
 * @throws the first failure, after all have ended
 */
export async function allSideBySide<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const { values, failures } = splitOutcomes(await sideBySide(items, work));
  if (failures.length > 0) {
    throw failures[0];
  }
  return values;
}

/** The results and the failures, each in the order of the items. */
export function splitOutcomes<Result>(outcomes: readonly PromiseSettledResult<Result>[]): {
  readonly values: Result[];
  readonly failures: unknown[];
} {
  return {
    values: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failures: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}
