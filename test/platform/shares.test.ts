import { describe, expect, it } from 'vitest';
import { Shares } from '../../src/base/platform/shares.ts';

/** Works that last until a test ends them, and the numbers of those that have begun. */
function begun(shares: Shares, asked: readonly number[]) {
  const running: number[] = [];
  const works = asked.map((share, index) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const outcome = shares.within(share, () => {
      running.push(index);
      return promise;
    });
    return { outcome, resolve, reject };
  });
  return { running, works };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

describe('Works that share what there is', () => {
  it.each<[string, number[], number[]]>([
    ['two that take all of it', [1, 1, 1], [0, 1]],
    ['many small ones', [0.4, 0.4, 0.4, 0.4, 0.4, 0.4], [0, 1, 2, 3, 4]],
    ['one that takes more than there is, alone', [5, 0.1], [0]],
    ['none past one that waits, so that it comes to its turn', [1.5, 1, 0.1], [0]],
    ['one that takes nothing', [2, 0], [0, 1]],
  ])('begin together: %s', async (_, asked, first) => {
    const { running } = begun(new Shares(2), asked);
    await turn();
    expect(running).toEqual(first);
  });

  it('wait for one to end, or to fail, and go on in the order in which they came', async () => {
    const { running, works } = begun(new Shares(2), [2, 1, 1, 2]);
    works[0]?.resolve('done');
    expect(await works[0]?.outcome).toBe('done');
    await turn();
    expect(running).toEqual([0, 1, 2]);
    works[1]?.reject(new Error('failed'));
    await expect(works[1]?.outcome).rejects.toThrow('failed');
    await turn();
    expect(running).toEqual([0, 1, 2]);
    works[2]?.resolve('done');
    await turn();
    expect(running).toEqual([0, 1, 2, 3]);
  });

  it('give back what they have taken, though they fail before they begin', async () => {
    const shares = new Shares(1);
    const fail = () => {
      throw new Error('at once');
    };
    await expect(shares.within(1, fail)).rejects.toThrow('at once');
    expect(await shares.within(1, async () => 'next')).toBe('next');
  });

  it('leave room for the greatest, though the fractions before it do not add up to nothing', async () => {
    const shares = new Shares(2);
    const batches = [18, 11, 4, 21, 14, 7, 24, 17, 10].map((municipalities) => municipalities / 25);
    await Promise.all(batches.map((share) => shares.within(share, turn)));
    const { running } = begun(shares, [2]);
    await turn();
    expect(running).toEqual([0]);
  });
});
