import type { Language, Text } from '../../base/text/text.ts';
import type { PublicMunicipality } from '../../core/snapshots/public-directory.ts';
import type { AreaDetails, Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess, publicView } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { SHOWN_FIELDS, type ShownName } from '../../storage/configuration/area-fields.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import type {
  AreaOccupancy,
  FeatureCollection,
  MunicipalityList,
  OccupancyResponse,
  ParkingSite,
  PublicationResponse,
} from './contract.ts';

/** The profile has no field to say that vehicles are not counted, so the description does. */
const DERIVED: Text = { en: 'Derived from payments', it: 'Derivato dai pagamenti' };

const SITE_TYPES = { facility: 'carPark', street: 'onStreet' } as const satisfies Record<AreaType, string>;

/**
 * The occupancy of a municipality in DATEX II: the areas with coordinates, and instants in the municipality's time zone. The
 * profile cannot express a forecast.
 */
export function presentPublication(
  snapshot: Snapshot,
  language: Language,
  quality: DataQuality,
): PublicationResponse {
  const { municipality, at, areas } = snapshot;
  const asOf = formatInstant(at, municipality.timeZone);
  return {
    _modelBaseVersion: '3',
    _version: '3.0',
    _profileName: 'Parking Publication light',
    _profileVersion: '02-00-00',
    parkingPublicationLight: {
      lang: language,
      publicationTime: asOf,
      publicationCreator: { country: municipality.country, nationalIdentifier: municipality.code },
      name: municipality.name,
      description: DERIVED[language],
      parkingSite: areas.flatMap((area) => presentSite(area, snapshot, quality)),
    },
  };
}

/** @returns an empty list for an area without coordinates, which the profile requires */
function presentSite(
  { code, name, areaType, capacity, coordinates, details, all }: SnapshotArea,
  { municipality, at }: Snapshot,
  quality: DataQuality,
): ParkingSite[] {
  if (coordinates === null) {
    return [];
  }
  const { closedUntil } = details;
  const { figures } = publicView({ capacity, counters: all, closedUntil }, at, quality);
  return [
    {
      _id: `${municipality.code}:${code}`,
      lastUpdate: formatInstant(at, municipality.timeZone),
      type: { value: SITE_TYPES[areaType] },
      name,
      ...(capacity !== null && { numberOfSpaces: capacity }),
      ...(figures !== null && { availableSpaces: figures.availableNow }),
      locationAndDimension: { coordinatesForDisplay: coordinates },
    },
  ];
}

/** Snapshots are computed every minute. */
const REFRESH_AFTER_SECONDS = 60;

/**
 * The occupancy of a municipality, without the envelope, and with instants in its time zone.
 *
 * @param areaType null for both
 */
export function presentOccupancy(
  snapshot: Snapshot,
  areaType: AreaType | null,
  quality: DataQuality,
): OccupancyResponse {
  const { municipality, at, sources } = snapshot;
  const { code, name, timeZone } = municipality;
  return {
    api_version: '1.0',
    municipality: { code, name },
    timezone: timeZone,
    as_of: formatInstant(at, timeZone),
    refresh_after_seconds: REFRESH_AFTER_SECONDS,
    data_quality: quality,
    last_source_success_at: formatNullable(lastSuccess(sources), timeZone),
    areas: areasOf(snapshot, areaType).map((area) => presentArea(area, snapshot, quality)),
  };
}

/**
 * The occupancy of the areas with coordinates in GeoJSON.
 *
 * @param areaType null for both
 */
export function presentFeatures(
  snapshot: Snapshot,
  areaType: AreaType | null,
  quality: DataQuality,
): FeatureCollection {
  const { as_of, data_quality, last_source_success_at, areas } = presentOccupancy(
    snapshot,
    areaType,
    quality,
  );
  return {
    type: 'FeatureCollection',
    as_of,
    data_quality,
    last_source_success_at,
    features: areas.flatMap(({ latitude, longitude, ...properties }) =>
      latitude === null || longitude === null
        ? []
        : [{ type: 'Feature', geometry: { type: 'Point', coordinates: [longitude, latitude] }, properties }],
    ),
  };
}

/** @param areaType null for both */
const areasOf = ({ areas }: Snapshot, areaType: AreaType | null): SnapshotArea[] =>
  areas.filter((area) => areaType === null || area.areaType === areaType);

function presentArea(
  { code, name, areaType, capacity, coordinates, details, all }: SnapshotArea,
  { at, municipality }: Snapshot,
  quality: DataQuality,
): AreaOccupancy {
  const { closedUntil } = details;
  const { status, figures } = publicView({ capacity, counters: all, closedUntil }, at, quality);
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
    status,
    ...presentShown(details, municipality.timeZone),
    payment_due: details.paymentDue,
    payment_due_changes_at: formatNullable(details.paymentDueChangesAt, municipality.timeZone),
  };
}

/** The fields that are only shown to the public. */
const presentShown = (details: AreaDetails, timeZone: string): Pick<AreaOccupancy, ShownName> =>
  // One entry for each shown field.
  Object.fromEntries(
    SHOWN_FIELDS.map(([name, field]) => [
      name,
      'form' in field ? formatNullable(details[field.column], timeZone) : details[field.column],
    ]),
  ) as Pick<AreaOccupancy, ShownName>;

const formatNullable = (at: Instant | null, timeZone: string): string | null =>
  at === null ? null : formatInstant(at, timeZone);

export const presentList = (municipalities: Iterable<PublicMunicipality>): MunicipalityList => ({
  municipalities: [...municipalities].map(({ code, name, timeZone }) => ({ code, name, timezone: timeZone })),
});
