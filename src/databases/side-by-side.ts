/** An invocation may have six connections at a time. */
export const AT_ONCE = 6;

/**
 * Works on several databases, or on items of each, six at a time. One that fails or is slow delays the others by no more
 * than its own turn.
 *
 * @returns the outcomes, in the order of the items
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  let next = 0;
  const inTurn = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const [outcome] = await Promise.allSettled([work(items[index] as Item)]);
      outcomes[index] = outcome;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, inTurn));
  return outcomes;
}

/**
 * {@link sideBySide}, for what needs all of them.
 *
 * @throws the first failure, once all have ended
 */
export async function allSideBySide<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await sideBySide(items, work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') {
      throw outcome.reason;
    }
    return outcome.value;
  });
}
