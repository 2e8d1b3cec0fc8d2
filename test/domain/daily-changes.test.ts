import { describe, expect, it } from 'vitest';
import { limitWith } from '../../src/domain/daily-changes.ts';

describe('With a change of a day', () => {
  it.each<[name: string, isEnding: boolean, dailyChanges: number | null, most: number]>([
    ['that ends nothing, the daily changes may be stored', false, 10, 10],
    ['that ends nothing, none may be where there are none', false, 0, 0],
    ['that ends something, as many again', true, 10, 20],
    ['that ends something, none where there are none', true, 0, 0],
    ['that ends nothing, any number without a limit', false, null, Number.POSITIVE_INFINITY],
    ['that ends something, any number without a limit', true, null, Number.POSITIVE_INFINITY],
  ])('%s', (_, isEnding, dailyChanges, most) => {
    expect(limitWith(isEnding, dailyChanges)).toBe(most);
  });
});
