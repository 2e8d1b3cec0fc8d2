import { describe, expect, it } from 'vitest';
import { doubtsEveryPlate, type UnattributedLines } from '../../src/domain/patrol/rejected-lines.ts';

const unattributed = (unremembered: number, unreadable: number): UnattributedLines => ({
  unremembered,
  unreadable,
});

const CASES: readonly [string, readonly UnattributedLines[], boolean][] = [
  ['nobody’s lines', [], false],
  ['a hundred lines that nobody could read', [unattributed(0, 100)], false],
  ['one more of them', [unattributed(0, 101)], true],
  ['as many, of two senders', [unattributed(0, 60), unattributed(0, 60)], false],
  ['one line that is not remembered', [unattributed(1, 0)], true],
  ['one of another sender', [unattributed(0, 0), unattributed(1, 0)], true],
];

describe('Rejected lines put every plate in doubt', () => {
  it.each(CASES)('%s', (_, senders, expected) => {
    expect(doubtsEveryPlate(senders)).toBe(expected);
  });
});
