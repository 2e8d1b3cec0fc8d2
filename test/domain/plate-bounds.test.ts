import { describe, expect, it } from 'vitest';
import { type CrowdedRow, crowdedKeys } from '../../src/domain/plate-bounds.ts';

/** A new session that others see until 10, which sees those that end later than 0, next to one stored. */
const row = (key: string, changed: Partial<CrowdedRow> = {}): CrowdedRow => ({
  key,
  plate: 'A',
  since: 0,
  until: 10,
  storedUntil: null,
  isExempt: false,
  stored: 1,
  ...changed,
});

describe('The rows of a batch that are one too many of their plate', () => {
  it.each<[string, CrowdedRow[], number, string[]]>([
    ['none below the bound', [row('a')], 2, []],
    ['one at the bound', [row('a')], 1, ['a']],
    ['the second, where the first takes the last place', [row('a'), row('b')], 2, ['b']],
    ['none of another plate', [row('a'), row('b', { plate: 'B' })], 2, []],
    ['one that does not count the earlier one, which has ended', [row('a'), row('b', { since: 10 })], 2, []],
    ['one whose other ends just later', [row('a'), row('b', { since: 9 })], 2, ['b']],
    ['none that is stored itself', [row('a', { storedUntil: 10 })], 1, []],
    [
      'one whose own stored version does not count, since it has ended',
      [row('a', { storedUntil: 0 })],
      1,
      ['a'],
    ],
    ['none that ends something', [row('a', { isExempt: true })], 1, []],
    ['the next one too, behind one that ends', [row('a', { isExempt: true }), row('b')], 2, ['b']],
    ['each behind a refused one, which takes no place', [row('a', { stored: 2 }), row('b')], 2, ['a']],
    [
      'none where an accepted one replaces what was counted',
      [row('a', { storedUntil: 10, until: 0 }), row('b')],
      1,
      [],
    ],
  ])('are %s', (_, rows, max, expected) => {
    expect([...crowdedKeys(rows, max)]).toEqual(expected);
  });
});
