import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/domain/daily-changes.ts';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { BatchRoom, DailyRoom } from '../../src/intake/imports/day-room.ts';

const some = (cost: number, isEnding = false): Change => ({ cost, isEnding });

describe('A batch', () => {
  it.each<[name: string, dailyChanges: number | null, used: number, changes: Change[], taken: boolean[]]>([
    ['fills the day', 10, 8, [some(1), some(1)], [true, true]],
    ['takes none beyond it', 10, 8, [some(1), some(1), some(1)], [true, true, false]],
    ['takes a small change where a large one has no room', 10, 8, [some(3), some(2)], [false, true]],
    ['takes none where the day is full', 10, 10, [some(1)], [false]],
    ['takes none where the limit was lowered below what is stored', 10, 12, [some(1)], [false]],
    ['takes none of no changes', 0, 0, [some(1)], [false]],
    ['takes any number without a limit', null, 9e9, [some(500)], [true]],
    ['takes what ends something beyond it', 10, 10, [some(1, true), some(9, true)], [true, true]],
    ['counts that too', 10, 9, [some(1, true), some(1)], [true, false]],
    ['takes the last one that ends something', 10, 19, [some(1, true)], [true]],
    ['takes none beyond that', 10, 19, [some(2, true)], [false]],
    ['takes what comes to nothing', 10, 12, [some(0, true)], [true]],
  ])('%s', (_, dailyChanges, used, changes, taken) => {
    const room = new BatchRoom({ dailyChanges, used });
    expect(changes.map((change) => room.take(change, null))).toEqual(taken);
  });

  it('counts a key once, by its last change', () => {
    const room = new BatchRoom({ dailyChanges: 10, used: 5 });
    expect([room.take(some(4), null), room.take(some(5), some(4)), room.take(some(6), some(5))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(room.outcome.count).toBe(5);
  });

  it.each<[name: string, changes: Change[], outcome: { count: number; maxBefore: number }]>([
    [
      'of what ends something, what leaves room for twice as many',
      [some(3, true)],
      { count: 3, maxBefore: 17 },
    ],
    ['of others, what leaves room for them', [some(2), some(1)], { count: 3, maxBefore: 7 }],
    ['of both, what leaves room for the others', [some(2), some(3, true)], { count: 5, maxBefore: 8 }],
  ])('says how much may have been stored before it: %s', (_, changes, outcome) => {
    const room = new BatchRoom({ dailyChanges: 10, used: 0 });
    for (const change of changes) room.take(change, null);
    expect(room.outcome).toEqual(outcome);
  });
});

describe('The room of an import', () => {
  const NOON = instant(20_000 * DAY_MS + DAY_MS / 2);
  const stored = { used: 5, reads: [] as number[] };
  const aRoom = () => {
    Object.assign(stored, { used: 5, reads: [] });
    return new DailyRoom(async (day) => {
      stored.reads.push(day);
      return { dailyChanges: 10, used: stored.used };
    });
  };
  const batch = { count: 2, maxBefore: 8 };

  it('is read once, and counted on', async () => {
    const room = aRoom();
    expect(await room.begin(NOON)).toEqual({ dailyChanges: 10, used: 5 });
    await room.count(batch, async (counted) => expect(counted).toEqual({ ...batch, day: 20_000 }));
    expect(await room.begin(NOON)).toEqual({ dailyChanges: 10, used: 7 });
    expect(stored.reads).toEqual([20_000]);
  });

  it('is read again on the next UTC day', async () => {
    const room = aRoom();
    await room.begin(instant(20_001 * DAY_MS - 1));
    await room.begin(instant(20_001 * DAY_MS));
    expect(stored.reads).toEqual([20_000, 20_001]);
  });

  it('is read again after a batch that failed, which counts on its own day when it is done again', async () => {
    const room = aRoom();
    await room.begin(NOON);
    await expect(room.count(batch, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    await room.count(batch, async ({ day }) => expect(day).toBe(20_000));
    stored.used = 7;
    expect(await room.begin(NOON)).toEqual({ dailyChanges: 10, used: 7 });
  });
});
