import type {
  FeatureCollection,
  MunicipalityList,
  OccupancyResponse,
  PublicationResponse,
} from '../../../../src/public/occupancy/contract.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from '../../../../src/public/occupancy/contract.ts';
import { CITY, FACILITY } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const AS_OF = '2026-11-21T10:00:00+01:00';
const AT_CENTRO = { latitude: 45.07, longitude: 7.69 };

const CENTRO = {
  ...FACILITY,
  area_type: 'facility',
  capacity: 300,
  available_now: 42,
  available_after_30: 55,
  available_after_60: 80,
  occupancy_percent: 86,
  status: 'available',
  address: 'Piazza Centrale 1',
  website: 'https://parcheggi.example/centro',
  price_note: '2 € l’ora, 12 € al giorno',
  max_height_cm: 210,
  disabled_spaces: 6,
  charging_spaces: 4,
  payment_due: true,
  payment_due_changes_at: '2026-11-21T20:00:00+01:00',
  closed_until: null,
} as const;

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(listPublicMunicipalities, {
    section: 'Public',
    summary: 'List the public municipalities',
    words:
      'The municipalities whose occupancy is public. A change of their configuration shows within two minutes.',
    answer: {
      words: 'The list.',
      example: {
        ...ENVELOPE,
        municipalities: [{ ...CITY, timezone: 'Europe/Rome' }],
      } satisfies MunicipalityList & typeof ENVELOPE,
    },
  }),
  describe(getPublicOccupancy, {
    section: 'Public',
    summary: 'Get the free spaces of a municipality',
    words:
      'Free spaces now, and a forecast for 30 and 60 minutes later, computed every minute. Old figures never look new: if no source has reported for long, or an area is closed, there are no numbers. It needs no credential, spends no budget, and pages of any origin may call it. A code that is unknown, inactive or not public gets the same 404.',
    parameters: { code: 'L219', area_type: 'facility' },
    answer: {
      words: 'The occupancy.',
      example: {
        ...ENVELOPE,
        api_version: '1.0',
        municipality: CITY,
        timezone: 'Europe/Rome',
        as_of: AS_OF,
        refresh_after_seconds: 60,
        data_quality: 'good',
        last_source_success_at: '2026-11-21T09:58:12+01:00',
        areas: [{ ...CENTRO, ...AT_CENTRO }],
      } satisfies OccupancyResponse & typeof ENVELOPE,
    },
  }),
  describe(getOccupancyFeatures, {
    section: 'Public',
    summary: 'Get the free spaces in GeoJSON',
    words:
      'A FeatureCollection (RFC 7946) of the areas with coordinates, for a map. `as_of`, `data_quality` and `last_source_success_at` apply to all of them.',
    parameters: { code: 'L219', area_type: 'facility' },
    answer: {
      words: 'The features.',
      example: {
        type: 'FeatureCollection',
        as_of: AS_OF,
        data_quality: 'good',
        last_source_success_at: '2026-11-21T09:58:12+01:00',
        features: [
          {
            type: 'Feature',
            geometry: { type: 'Point', coordinates: [AT_CENTRO.longitude, AT_CENTRO.latitude] },
            properties: CENTRO,
          },
        ],
      } satisfies FeatureCollection,
    },
  }),
  describe(getParkingPublicationLight, {
    section: 'Public',
    summary: 'Get the free spaces in DATEX II',
    words:
      'DATEX II v3 as JSON, profile "Parking Publication light" 02-00-00, for the national access point. It cannot express a forecast; `description` says that the counters are derived from payments. `availableSpaces` is absent for a closed area, and while data is outdated.',
    parameters: { code: 'L219' },
    answer: {
      words: 'The publication.',
      example: {
        _modelBaseVersion: '3',
        _version: '3.0',
        _profileName: 'Parking Publication light',
        _profileVersion: '02-00-00',
        parkingPublicationLight: {
          lang: 'it',
          publicationTime: AS_OF,
          publicationCreator: { country: 'IT', nationalIdentifier: 'L219' },
          name: 'Torino',
          description: 'Derivato dai pagamenti',
          parkingSite: [
            {
              _id: 'L219:BOLZANO',
              lastUpdate: AS_OF,
              type: { value: 'carPark' },
              name: FACILITY.name,
              numberOfSpaces: 300,
              availableSpaces: 42,
              locationAndDimension: { coordinatesForDisplay: AT_CENTRO },
            },
          ],
        },
      } satisfies PublicationResponse,
    },
  }),
];
