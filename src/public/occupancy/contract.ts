import * as z from 'zod';
import { AREA_STATUSES, DATA_QUALITIES } from '../../domain/public-status.ts';
import type { Contract } from '../../serving/contract.ts';
import {
  code,
  count,
  dateTime,
  flag,
  name,
  place,
  sentence,
  timeZone,
} from '../../serving/http/response-fields.ts';
import { SHOWN_ANSWERS } from '../../storage/configuration/shown.ts';
import { AREA_TYPES } from '../../storage/db/schema/configuration.ts';

/** Any text. A text that is not the code of a public municipality is a 404. */
const municipalityPath = z.object({
  code: z.string().min(1).describe('The code of a public municipality.'),
});

/** Other parameters are ignored. */
export const occupancyQuery = z.object({
  area_type: z
    .string()
    .trim()
    .pipe(z.enum(AREA_TYPES))
    .optional()
    .describe('Only streets, or only facilities. Absent: both.'),
});

const listedMunicipality = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name, for people.'),
    timezone: timeZone.describe('IANA time zone.'),
  })
  .meta({ id: 'PublicMunicipality', description: 'A public municipality.' });

const municipalityList = z
  .object({ municipalities: z.array(listedMunicipality).describe('Ordered by code.') })
  .meta({ id: 'PublicMunicipalitiesResponse', description: 'The public municipalities.' });

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

const areaOccupancy = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name, for people.'),
    area_type: z.enum(AREA_TYPES).describe('Street or facility.'),
    latitude: latitude.nullable().describe('WGS 84, in decimal degrees. Null: unknown.'),
    longitude: longitude.nullable().describe('WGS 84, in decimal degrees. Null: unknown.'),
    capacity: count.nullable().describe('How many spaces it has. Null: unknown.'),
    available_now: count
      .nullable()
      .describe(
        'Free spaces at `as_of`. Null if `capacity` is, while the area is closed, and while data is outdated.',
      ),
    available_after_30: count
      .nullable()
      .describe('Forecast of free spaces 30 minutes later. Null if `available_now` is.'),
    available_after_60: count.nullable().describe('The same 60 minutes later.'),
    occupancy_percent: z
      .number()
      .min(0)
      .nullable()
      .describe(
        'Vehicles at `as_of` in percent of `capacity`, with one decimal. Null if `capacity` is 0 or `available_now` is null.',
      ),
    status: z
      .enum(AREA_STATUSES)
      .describe(
        '`closed` before `closed_until`; `unknown` if `capacity` is null or data is outdated; `full` without a free space; `almost_full` with one free space or at most 5 %; else `available`.',
      ),
    ...SHOWN_ANSWERS,
    payment_due: flag.describe('Whether parking must be paid there at `as_of`.'),
    payment_due_changes_at: dateTime
      .nullable()
      .describe('When `payment_due` changes next. Null: not within 8 days.'),
  })
  .meta({ id: 'AreaOccupancy', description: 'The occupancy of an area.' });

const occupancyResponse = z
  .object({
    api_version: z.literal('1.0').describe('The version of this answer.'),
    municipality: place.describe('The municipality.'),
    timezone: timeZone.describe('The time zone of the instants.'),
    as_of: dateTime.describe('The instant of the counters.'),
    refresh_after_seconds: z.int().min(1).describe('Ask again after this many seconds.'),
    data_quality: z
      .enum(DATA_QUALITIES)
      .describe(
        '`outdated` if there are active sources, none of them `native`, and none has succeeded for an hour, or the municipality’s own limit: numbers are then null. `degraded` if an active source is `stale`, in `error` or has never reported. Else `good`.',
      ),
    last_source_success_at: dateTime
      .nullable()
      .describe('The last successful import of an active source. Null: there was none.'),
    areas: z.array(areaOccupancy).describe('The active areas, ordered by code.'),
  })
  .meta({
    id: 'PublicOccupancyResponse',
    description: 'The occupancy of a municipality’s areas, derived from payments.',
  });

const coordinates = z.object({
  latitude: latitude.describe('WGS 84, in decimal degrees.'),
  longitude: longitude.describe('WGS 84, in decimal degrees.'),
});

/** The part of an area that the profile can express. */
const parkingSite = z
  .object({
    _id: z
      .string()
      .min(3)
      .max(161)
      .describe('The codes of the municipality and the area, joined by a colon.'),
    lastUpdate: dateTime.describe('The instant of the counters.'),
    type: z
      .object({
        value: z.enum(['carPark', 'onStreet']).describe('`carPark`: a facility. `onStreet`: a street.'),
      })
      .describe('The type.'),
    name: name.describe('Its name, for people.'),
    numberOfSpaces: count.optional().describe('How many spaces it has. Absent: unknown.'),
    availableSpaces: count.optional().describe('Free spaces. Absent where the occupancy has null.'),
    locationAndDimension: z
      .object({ coordinatesForDisplay: coordinates.describe('The coordinates of the area.') })
      .describe('Where it is.'),
  })
  .meta({ id: 'ParkingSite', description: 'An area in DATEX II.' });

