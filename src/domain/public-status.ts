import { type CapacityFigures, type CountedArea, capacityFigures } from './capacity.ts';
import { type Instant, instant, MINUTE_MS } from './instant.ts';
import { firstMatch, type Rule } from './precedence.ts';
import { type FreshnessStatus, type SourceImports, sourceFreshness } from './source-freshness.ts';

export const AREA_STATUSES = ['closed', 'unknown', 'full', 'almost_full', 'available'] as const;
/** What a driver sees of an area. */
export type AreaStatus = (typeof AREA_STATUSES)[number];

export const DATA_QUALITIES = ['good', 'degraded', 'outdated'] as const;
/** Whether the counters can be trusted. */
export type DataQuality = (typeof DATA_QUALITIES)[number];

/** An area as the public may see it. */
interface PublicArea extends CountedArea {
  /** Before it, the area is closed. Null: it is open. */
  readonly closedUntil: Instant | null;
}

/** The public view of an area. */
export interface PublicView {
  readonly status: AreaStatus;
  /** Null if unknown, or not to be shown. */
  readonly figures: CapacityFigures | null;
}

interface Facts {
  readonly isClosed: boolean;
  readonly quality: DataQuality;
  readonly capacity: number | null;
  readonly available: number;
}

/** An area is almost full with a twentieth of its spaces left, and with its last one. */
const ALMOST_FULL_PART = 20;

const STATUS: readonly Rule<Facts, AreaStatus>[] = [
  { when: ({ isClosed }) => isClosed, outcome: 'closed' },
  { when: ({ quality, capacity }) => quality === 'outdated' || capacity === null, outcome: 'unknown' },
  { when: ({ available }) => available === 0, outcome: 'full' },
  {
    // A product of whole numbers is exact; a percentage would not be.
    when: ({ capacity, available }) => available <= 1 || available * ALMOST_FULL_PART <= (capacity ?? 0),
    outcome: 'almost_full',
  },
];

/**
 * What the public is shown of an area, the first that applies: `closed` before its closing is over, `unknown` with
 * outdated data or without a capacity, `full` with no space left, `almost_full` with at most 5 % of the spaces left, or
 * a single one, else `available`. One that is closed or unknown has no figures.
 *
 * @param at the instant of the counters
 * @param quality that of the data at the answer
 */
export function publicView(area: PublicArea, at: Instant, quality: DataQuality): PublicView {
  const { capacity, closedUntil } = area;
  const figures = capacityFigures(area);
  const status = firstMatch(STATUS, 'available', {
    isClosed: closedUntil !== null && at < closedUntil,
    quality,
    capacity,
    available: figures?.availableNow ?? 0,
  });
  return { status, figures: status === 'closed' || status === 'unknown' ? null : figures };
}

/** A source, as the quality of the public's data depends on it. */
export interface PublicSource extends SourceImports {
  readonly active: boolean;
}

const DEGRADED: Readonly<Record<FreshnessStatus, boolean>> = {
  native: false,
  fresh: false,
  stale: true,
  never: true,
  error: true,
};

/**
 * Whether the counters of active sources can be trusted, the first that applies: `outdated` when none is native and none
 * has succeeded within the age that the municipality allows, `degraded` as soon as one is stale or failing, else `good`,
 * which includes having no sources.
 */
export function dataQuality(
  sources: readonly PublicSource[],
  at: Instant,
  maxAgeMinutes: number,
): DataQuality {
  const active = sources.filter((source) => source.active);
  const isOutdated = active.every(
    ({ isSystem, lastSuccessfulAt }) =>
      !isSystem && (lastSuccessfulAt === null || at - lastSuccessfulAt > maxAgeMinutes * MINUTE_MS),
  );
  if (isOutdated && active.length > 0) {
    return 'outdated';
  }
  return active.some((source) => DEGRADED[sourceFreshness(source, at)]) ? 'degraded' : 'good';
}

/** When an active source last succeeded. Null where none has. */
export function lastSuccess(sources: readonly PublicSource[]): Instant | null {
  const successes = sources.flatMap(({ active, lastSuccessfulAt }) =>
    active && lastSuccessfulAt !== null ? [lastSuccessfulAt] : [],
  );
  return successes.length === 0 ? null : instant(Math.max(...successes));
}
