import { describe, expect, it } from 'vitest';
import { doubtsEveryPlate, type UntoldLines } from '../../src/domain/patrol/rejected-lines.ts';

const untold = (unremembered: number, unreadable: number): UntoldLines => ({ unremembered, unreadable });

const CASES: readonly [string, readonly UntoldLines[], boolean][] = [
  ['nobody’s lines', [], false],
  ['a hundred lines that nobody could read', [untold(0, 100)], false],
  ['one more of them', [untold(0, 101)], true],
  ['as many, of two senders', [untold(0, 60), untold(0, 60)], false],
  ['one line that is not remembered', [untold(1, 0)], true],
  ['one of another sender', [untold(0, 0), untold(1, 0)], true],
];

describe('Rejected lines put every plate in doubt', () => {
  it.each(CASES)('%s', (_, senders, expected) => {
    expect(doubtsEveryPlate(senders)).toBe(expected);
  });
});
