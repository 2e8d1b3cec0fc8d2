/**
 * Measures again and again, the members of a group right after each other, since a machine's pace drifts: what is to be
 * compared belongs into one group. Each round begins with another member.
 *
 * @param before what each round needs first
 * @returns every round's result, by member
 */
export async function inRounds<Item, Result>(
  groups: readonly (readonly Item[])[],
  rounds: number,
  measure: (item: Item) => Promise<Result>,
  before: () => Promise<void> = async () => {},
): Promise<ReadonlyMap<Item, readonly Result[]>> {
  const results = new Map<Item, Result[]>();
  for (let round = 0; round < rounds; round += 1) {
    await before();
    for (const group of groups) {
      for (const item of rotated(group, round)) {
        const sofar = results.get(item) ?? [];
        results.set(item, [...sofar, await measure(item)]);
      }
    }
  }
  return results;
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** Round by round: what was measured in the same minute is compared, not the medians of minutes. */
export function ratios(subject: readonly number[], yardstick: readonly number[]): number[] {
  return subject.map((value, round) => value / (yardstick[round] ?? Number.NaN));
}

interface Summary {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function summaryOf(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    lowest: at(0),
    highest: at(sorted.length - 1),
  };
}
