import { describe, expect, it } from 'vitest';
import { batchesOf, processBatches, shareOf } from '../../src/core/snapshots/refresh.ts';

describe('What is read together', () => {
  const municipality = (id: number, areasCount: number) => ({ id, code: String(id), areasCount });

  it.each<[string, number[], number[]]>([
    ['nothing, of nothing', [], []],
    ['25 municipalities at most', Array(60).fill(10), [25, 25, 10]],
    ['1,000 areas at most', [500, 500, 1, 999, 1], [2, 2, 1]],
    ['a big one by itself', [10, 2_000, 10, 10], [1, 1, 2]],
  ])('is %s', (_, areas, sizes) => {
    const groups = batchesOf(areas.map((count, index) => municipality(index + 1, count)));
    expect(groups.map(({ length }) => length)).toEqual(sizes);
    expect(groups.flat().map(({ id }) => id)).toEqual(areas.map((_count, index) => index + 1));
  });
});

describe('The memory of what is read together', () => {
  it.each<[string, number[], number]>([
    ['grows with the municipalities', Array(10).fill(3), 0.4],
    ['is a whole share for as many as a group has', Array(25).fill(3), 1],
    ['grows with the areas', [300, 200], 0.5],
    ['is more for one that is too big for a group', [3_000], 3],
  ])('%s', (_, areas, share) => {
    expect(shareOf(areas.map((areasCount, id) => ({ id, code: String(id), areasCount })))).toBe(share);
  });
});

describe('Groups of which some cannot be read', () => {
  const MINUTE = Array.from({ length: 40 }, (_, group) =>
    Array.from({ length: 25 }, (_item, index) => group * 25 + index),
  );

  /** Reads groups of numbers, and tells what was read, what was given up, and with how many readings. */
  async function read(groups: number[][], fails: (item: number) => boolean, isOver?: () => boolean) {
    const taken: number[] = [];
    const givenUp: (readonly number[])[] = [];
    const readings: (readonly number[])[] = [];
    await processBatches(
      groups,
      async (group) => {
        readings.push(group);
        if (group.some(fails)) throw new Error(`${group.length} fail`);
        taken.push(...group);
      },
      (group, error) => {
        expect(error).toEqual(new Error(`${group.length} fail`));
        givenUp.push(group);
      },
      isOver,
    );
    expect([...taken, ...givenUp.flat()].sort((a, b) => a - b)).toEqual(groups.flat());
    return { taken, givenUp, readings };
  }

  it.each<[string, (item: number) => boolean, number]>([
    ['none', () => false, 0],
    ['the first', (item) => item === 0, 1],
    ['the last', (item) => item === 999, 1],
    ['one in each of the first nine groups', (item) => item % 25 === 7 && item < 225, 9],
    ['four side by side', (item) => item >= 30 && item < 34, 4],
    ['two sides of a border between groups', (item) => item === 24 || item === 25, 2],
    ['the halves of a group', (item) => item === 3 || item === 20, 2],
  ])('are read but for those that fail: %s', async (_, fails, failing) => {
    const { givenUp, readings } = await read(MINUTE, fails);
    expect(givenUp.map(({ length }) => length)).toEqual(Array(failing).fill(1));
    expect(readings.length).toBeLessThanOrEqual(40 + 10 * failing);
  });

  it('are each tried before any is tried again', async () => {
    const { readings } = await read(MINUTE, (item) => item % 25 === 0);
    expect(readings.slice(0, 40)).toEqual(MINUTE);
  });

  it('are given up soon when everything fails: the database is away', async () => {
    const { readings } = await read(MINUTE, () => true);
    expect(readings.length).toBeLessThanOrEqual(40 + 20);
  });

  it('are given up whole once five that stand alone have failed in a row', async () => {
    const { givenUp } = await read(
      [
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
      ],
      () => true,
    );
    expect(givenUp.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 5]);
  });

  it('are given up at once when no time is left', async () => {
    const { readings, givenUp } = await read(
      MINUTE,
      (item) => item < 50,
      () => true,
    );
    expect(readings).toEqual(MINUTE);
    expect(givenUp.map(({ length }) => length)).toEqual([25, 25]);
  });

  it('are not read for ever when very many fail, each by itself', async () => {
    const { readings, taken } = await read(MINUTE, (item) => item % 2 === 0);
    expect(readings.length).toBeLessThanOrEqual(40 + 101);
    expect(taken.length).toBeGreaterThan(20);
  });
});
