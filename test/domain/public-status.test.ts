import { describe, expect, it } from 'vitest';
import { instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';
import {
  type AreaStatus,
  DATA_QUALITIES,
  type DataQuality,
  dataQuality,
  lastSuccess,
  type PublicSource,
  publicView,
} from '../../src/domain/public-status.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 11));
const area = (capacity: number | null, activeNow: number, closedUntil: number | null = null) => ({
  capacity,
  counters: { ...NO_VEHICLES, activeNow },
  closedUntil: closedUntil === null ? null : instant(NOW + closedUntil),
});

describe('The status of an area', () => {
  it.each<[capacity: number | null, active: number, status: AreaStatus]>([
    // Without a capacity nothing is known, however many are there.
    [null, 0, 'unknown'],
    // No space at all, and none left.
    [0, 0, 'full'],
    [300, 300, 'full'],
    [300, 301, 'full'],
    // The last space, however many there are.
    [1, 0, 'almost_full'],
    [300, 299, 'almost_full'],
    // Two left are more than 5 % of 39, and just that of 40.
    [2, 0, 'available'],
    [39, 37, 'available'],
    [40, 38, 'almost_full'],
    [40, 37, 'available'],
    // 5 % of 60 is 3; 5 % of 300 is 15. As fractions of two they are not exact.
    [60, 57, 'almost_full'],
    [60, 56, 'available'],
    [300, 285, 'almost_full'],
    [300, 284, 'available'],
    [1_000_000, 950_000, 'almost_full'],
    [1_000_000, 949_999, 'available'],
    [300, 0, 'available'],
  ])('with %s spaces and %s vehicles is %s', (capacity, activeNow, status) => {
    const { status: shown, figures } = publicView(area(capacity, activeNow), NOW, 'good');
    expect([shown, figures === null]).toEqual([status, capacity === null]);
  });

  it.each<[DataQuality, status: AreaStatus, available: number | undefined]>([
    ['good', 'available', 9],
    // What may be off is shown, and said to be so.
    ['degraded', 'available', 9],
    ['outdated', 'unknown', undefined],
  ])('from %s data is %s', (quality, status, available) => {
    const view = publicView(area(10, 1), NOW, quality);
    expect([view.status, view.figures?.availableNow]).toEqual([status, available]);
  });

  it.each<[closedUntil: number | null, isClosed: boolean]>([
    [null, false],
    [-MINUTE_MS, false],
    [-1, false],
    // It opens at that very instant.
    [0, false],
    [1, true],
    [MINUTE_MS, true],
  ])('that is to be closed until %s ms after the counters is closed: %s', (closedUntil, isClosed) => {
    // Closed comes before all others, whatever is known, and has no figures.
    for (const quality of DATA_QUALITIES) {
      for (const capacity of [null, 0, 1, 10]) {
        const view = publicView(area(capacity, 1, closedUntil), NOW, quality);
        expect(view.status === 'closed').toBe(isClosed);
        if (isClosed) expect(view.figures).toBeNull();
      }
    }
  });
});

describe('The quality of the data', () => {
  /** Succeeded so long ago, and may be silent for 15 minutes. */
  const source = (ago: number | null, changed: Partial<PublicSource> = {}): PublicSource => ({
    active: true,
    isSystem: false,
    staleAfterMinutes: 15,
    lastOutcome: ago === null ? null : 'succeeded',
    lastSuccessfulAt: ago === null ? null : instant(NOW - ago),
    ...changed,
  });
  const HOUR = 60 * MINUTE_MS;
  const STALE = 15 * MINUTE_MS;
  const failed = { lastOutcome: 'failed' } as const;
  const native = { isSystem: true } as const;
  const off = { active: false } as const;

  it.each<[string, PublicSource[], DataQuality]>([
    ['no source', [], 'good'],
    // One source, through its ages.
    ['a success just now', [source(0)], 'good'],
    // Another machine's clock may be ahead.
    ['a success that is yet to come', [source(-1)], 'good'],
    ['a success that is as old as the source may be', [source(STALE)], 'good'],
    ['one a millisecond older', [source(STALE + 1)], 'degraded'],
    ['a success a millisecond short of an hour ago', [source(HOUR - 1)], 'degraded'],
    ['one an hour ago', [source(HOUR)], 'degraded'],
    ['one a millisecond older than an hour', [source(HOUR + 1)], 'outdated'],
    ['none yet', [source(null)], 'outdated'],
    // A failure says nothing of the age: the last success does.
    ['a failure after a success an hour ago', [source(HOUR, failed)], 'degraded'],
    ['a failure after a success more than an hour ago', [source(HOUR + 1, failed)], 'outdated'],
    ['nothing but failures', [source(null, failed)], 'outdated'],
    // A source may be silent for longer than the public wants to wait.
    ['a source that may be silent for a day', [source(HOUR + 1, { staleAfterMinutes: 1_440 })], 'outdated'],
    ['the same an hour ago', [source(HOUR, { staleAfterMinutes: 1_440 })], 'good'],
    // Several: the newest success counts.
    ['one that is new next to one that is not', [source(2 * HOUR), source(0)], 'degraded'],
    ['all too old', [source(2 * HOUR), source(HOUR + 1), source(null)], 'outdated'],
    // A native one is always there.
    ['a native one that has never imported', [source(null, native)], 'good'],
    ['a native one next to one that is too old', [source(HOUR + 1), source(null, native)], 'degraded'],
    ['a native one next to one that never succeeded', [source(null, native), source(null)], 'degraded'],
    // One that is switched off counts for nothing.
    ['only one that is switched off', [source(null, off)], 'good'],
    ['a fresh one that is switched off', [source(0, off), source(HOUR + 1)], 'outdated'],
    ['a native one that is switched off', [source(null, { ...off, ...native }), source(null)], 'outdated'],
  ])('with %s', (_, sources, quality) => {
    expect(dataQuality(sources, NOW, 60)).toBe(quality);
    expect(dataQuality(sources.toReversed(), NOW, 60)).toBe(quality);
  });

  it.each([5, 60, 1_440])('is outdated past the %i minutes of the municipality', (minutes) => {
    const [last, first] = [source(minutes * MINUTE_MS), source(minutes * MINUTE_MS + 1)];
    expect(dataQuality([last], NOW, minutes)).not.toBe('outdated');
    expect(dataQuality([first], NOW, minutes)).toBe('outdated');
  });

  it.each<[string, PublicSource[], ago: number | null]>([
    ['no source', [], null],
    ['one that never succeeded', [source(null)], null],
    ['one that has failed since', [source(HOUR, failed)], HOUR],
    ['several, the latest', [source(HOUR), source(STALE), source(null)], STALE],
    ['a native one', [source(HOUR), source(1, native)], 1],
    ['one that is switched off, which does not count', [source(0, off), source(HOUR)], HOUR],
  ])('has the last success of %s', (_, sources, ago) => {
    expect(lastSuccess(sources)).toBe(ago === null ? null : NOW - ago);
  });
});
