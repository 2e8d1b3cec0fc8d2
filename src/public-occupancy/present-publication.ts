import type { AreaType } from '../db/schema/configuration.ts';
import { capacityFigures } from '../domain/capacity.ts';
import { formatInstant } from '../domain/zoned-time.ts';
import type { Snapshot, SnapshotArea } from '../snapshots/snapshot.ts';
import type { Language, Text } from '../text/text.ts';
import type { ParkingSite, PublicationResponse } from './contract.ts';

/** Vehicles are not counted. The profile can say only here where the spaces come from. */
const DERIVED: Text = { en: 'Derived from payments', it: 'Derivato dai pagamenti' };

const SITE_TYPES = { facility: 'carPark', street: 'onStreet' } as const satisfies Record<AreaType, string>;

/**
 * The occupancy of a municipality in DATEX II: the areas that have coordinates, instants in the municipality's zone. What
 * the profile cannot express, such as a forecast by number, is left out.
 */
export function presentPublication(
  { municipality, at, areas }: Snapshot,
  language: Language,
): PublicationResponse {
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
      parkingSite: areas.flatMap((area) => presentSite(area, municipality.code, asOf)),
    },
  };
}

/** @returns none for an area without coordinates: the profile requires them */
function presentSite(
  { code, name, areaType, capacity, coordinates, all }: SnapshotArea,
  municipalityCode: string,
  asOf: string,
): ParkingSite[] {
  if (coordinates === null) {
    return [];
  }
  const figures = capacityFigures({ capacity, counters: all });
  const spaces =
    capacity !== null && figures !== null
      ? { numberOfSpaces: capacity, availableSpaces: figures.availableNow }
      : {};
  return [
    {
      _id: `${municipalityCode}:${code}`,
      lastUpdate: asOf,
      type: { value: SITE_TYPES[areaType] },
      name,
      ...spaces,
      locationAndDimension: { coordinatesForDisplay: coordinates },
    },
  ];
}
