import { describe, expect, it } from 'vitest';

import { instant } from '../../src/domain/instant.ts';
import { coveredUntil, periodsAfterLine, type StoredPeriod } from '../../src/domain/paid-periods.ts';

const period = (startsAt: number, endsAt: number) => ({
  startsAt: instant(startsAt),
  endsAt: instant(endsAt),
});
const brought = (startsAt: number, endsAt: number): StoredPeriod => ({
  ...period(startsAt, endsAt),
  paidBy: null,
});
const paid = (startsAt: number, endsAt: number, paidBy = 'P-1'): StoredPeriod => ({
  ...period(startsAt, endsAt),
  paidBy,
});

describe('The periods of a subscription after a line', () => {
  it.each([
    [
      'replaces those that lines brought',
      [brought(1, 2), brought(3, 4)],
      [],
      [period(5, 6)],
      [brought(5, 6)],
    ],
    ['leaves paid ones where it has no such period', [brought(1, 2), paid(3, 4)], [], [], [paid(3, 4)]],
    ['says the end of a paid one with the very same start', [paid(3, 4)], [], [period(3, 9)], [paid(3, 9)]],
    [
      'may overlap with a paid one',
      [paid(3, 6)],
      [],
      [period(1, 4), period(5, 9)],
      [brought(1, 4), paid(3, 6), brought(5, 9)],
    ],
    ['does not bring back one that was reversed', [], [paid(3, 6)], [period(3, 6)], []],
    [
      'does not lengthen one that a reversal has ended',
      [paid(3, 5)],
      [paid(3, 6)],
      [period(3, 6)],
      [paid(3, 5)],
    ],
    [
      'corrects another one with the start of a reversed one',
      [paid(3, 5, 'P-2')],
      [paid(3, 6)],
      [period(3, 6)],
      [paid(3, 6, 'P-2')],
    ],
    ['corrects a reversed one by another end', [paid(3, 5)], [paid(3, 6)], [period(3, 7)], [paid(3, 7)]],
    ['brings one anew with another end', [], [paid(3, 6)], [period(3, 7)], [brought(3, 7)]],
  ])('%s', (_, periods, withdrawn, line, after) => {
    expect(periodsAfterLine({ periods, withdrawn }, line)).toEqual(after);
  });
});

it('Periods cover the time until the latest end of those that start no later', () => {
  expect(coveredUntil([period(1, 2), period(3, 9), period(4, 5), period(9, 10)])).toEqual([2, 9, 9, 10]);
});
