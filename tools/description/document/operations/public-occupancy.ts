import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from '../../../../src/public/occupancy/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, FACILITY, SAMPLES } from '../samples.ts';

const AS_OF = '2026-11-21T10:00:00+01:00';
const QUALITY = { as_of: AS_OF, last_source_success_at: '2026-11-21T09:58:12+01:00' };
const AREA = {
  ...{ ...FACILITY, area_type: 'facility', status: 'available' },
  payment_due_changes_at: '2026-11-21T20:00:00+01:00',
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Public', listPublicMunicipalities, {
    summary: 'List the public municipalities',
    words:
      'The municipalities whose occupancy is public. A change of their configuration shows within two minutes.',
    answer: { municipalities: [{}] },
  }),
  describe('Public', getPublicOccupancy, {
    summary: 'Get the free spaces of a municipality',
    words:
      'Free spaces now, and a forecast for 30 and 60 minutes later, computed every minute. Old figures never look new: if no source has reported for long, or an area is closed, there are no numbers. It needs no credential, spends no budget, and pages of any origin may call it. A code that is unknown, inactive or not public gets the same 404.',
    parameters: { code: 'L219', area_type: 'facility' },
    answer: { ...QUALITY, areas: [AREA] },
  }),
  describe('Public', getOccupancyFeatures, {
    summary: 'Get the free spaces in GeoJSON',
    words:
      'A FeatureCollection (RFC 7946) of the areas with coordinates, for a map. `as_of`, `data_quality` and `last_source_success_at` apply to all of them.',
    parameters: { code: 'L219', area_type: 'facility' },
    answer: {
      ...QUALITY,
      features: [{ geometry: { coordinates: [SAMPLES.longitude, SAMPLES.latitude] }, properties: AREA }],
    },
  }),
  describe('Public', getParkingPublicationLight, {
    summary: 'Get the free spaces in DATEX II',
    words:
      'DATEX II v3 as JSON, profile "Parking Publication light" 02-00-00, for the national access point. It cannot express a forecast; `description` says that the counters are derived from payments. `availableSpaces` is absent for a closed area, and while data is outdated.',
    parameters: { code: 'L219' },
    answer: {
      parkingPublicationLight: {
        lang: 'it',
        publicationTime: AS_OF,
        publicationCreator: { nationalIdentifier: CITY.code },
        name: CITY.name,
        description: 'Derivato dai pagamenti',
        parkingSite: [
          {
            _id: `${CITY.code}:${FACILITY.code}`,
            lastUpdate: AS_OF,
            type: {},
            name: FACILITY.name,
            numberOfSpaces: SAMPLES.capacity,
            availableSpaces: SAMPLES.available_now,
          },
        ],
      },
    },
  }),
];
