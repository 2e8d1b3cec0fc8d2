import { describe, expect, it } from 'vitest';
import { type Ending, limitWith, MAX_SHORTENINGS_BEYOND } from '../../src/domain/daily-changes.ts';

const BEYOND = MAX_SHORTENINGS_BEYOND;

describe('With a change of a day', () => {
  it.each<[name: string, ending: Ending, dailyChanges: number | null, most: number]>([
    ['that ends nothing, the daily changes may be stored', 'none', 10, 10],
    ['that ends nothing, none may be where there are none', 'none', 0, 0],
    ['that shortens, so many more', 'shortens', 10, 10 + BEYOND],
    ['that shortens, so many where there are none', 'shortens', 0, BEYOND],
    ['that ends something, any number', 'ends', 0, Number.POSITIVE_INFINITY],
    ['that ends nothing, any number without a limit', 'none', null, Number.POSITIVE_INFINITY],
    ['that shortens, any number without a limit', 'shortens', null, Number.POSITIVE_INFINITY],
    ['that ends something, any number without a limit', 'ends', null, Number.POSITIVE_INFINITY],
  ])('%s', (_, ending, dailyChanges, most) => {
    expect(limitWith(ending, dailyChanges)).toBe(most);
  });
});
