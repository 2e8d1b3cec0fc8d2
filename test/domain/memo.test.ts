import { describe, expect, it } from 'vitest';
import { Memo } from '../../src/domain/memo.ts';

describe('A memo', () => {
  const memoOf = (...keys: string[]) => {
    const memo = new Memo<string, number>(2);
    for (const [index, key] of keys.entries()) memo.set(key, index);
    return (key: string) => memo.get(key);
  };

  it('knows nothing that it was not given', () => {
    expect(memoOf()('a')).toBeUndefined();
    expect(memoOf('a')('b')).toBeUndefined();
  });

  it('remembers as much as it may', () => {
    expect(['a', 'b'].map(memoOf('a', 'b'))).toEqual([0, 1]);
  });

  it('starts over with what would be too much', () => {
    expect(['a', 'b', 'c'].map(memoOf('a', 'b', 'c'))).toEqual([undefined, undefined, 2]);
  });

  it('forgets nothing when what it knows changes, be it full or not', () => {
    expect(['a', 'b'].map(memoOf('a', 'b', 'a'))).toEqual([2, 1]);
  });
});
