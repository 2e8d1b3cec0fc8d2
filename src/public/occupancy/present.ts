import type { Language, Text } from '../../base/text/text.ts';
import type { Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess, publicView } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { SHOWN, type ShownName } from '../../storage/configuration/shown.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import type { AreaOccupancy, FeatureCollection, OccupancyResponse, PublicationResponse } from './contract.ts';

/** Snapshots are computed every minute. */
const REFRESH_AFTER_SECONDS = 60;

/**
 * The occupancy of a municipality, without the envelope, and with instants in its time zone.
 *
 * @param areaType absent: both
 */
export function presentOccupancy(
  { municipality, at, sources, areas }: Snapshot,
  quality: DataQuality,
  areaType?: AreaType,
): OccupancyResponse {
  const { code, name, timeZone } = municipality;
  const shown = areas.filter((area) => area.areaType === (areaType ?? area.areaType));
  return {
    api_version: '1.0',
    municipality: { code, name },
    timezone: timeZone,
    as_of: formatInstant(at, timeZone),
    refresh_after_seconds: REFRESH_AFTER_SECONDS,
    data_quality: quality,
    last_source_success_at: formatNullable(lastSuccess(sources), timeZone),
    areas: shown.map((area) => presentArea(area, at, timeZone, quality)),
  };
}

function presentArea(area: SnapshotArea, at: Instant, timeZone: string, quality: DataQuality): AreaOccupancy {
  const { code, name, areaType, capacity, latitude, longitude } = area;
  const { status, figures } = publicView(area, at, quality);
  return {
    code,
    name,
    area_type: areaType,
    latitude,
    longitude,
    capacity,
    available_now: figures?.availableNow ?? null,
    available_after_30: figures?.availableAfter30 ?? null,
    available_after_60: figures?.availableAfter60 ?? null,
    occupancy_percent: figures?.occupancyPercent ?? null,
    status,
    ...presentShown(area, timeZone),
    payment_due: area.paymentDue,
    payment_due_changes_at: formatNullable(area.paymentDueChangesAt, timeZone),
  };
}

/** The fields that are only shown to the public. */
const presentShown = (area: SnapshotArea, timeZone: string): Pick<AreaOccupancy, ShownName> => ({
  // One entry for each shown field.
  ...(Object.fromEntries(SHOWN.map(([name, { column }]) => [name, area[column]])) as Pick<
    AreaOccupancy,
    ShownName
  >),
  closed_until: formatNullable(area.closedUntil, timeZone),
});

const formatNullable = (at: Instant | null, timeZone: string): string | null =>
  at === null ? null : formatInstant(at, timeZone);

type Located<Area> = Area & { readonly latitude: number; readonly longitude: number };
const isLocated = <Area extends AreaOccupancy>(area: Area): area is Located<Area> =>
  area.latitude !== null && area.longitude !== null;

/** The occupancy of the areas with coordinates in GeoJSON. */
export function presentFeatures(...snapshot: Parameters<typeof presentOccupancy>): FeatureCollection {
  const { as_of, data_quality, last_source_success_at, areas } = presentOccupancy(...snapshot);
  return {
    type: 'FeatureCollection',
    as_of,
    data_quality,
    last_source_success_at,
    features: areas.filter(isLocated).map(({ latitude, longitude, ...properties }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
      properties,
    })),
  };
}

/** The profile has no field to say that vehicles are not counted, so the description does. */
const DERIVED: Text = { en: 'Derived from payments', it: 'Derivato dai pagamenti' };

const SITE_TYPES = { facility: 'carPark', street: 'onStreet' } as const satisfies Record<AreaType, string>;

/** The occupancy of the areas with coordinates in DATEX II. The profile cannot express a forecast. */
export function presentPublication(
  snapshot: Snapshot,
  quality: DataQuality,
  language: Language,
): PublicationResponse {
  const { country, code: nationalIdentifier, name } = snapshot.municipality;
  const { as_of: asOf, areas } = presentOccupancy(snapshot, quality);
  return {
    _modelBaseVersion: '3',
    _version: '3.0',
    _profileName: 'Parking Publication light',
    _profileVersion: '02-00-00',
    parkingPublicationLight: {
      lang: language,
      publicationTime: asOf,
      publicationCreator: { country, nationalIdentifier },
      name,
      description: DERIVED[language],
      parkingSite: areas.filter(isLocated).map(({ latitude, longitude, capacity, ...area }) => ({
        _id: `${nationalIdentifier}:${area.code}`,
        lastUpdate: asOf,
        type: { value: SITE_TYPES[area.area_type] },
        name: area.name,
        ...(capacity !== null && { numberOfSpaces: capacity }),
        ...(area.available_now !== null && { availableSpaces: area.available_now }),
        locationAndDimension: { coordinatesForDisplay: { latitude, longitude } },
      })),
    },
  };
}
