import { type CountedArea, capacityFigures } from './capacity.ts';
import { firstMatch, type Rule } from './precedence.ts';
import type { FreshnessStatus } from './source-freshness.ts';

export const AREA_STATUSES = ['unknown', 'full', 'almost_full', 'available'] as const;
/** What a driver sees of an area. */
export type AreaStatus = (typeof AREA_STATUSES)[number];

export const DATA_QUALITIES = ['good', 'degraded'] as const;
/** Whether the counters can be trusted. */
export type DataQuality = (typeof DATA_QUALITIES)[number];

interface Spaces {
  readonly capacity: number;
  readonly available: number;
}

/** An area is almost full with a twentieth of its spaces left, and with its last one. */
const ALMOST_FULL_PART = 20;

const STATUS: readonly Rule<Spaces, AreaStatus>[] = [
  { when: ({ available }) => available === 0, outcome: 'full' },
  {
    // A product of whole numbers is exact; a percentage would not be.
    when: ({ capacity, available }) => available <= 1 || available * ALMOST_FULL_PART <= capacity,
    outcome: 'almost_full',
  },
];

/**
 * The status of an area, the first that applies: `unknown` without a capacity, `full` with no space left, `almost_full`
 * with at most 5 % of the spaces left, or a single one, else `available`.
 */
export function areaStatus(area: CountedArea): AreaStatus {
  const figures = capacityFigures(area);
  return area.capacity === null || figures === null
    ? 'unknown'
    : firstMatch(STATUS, 'available', { capacity: area.capacity, available: figures.availableNow });
}

const DEGRADED: Readonly<Record<FreshnessStatus, boolean>> = {
  native: false,
  fresh: false,
  stale: true,
  never: true,
  error: true,
};

/** `degraded` as soon as one active source has not sent what it should have; otherwise `good`, also without sources. */
export function dataQuality(
  sources: Iterable<{ readonly active: boolean; readonly freshness: FreshnessStatus }>,
): DataQuality {
  for (const { active, freshness } of sources) {
    if (active && DEGRADED[freshness]) {
      return 'degraded';
    }
  }
  return 'good';
}
