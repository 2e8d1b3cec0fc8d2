import { describe, expect, it } from 'vitest';
import { isOtherReading } from '../../src/domain/patrol/other-reading.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { Random } from './random.ts';

const CASES: readonly [string, string, string, boolean][] = [
  ['the plate itself', 'AB123CD', 'AB123CD', true],
  ['one character replaced', 'AB123CD', 'A8123CD', true],
  ['two characters replaced', 'AB123CD', 'A8I23CD', true],
  ['three characters replaced', 'AB123CD', 'A8IZ3CD', false],
  ['one character left out at the end', 'AB123CD', 'AB123C', true],
  ['two characters left out, one at each end', 'AB123CD', 'B123C', true],
  ['three characters left out', 'AB123CD', 'AB12', false],
  ['one character added at the beginning', 'AB123CD', 'IAB123CD', true],
  ['two characters added', 'AB123CD', 'IAB123CDI', true],
  ['three characters added', 'AB123CD', 'IIAB123CDI', false],
  ['one left out and one added', 'AB123CD', 'B123CDI', true],
  ['one left out, one added and one replaced', 'AB123CD', 'B128CDI', false],
  ['two neighbours swapped', 'AB123CD', 'BA123CD', true],
  ['a swap and a replacement', 'AB123CD', 'BA128CD', false],
  ['two characters of the shortest plate', 'A', 'BCA', true],
  ['another shortest plate', 'A', 'B', true],
  ['three characters more than the shortest plate', 'A', 'ABCD', false],
  ['another plate', 'AB123CD', 'XY987ZW', false],
  ['the longest plates, two apart', 'ABCDEFGHIJKLMNO', 'XBCDEFGHIJKLMNX', true],
  ['the longest plates, three apart', 'ABCDEFGHIJKLMNO', 'XBCDEFGXIJKLMNX', false],
  ['one character outside the basic plane', '𠀀1', '𠀁1', true],
  ['three of these replaced', '𠀀𠀀𠀀1', '𠀁𠀁𠀁1', false],
];

/** The shortest way from one text to another, tried out in full. */
function distance([a, ...as]: string[], [b, ...bs]: string[]): number {
  if (a === undefined || b === undefined)
    return (a === undefined ? 0 : as.length + 1) + (b === undefined ? 0 : bs.length + 1);
  if (a === b) return distance(as, bs);
  return 1 + Math.min(distance(as, bs), distance(as, [b, ...bs]), distance([a, ...as], bs));
}

describe('Another reading of a plate', () => {
  it.each(CASES)('%s: %s and %s', (_, plate, other, expected) => {
    const [one, two] = [storedPlate(plate), storedPlate(other)];
    expect([isOtherReading(one, two), isOtherReading(two, one)]).toEqual([expected, expected]);
  });

  it('is what two changes of a character make of it, and nothing else', () => {
    const random = new Random(1);
    for (let round = 0; round < 500; round += 1) {
      const [one, two] = [0, 0].map(() =>
        random.list(1 + random.below(4), () => random.pick(['A', 'B', '1'])),
      ) as [string[], string[]];
      const is = isOtherReading(storedPlate(one.join('')), storedPlate(two.join('')));
      expect([one.join(''), two.join(''), is]).toEqual([one.join(''), two.join(''), distance(one, two) <= 2]);
    }
  });
});
