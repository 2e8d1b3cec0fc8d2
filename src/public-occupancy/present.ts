import type { AreaType } from '../db/schema/configuration.ts';
import { capacityFigures } from '../domain/capacity.ts';
import { areaStatus, type DataQuality } from '../domain/public-status.ts';
import { formatInstant } from '../domain/zoned-time.ts';
import type { Snapshot, SnapshotArea } from '../snapshots/snapshot.ts';
import type { AreaOccupancy, OccupancyResponse } from './contract.ts';

/** How soon the counters may have changed: they are computed every minute. */
const REFRESH_AFTER_SECONDS = 60;

/**
 * The occupancy of a municipality as it follows the envelope, instants in its zone.
 *
 * @param areaType null for both
 */
export function presentOccupancy(
  { municipality, at, areas }: Snapshot,
  areaType: AreaType | null,
  quality: DataQuality,
): OccupancyResponse {
  const { code, name, timeZone } = municipality;
  return {
    api_version: '1.0',
    municipality: { code, name },
    timezone: timeZone,
    as_of: formatInstant(at, timeZone),
    refresh_after_seconds: REFRESH_AFTER_SECONDS,
    data_quality: quality,
    areas: areas.filter((area) => areaType === null || area.areaType === areaType).map(presentArea),
  };
}

function presentArea({ code, name, areaType, capacity, coordinates, all }: SnapshotArea): AreaOccupancy {
  const counted = { capacity, counters: all };
  const figures = capacityFigures(counted);
  return {
    code,
    name,
    area_type: areaType,
    latitude: coordinates?.latitude ?? null,
    longitude: coordinates?.longitude ?? null,
    capacity,
    available_now: figures?.availableNow ?? null,
    available_after_30: figures?.availableAfter30 ?? null,
    available_after_60: figures?.availableAfter60 ?? null,
    occupancy_percent: figures?.occupancyPercent ?? null,
    status: areaStatus(counted),
  };
}
