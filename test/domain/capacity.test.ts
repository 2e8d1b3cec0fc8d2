import { describe, expect, it } from 'vitest';
import { capacityFigures, capacityTotals } from '../../src/domain/capacity.ts';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';

const area = (capacity: number | null, activeNow: number, activeAfter30 = 0, activeAfter60 = 0) => ({
  capacity,
  counters: { ...NO_VEHICLES, activeNow, activeAfter30, activeAfter60 },
});

describe('The figures of an area', () => {
  it('are null without a capacity, never zero', () => {
    expect(capacityFigures(area(null, 3))).toBeNull();
  });

  it.each([
    [10, 0, 10, 0, 0],
    [10, 9, 1, 0, 90],
    [10, 10, 0, 0, 100],
    [10, 11, 0, 1, 110],
    [3, 1, 2, 0, 33.3],
    [3, 2, 1, 0, 66.7],
    [2_000, 1, 1_999, 0, 0.1],
    [0, 0, 0, 0, null],
    [0, 2, 0, 2, null],
  ])(
    'of %i spaces with %i vehicles: %i available, %i too many, %s percent',
    (capacity, active, free, over, percent) => {
      expect(capacityFigures(area(capacity, active))).toMatchObject({
        availableNow: free,
        excessNow: over,
        occupancyPercent: percent,
      });
    },
  );

  it('are judged at each horizon by its own vehicles', () => {
    expect(capacityFigures(area(10, 4, 12, 1))).toMatchObject({
      availableNow: 6,
      availableAfter30: 0,
      availableAfter60: 9,
      excessNow: 0,
    });
  });
});

describe('The totals', () => {
  it('are of the areas with a capacity alone', () => {
    const totals = capacityTotals([
      area(10, 4, 5, 6),
      area(null, 100, 100, 100),
      area(20, 26, 1, 2),
      area(0, 0),
    ]);
    expect(totals).toMatchObject({
      configuredCount: 3,
      unconfiguredCount: 1,
      spacesCount: 30,
      activeNow: 30,
      activeAfter30: 6,
      activeAfter60: 8,
      // A full area lends none of its excess to the others.
      availableNow: 6,
      availableAfter30: 24,
      availableAfter60: 22,
      excessNow: 6,
      occupancyPercent: 100,
    });
  });

  it('have no occupancy where there are no spaces', () => {
    expect(capacityTotals([area(null, 5)])).toMatchObject({
      configuredCount: 0,
      unconfiguredCount: 1,
      spacesCount: 0,
      occupancyPercent: null,
    });
  });
});
