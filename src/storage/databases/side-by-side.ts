import { Shares } from '../../base/platform/shares.ts';

/** An invocation may have six connections at a time. */
export const AT_ONCE = 6;

/**
 * Works on several databases, or on items of each, six at a time. A slow or failing one holds up only one of the six places.
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
 * {@link sideBySide}, for callers that need every result.
 *
 * @throws the first failure, once all have ended
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

/** The values of what has succeeded, and the reasons of what has failed, each in the order of the items. */
export function splitOutcomes<Result>(outcomes: readonly PromiseSettledResult<Result>[]): {
  readonly values: Result[];
  readonly failures: unknown[];
} {
  return {
    values: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failures: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}
