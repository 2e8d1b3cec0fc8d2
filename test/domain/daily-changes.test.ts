import { describe, expect, it } from 'vitest';
import { DAILY_CHANGES, limitWith } from '../../src/domain/daily-changes.ts';

describe('With a change of a day', () => {
  it.each([
    ['that ends nothing, two million may be stored', false, DAILY_CHANGES],
    ['that ends something, as many again', true, 2 * DAILY_CHANGES],
  ])('%s', (_, isEnding, most) => {
    expect(limitWith(isEnding)).toBe(most);
  });
});
