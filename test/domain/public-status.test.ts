import { describe, expect, it } from 'vitest';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';
import { type AreaStatus, areaStatus, dataQuality } from '../../src/domain/public-status.ts';
import { FRESHNESS_STATUSES, type FreshnessStatus } from '../../src/domain/source-freshness.ts';

describe('The status of an area', () => {
  it.each<[capacity: number | null, active: number, status: AreaStatus]>([
    // Without a capacity nothing is known, however many are there.
    [null, 0, 'unknown'],
    [null, 500, 'unknown'],
    // No space at all, and none left.
    [0, 0, 'full'],
    [0, 3, 'full'],
    [1, 1, 'full'],
    [300, 300, 'full'],
    [300, 301, 'full'],
    // The last space, however many there are.
    [1, 0, 'almost_full'],
    [2, 1, 'almost_full'],
    [19, 18, 'almost_full'],
    [300, 299, 'almost_full'],
    // Two left are more than 5 % of 39, and just that of 40.
    [2, 0, 'available'],
    [39, 37, 'available'],
    [40, 38, 'almost_full'],
    [41, 39, 'almost_full'],
    [40, 37, 'available'],
    // 5 % of 60 is 3; 5 % of 300 is 15. As fractions of two they are not exact.
    [59, 56, 'available'],
    [60, 57, 'almost_full'],
    [60, 56, 'available'],
    [300, 285, 'almost_full'],
    [300, 284, 'available'],
    [1_000_000, 950_000, 'almost_full'],
    [1_000_000, 949_999, 'available'],
    [300, 0, 'available'],
  ])('with %s spaces and %s vehicles is %s', (capacity, activeNow, status) => {
    expect(areaStatus({ capacity, counters: { ...NO_VEHICLES, activeNow } })).toBe(status);
  });
});

describe('The quality of the data', () => {
  const active = (freshness: FreshnessStatus) => ({ active: true, freshness });

  it.each<[FreshnessStatus, string]>([
    ['native', 'good'],
    ['fresh', 'good'],
    ['stale', 'degraded'],
    ['never', 'degraded'],
    ['error', 'degraded'],
  ])('with a source that is %s is %s', (freshness, quality) => {
    expect(dataQuality([active(freshness)])).toBe(quality);
    expect(dataQuality([active('fresh'), active(freshness), active('native')])).toBe(quality);
  });

  it.each(FRESHNESS_STATUSES)('is good whatever a switched-off source is: %s', (freshness) => {
    expect(dataQuality([{ active: false, freshness }])).toBe('good');
    expect(dataQuality([{ active: false, freshness }, active('stale')])).toBe('degraded');
  });

  it('is good without any source', () => {
    expect(dataQuality([])).toBe('good');
  });
});
