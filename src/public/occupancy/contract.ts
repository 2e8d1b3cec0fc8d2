import * as z from 'zod';
import { AREA_STATUSES, DATA_QUALITIES } from '../../domain/public-status.ts';
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
import { SHOWN_ANSWERS } from '../../storage/configuration/area-fields.ts';
import { AREA_TYPES } from '../../storage/db/schema/configuration.ts';

/** Any text: one that is not the code of a public municipality is not found. */
export const municipalityPath = z.object({
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

export const municipalityList = z
  .object({ municipalities: z.array(listedMunicipality).describe('Ordered by code.') })
  .meta({ id: 'PublicMunicipalitiesResponse', description: 'The public municipalities.' });

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

const areaOccupancy = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name, for people.'),
    area_type: z.enum(AREA_TYPES).describe('Street or facility.'),
    latitude: latitude.nullable().describe('WGS 84, in decimal degrees. Null: not known.'),
    longitude: longitude.nullable().describe('WGS 84, in decimal degrees. Null: not known.'),
    capacity: count.nullable().describe('Its spaces. Null: not configured.'),
    available_now: count
      .nullable()
      .describe(
        'Free spaces at `as_of`. Null without a capacity, while it is closed, and from outdated data.',
      ),
    available_after_30: count
      .nullable()
      .describe('Free spaces 30 minutes later, by what is known at `as_of`.'),
    available_after_60: count.nullable().describe('Free spaces 60 minutes later, likewise.'),
    occupancy_percent: z
      .number()
      .min(0)
      .nullable()
      .describe(
        'Vehicles by spaces at `as_of`, with one decimal. Null without any space, and where `available_now` is.',
      ),
    status: z
      .enum(AREA_STATUSES)
      .describe(
        '`closed` before `closed_until`, `unknown` without a capacity or from outdated data, `full` with no space left, `almost_full` with at most 5 % of the spaces or a single one left, else `available`.',
      ),
    ...SHOWN_ANSWERS,
    payment_due: flag.describe('Whether parking must be paid there at `as_of`.'),
    payment_due_changes_at: dateTime
      .nullable()
      .describe('When `payment_due` changes next. Null: not within 8 days.'),
  })
  .meta({ id: 'AreaOccupancy', description: 'How full an area is.' });

export const occupancyResponse = z
  .object({
    api_version: z.literal('1.0').describe('The version of this answer.'),
    municipality: place.describe('The municipality.'),
    timezone: timeZone.describe('The time zone of the instants.'),
    as_of: dateTime.describe('The instant that the counters are true for.'),
    refresh_after_seconds: z.int().min(1).describe('When to ask again.'),
    data_quality: z
      .enum(DATA_QUALITIES)
      .describe(
        '`outdated` when no active source has succeeded for too long (an hour, unless the municipality says otherwise): then no numbers are shown; `degraded` while an active source has not sent what it should have; else `good`.',
      ),
    last_source_success_at: dateTime
      .nullable()
      .describe('When an active source last sent what could be read. Null: never.'),
    areas: z.array(areaOccupancy).describe('The active areas, ordered by code.'),
  })
  .meta({
    id: 'PublicOccupancyResponse',
    description: 'How full the areas of a municipality are, derived from payments.',
  });

const coordinates = z.object({
  latitude: latitude.describe('WGS 84, in decimal degrees.'),
  longitude: longitude.describe('WGS 84, in decimal degrees.'),
});

/** The part of a site that the profile can express. */
const parkingSite = z
  .object({
    _id: z.string().min(3).max(161).describe('The codes of the municipality and the area.'),
    lastUpdate: dateTime.describe('The instant that the counters are true for.'),
    type: z
      .object({ value: z.enum(['carPark', 'onStreet']).describe('The type.') })
      .describe('A facility is a `carPark`, a street `onStreet`.'),
    name: name.describe('Its name, for people.'),
    numberOfSpaces: count.optional().describe('Its spaces. Absent: not configured.'),
    availableSpaces: count.optional().describe('Free spaces. Absent without a capacity.'),
    locationAndDimension: z
      .object({ coordinatesForDisplay: coordinates.describe('The coordinates of the area.') })
      .describe('Where it is.'),
  })
  .meta({ id: 'ParkingSite', description: 'An area, as DATEX II has it.' });

const creator = z.object({
  country: z.string().length(2).describe('ISO 3166-1 alpha-2.'),
  nationalIdentifier: code.describe('The code of the municipality.'),
});

const parkingPublicationLight = z
  .object({
    lang: z.enum(['en', 'it']).describe('The language of `description`.'),
    publicationTime: dateTime.describe('The instant that the counters are true for.'),
    publicationCreator: creator.describe('The municipality: its country (ISO 3166-1 alpha-2) and its code.'),
    name: name.describe('The municipality’s name.'),
    description: sentence.describe('That the counters are derived from payments.'),
    parkingSite: z.array(parkingSite).describe('The active areas that have coordinates, ordered by code.'),
  })
  .meta({ id: 'ParkingPublicationLight', description: 'The occupancy of a municipality.' });

/** DATEX II v3, profile "Parking Publication light" 02-00-00: the whole answer, without our envelope. */
export const publicationResponse = z
  .object({
    _modelBaseVersion: z.literal('3').describe('The version of DATEX II.'),
    _version: z.literal('3.0').describe('Likewise.'),
    _profileName: z.literal('Parking Publication light').describe('The profile that the answer follows.'),
    _profileVersion: z.literal('02-00-00').describe('Its version.'),
    parkingPublicationLight: parkingPublicationLight.describe('The publication.'),
  })
  .meta({
    id: 'ParkingPublicationLightResponse',
    description: 'JSON of DATEX II v3. No envelope: the request id is only in the header.',
  });

const areaFeature = z
  .object({
    type: z.literal('Feature').describe('An area.'),
    geometry: z
      .object({
        type: z.literal('Point').describe('Its place.'),
        coordinates: z
          .tuple([longitude, latitude])
          .describe('Longitude, latitude: WGS 84, in decimal degrees.'),
      })
      .describe('Where it is.'),
    properties: areaOccupancy.omit({ latitude: true, longitude: true }).describe('Its occupancy.'),
  })
  .meta({ id: 'AreaFeature', description: 'An area, as GeoJSON has it.' });

/** RFC 7946: the whole answer, without our envelope. What applies to all areas are foreign members of the collection. */
export const featureCollection = z
  .object({
    type: z.literal('FeatureCollection').describe('The areas.'),
    as_of: occupancyResponse.shape.as_of,
    data_quality: occupancyResponse.shape.data_quality,
    last_source_success_at: occupancyResponse.shape.last_source_success_at,
    features: z.array(areaFeature).describe('The active areas that have coordinates, ordered by code.'),
  })
  .meta({
    id: 'OccupancyFeatureCollection',
    description: 'GeoJSON (RFC 7946). No envelope: the request id is only in the header.',
  });

export type MunicipalityList = z.infer<typeof municipalityList>;
export type AreaOccupancy = z.infer<typeof areaOccupancy>;
export type FeatureCollection = z.infer<typeof featureCollection>;
export type OccupancyResponse = z.infer<typeof occupancyResponse>;
export type ParkingSite = z.infer<typeof parkingSite>;
export type PublicationResponse = z.infer<typeof publicationResponse>;
