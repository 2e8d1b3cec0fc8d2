import { type Counters, sumOf } from './occupancy.ts';
import { sum } from './sum.ts';

/** How the vehicles of an area relate to its spaces. */
export interface CapacityFigures {
  readonly availableNow: number;
  readonly availableAfter30: number;
  readonly availableAfter60: number;
  /** Vehicles beyond the spaces. */
  readonly excessNow: number;
  /** With one decimal; null where there are no spaces. */
  readonly occupancyPercent: number | null;
}

/** An area's spaces and vehicles. A capacity of null is not configured, which is not zero. */
export interface CountedArea {
  readonly capacity: number | null;
  readonly counters: Counters;
}

interface CapacityTotals extends CapacityFigures, Counters {
  readonly configuredCount: number;
  readonly unconfiguredCount: number;
  readonly spacesCount: number;
}

/** The figures of an area: null where its capacity is not configured. */
export function capacityFigures({ capacity, counters }: CountedArea): CapacityFigures | null {
  if (capacity === null) {
    return null;
  }
  const available = (active: number): number => Math.max(0, capacity - active);
  return {
    availableNow: available(counters.activeNow),
    availableAfter30: available(counters.activeAfter30),
    availableAfter60: available(counters.activeAfter60),
    excessNow: Math.max(0, counters.activeNow - capacity),
    occupancyPercent: occupancyPercent(counters.activeNow, capacity),
  };
}

/** The sums over the areas whose capacity is configured, and the occupancy of all their spaces together. */
export function capacityTotals(areas: readonly CountedArea[]): CapacityTotals {
  const configured = areas.filter(({ capacity }) => capacity !== null);
  const figures = areas.map(capacityFigures).filter((one) => one !== null);
  const counters = sumOf(configured.map((area) => area.counters));
  const spacesCount = sum(configured.map(({ capacity }) => capacity ?? 0));
  return {
    ...counters,
    configuredCount: configured.length,
    unconfiguredCount: areas.length - configured.length,
    spacesCount,
    availableNow: sum(figures.map(({ availableNow }) => availableNow)),
    availableAfter30: sum(figures.map(({ availableAfter30 }) => availableAfter30)),
    availableAfter60: sum(figures.map(({ availableAfter60 }) => availableAfter60)),
    excessNow: sum(figures.map(({ excessNow }) => excessNow)),
    occupancyPercent: occupancyPercent(counters.activeNow, spacesCount),
  };
}

function occupancyPercent(active: number, spaces: number): number | null {
  return spaces === 0 ? null : Math.round((1_000 * active) / spaces) / 10;
}
