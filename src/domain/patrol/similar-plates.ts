import { MAX_PLATE_LENGTH, type Plate, storedPlate } from '../plate.ts';

/** Characters that are taken for each other. */
const LOOK_ALIKES = ['0ODQ', '1ILT', '2Z', '4A', '5S', '6GC', '7TY', '8B', 'UVW', 'MN', 'PR', 'EF', 'KX'];

/** Electric and historic plates end with one of these, which a camera or an officer leaves out. */
const LAST_LETTERS = ['E', 'H'];

/**
 * The plates one slip away: two neighbours swapped, one character replaced by one that looks like it, one left out, or an E or
 * H added at the end. Each once, without the plate itself.
 */
export function platesOneSlipAway(plate: Plate): readonly Plate[] {
  const characters = [...plate];
  const slips = new Set<string>();
  characters.forEach((character, index) => {
    const next = characters[index + 1];
    if (next !== undefined) {
      slips.add(characters.toSpliced(index, 2, next, character).join(''));
    }
    for (const group of LOOK_ALIKES) {
      if (!group.includes(character)) continue;
      for (const other of group) slips.add(characters.toSpliced(index, 1, other).join(''));
    }
    slips.add(characters.toSpliced(index, 1).join(''));
  });
  if (characters.length < MAX_PLATE_LENGTH) for (const letter of LAST_LETTERS) slips.add(`${plate}${letter}`);
  // A group also has the character that is replaced, and a plate of one character is empty without it.
  for (const none of [plate, '']) slips.delete(none);
  // Made of a plate's characters and of ASCII letters and digits: normal as it is.
  return [...slips].map(storedPlate);
}