const creator = z.object({
  country: z.string().length(2).describe('ISO 3166-1 alpha-2 code.'),
  nationalIdentifier: code.describe('The code of the municipality.'),
});

const parkingPublicationLight = z
  .object({
    lang: z.enum(['en', 'it']).describe('The language of `description`.'),
    publicationTime: dateTime.describe('The instant of the counters.'),
    publicationCreator: creator.describe('The municipality.'),
    name: name.describe('The municipality’s name.'),
    description: sentence.describe('Says that the counters are derived from payments.'),
    parkingSite: z.array(parkingSite).describe('The active areas with coordinates, by code.'),
  })
  .meta({ id: 'ParkingPublicationLight', description: 'The occupancy of a municipality.' });

/** DATEX II v3, profile "Parking Publication light" 02-00-00, without our envelope. */
const publicationResponse = z
  .object({
    _modelBaseVersion: z.literal('3').describe('The version of DATEX II.'),
    _version: z.literal('3.0').describe('The version of DATEX II, with its minor number.'),
    _profileName: z.literal('Parking Publication light').describe('The profile of DATEX II.'),
    _profileVersion: z.literal('02-00-00').describe('The version of the profile.'),
    parkingPublicationLight: parkingPublicationLight.describe('The publication.'),
  })
  .meta({
    id: 'ParkingPublicationLightResponse',
    description: 'DATEX II v3 as JSON, without an envelope: the request id is in the header only.',
  });

const areaFeature = z
  .object({
    type: z.literal('Feature').describe('An area.'),
    geometry: z
      .object({
        type: z.literal('Point').describe('A point.'),
        coordinates: z
          .tuple([longitude, latitude])
          .describe('Longitude, then latitude: WGS 84, in decimal degrees.'),
      })
      .describe('Where it is.'),
    properties: areaOccupancy.omit({ latitude: true, longitude: true }).describe('Its occupancy.'),
  })
  .meta({ id: 'AreaFeature', description: 'An area in GeoJSON.' });

/** RFC 7946, without our envelope. Fields that apply to all areas are foreign members of the collection. */
const featureCollection = z
  .object({
    type: z.literal('FeatureCollection').describe('The areas.'),
    as_of: occupancyResponse.shape.as_of,
    data_quality: occupancyResponse.shape.data_quality,
    last_source_success_at: occupancyResponse.shape.last_source_success_at,
    features: z.array(areaFeature).describe('The active areas with coordinates, by code.'),
  })
  .meta({
    id: 'OccupancyFeatureCollection',
    description: 'GeoJSON (RFC 7946), without an envelope: the request id is in the header only.',
  });

export type AreaOccupancy = z.infer<typeof areaOccupancy>;
export type FeatureCollection = z.infer<typeof featureCollection>;
export type OccupancyResponse = z.infer<typeof occupancyResponse>;
export type PublicationResponse = z.infer<typeof publicationResponse>;

const MUNICIPALITIES = '/api/v2/public/municipalities';

const common = {
  method: 'GET',
  access: { by: 'anybody' },
  // Three reads of KV, each of at most a second.
  deadlineMs: 5_000,
  crossOrigin: { exposeHeaders: ['X-Request-Id', 'ETag', 'Retry-After'] },
  cached: true,
} as const;

/** Lists the municipalities whose occupancy is public. */
export const listPublicMunicipalities = {
  ...common,
  id: 'listPublicMunicipalities',
  path: MUNICIPALITIES,
  answer: municipalityList,
} as const satisfies Contract;

const ofMunicipality = { ...common, pathParameters: municipalityPath, errors: ['NOT_FOUND'] } as const;

/** Returns the free spaces of a public municipality, now and in 30 and 60 minutes. */
export const getPublicOccupancy = {
  ...ofMunicipality,
  id: 'getPublicOccupancy',
  path: `${MUNICIPALITIES}/:code/occupancy`,
  query: occupancyQuery,
  answer: occupancyResponse,
} as const satisfies Contract;

/** Returns the free spaces in GeoJSON, for maps. */
export const getOccupancyFeatures = {
  ...ofMunicipality,
  id: 'getOccupancyFeatures',
  path: `${MUNICIPALITIES}/:code/occupancy.geojson`,
  query: occupancyQuery,
  answer: featureCollection,
  mediaType: 'application/geo+json',
} as const satisfies Contract;

/** Returns the free spaces in DATEX II as JSON, for national access points. */
export const getParkingPublicationLight = {
  ...ofMunicipality,
  id: 'getParkingPublicationLight',
  path: `${MUNICIPALITIES}/:code/parking-publication-light`,
  answer: publicationResponse,
  mediaType: 'application/json',
} as const satisfies Contract;
