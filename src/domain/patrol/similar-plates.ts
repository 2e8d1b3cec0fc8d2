import { type Plate, storedPlate } from '../plate.ts';

/** Characters that are taken for each other. */
const LOOK_ALIKES = ['0ODQ', '1ILT', '2Z', '4A', '5S', '6GC', '7TY', '8B', 'UVW', 'MN', 'PR', 'EF', 'KX'];

const TAKEN_FOR: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(LOOK_ALIKES.join(''))].map((character) => [
    character,
    [...new Set(LOOK_ALIKES.filter((group) => group.includes(character)).join(''))].filter(
      (other) => other !== character,
    ),
  ]),
);

/**
 * The plates that one slip makes of another: two neighbours swapped, or one character replaced by one that looks like it.
 * Each once, without the plate itself. What leads from A to B leads from B to A.
 */
export function platesOneSlipAway(plate: Plate): readonly Plate[] {
  const characters = [...plate];
  const slips = new Set<string>();
  characters.forEach((character, index) => {
    const next = characters[index + 1];
    if (next !== undefined) {
      slips.add(characters.toSpliced(index, 2, next, character).join(''));
    }
    for (const other of TAKEN_FOR.get(character) ?? []) {
      slips.add(characters.toSpliced(index, 1, other).join(''));
    }
  });
  slips.delete(plate);
  // Made of a plate's characters and of ASCII letters and digits: normal as it is.
  return [...slips].map(storedPlate);
}
