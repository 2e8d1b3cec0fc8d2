import type { ListedMunicipality } from './municipality-rows-table.ts';

/**
 * How much is read at once: few municipalities, so that the database answers others in between and their sessions fit
 * into memory; and enough of them that 1,000 municipalities take far less than D1's 1,000 queries.
 */
const MOST_MUNICIPALITIES = 25;
const MOST_AREAS = 1_000;
/** One in 25 is found with about ten readings, of four queries each: all readings stay far under D1's 1,000. */
const MOST_READ_AGAIN = 100;
/** Of more, one after the other, it is the database that is away. */
const MOST_FAILING_IN_A_ROW = 5;

/** Municipalities that are read at once, a big one by itself. */
export function readTogether(municipalities: readonly ListedMunicipality[]): ListedMunicipality[][] {
  const groups: ListedMunicipality[][] = [];
  let areas = 0;
  for (const municipality of municipalities) {
    const group = groups.at(-1);
    areas += municipality.areasCount;
    if (group !== undefined && group.length < MOST_MUNICIPALITIES && areas <= MOST_AREAS) {
      group.push(municipality);
    } else {
      groups.push([municipality]);
      areas = municipality.areasCount;
    }
  }
  return groups;
}

interface Failed<Item> {
  readonly group: readonly Item[];
  readonly error: unknown;
}

/**
 * Takes every group, then those that failed once more in halves, and their halves, until each that fails stands alone:
 * it holds up no other. Where too many fail, the rest is given up, and no group was left untried.
 *
 * @param take takes a whole group or throws
 * @param giveUp is told of each group that is not taken, and why
 */
export async function inHalves<Item>(
  groups: Iterable<readonly Item[]>,
  take: (group: readonly Item[]) => Promise<void>,
  giveUp: (group: readonly Item[], error: unknown) => void,
): Promise<void> {
  const failed: Failed<Item>[] = [];
  const succeeds = async (group: readonly Item[]): Promise<boolean> => {
    try {
      await take(group);
      return true;
    } catch (error) {
      failed.push({ group, error });
      return false;
    }
  };
  for (const group of groups) {
    await succeeds(group);
  }
  let again = 0;
  let failingInARow = 0;
  for (let next = failed.pop(); next !== undefined; next = failed.pop()) {
    const { group, error } = next;
    if (group.length === 1 || again >= MOST_READ_AGAIN || failingInARow >= MOST_FAILING_IN_A_ROW) {
      giveUp(group, error);
      continue;
    }
    for (const half of halvesOf(group)) {
      again += 1;
      const taken = await succeeds(half);
      failingInARow = taken ? 0 : failingInARow + (half.length === 1 ? 1 : 0);
    }
  }
}

function halvesOf<Item>(group: readonly Item[]): [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}
