import type { Plate } from '../plate.ts';

/** The most characters in which two readings of one plate differ. */
const MAX_DIFFERENT = 2;

/**
 * Whether two texts may be readings of the same plate: at most two characters were added, left out or replaced. Neighbours
 * that are swapped count as two.
 */
export function isOtherReading(plate: Plate, other: Plate): boolean {
  const [from, to] = [[...plate], [...other]];
  let row = [0, ...to.map((_, index) => index + 1)];
  for (const [index, character] of from.entries()) {
    const next = [index + 1];
    for (const [place, wanted] of to.entries()) {
      const [left = 0, above = 0, before = 0] = [next[place], row[place + 1], row[place]];
      next.push(Math.min(left + 1, above + 1, before + (character === wanted ? 0 : 1)));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) <= MAX_DIFFERENT;
}
