import { describe, expect, it } from 'vitest';
import { HOUR_MS, type Instant } from '../../src/domain/instant.ts';
import { paidPeriods, paymentKnownAt } from '../../src/domain/paid-period.ts';
import { NOON, noon } from './fixtures.ts';

/** Paid for an hour from noon on, and reversed so many milliseconds after noon. */
const paid = (reversed: number | null) => ({
  startsAt: NOON,
  endsAt: noon(HOUR_MS),
  reversalRecordedAt: reversed === null ? null : noon(reversed),
});

describe('What is left of a period', () => {
  it.each([
    ['all, while its payment is not reversed', null, HOUR_MS],
    ['nothing, where that is reversed before it begins', -1, null],
    ['nothing, where that is reversed as it begins', 0, null],
    ['what has passed, where that is reversed later', 1, 1],
    ['all, where it is over by then', HOUR_MS + 1, HOUR_MS],
  ])('is %s', (_, reversed, left) => {
    const periods = left === null ? [] : [{ startsAt: NOON, endsAt: noon(left) }];
    expect(paidPeriods([paid(reversed)])).toEqual(periods);
  });

  it('is all as it was known before a reversal was recorded, and what that leaves from then on', () => {
    const endKnownAt = (reversed: number | null, at: Instant) =>
      paidPeriods([paymentKnownAt(paid(reversed), at)])[0]?.endsAt;
    expect(endKnownAt(1, NOON)).toBe(noon(HOUR_MS));
    expect(endKnownAt(1, noon(1))).toBe(noon(1));
    expect(endKnownAt(null, noon(1))).toBe(noon(HOUR_MS));
  });
});
