import type { Language, Text } from '../../base/text/text.ts';
import type { Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import { type DataQuality, publicView } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import type { ParkingSite, PublicationResponse } from './contract.ts';

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
