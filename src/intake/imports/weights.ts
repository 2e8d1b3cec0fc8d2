import { MAX_ITEMS } from './contract.ts';

/** A period or an area is a row, and takes this part of what a plate does: that has entries in more indexes, and a history. */
export const ITEMS_PER_PLATE = 4;

/** What storing a line takes, in plates. The line has not been looked at yet: with a list that is too long it is not stored. */
export function weightOfSubscription(line: object): number {
  const weightOf = (list: keyof typeof MAX_ITEMS): number => {
    const items: unknown = Reflect.get(line, list);
    return Array.isArray(items) && items.length <= MAX_ITEMS[list] ? items.length : 0;
  };
  return weightOf('plates') + (weightOf('periods') + weightOf('areas')) / ITEMS_PER_PLATE;
}
