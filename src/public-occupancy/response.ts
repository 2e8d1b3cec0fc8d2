import * as z from 'zod';
import { AREA_TYPES } from '../db/schema/configuration.ts';
import { AREA_STATUSES, DATA_QUALITIES } from '../domain/public-status.ts';
import { code, count, dateTime, name, place, sentence, timeZone } from '../http/response-fields.ts';

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

export const listedMunicipality = z.object({ code, name, timezone: timeZone });

/** What the list answers behind the envelope. */
export const municipalityList = z.object({ municipalities: z.array(listedMunicipality) });

/** What depends on the capacity is null where that is not configured. */
export const areaOccupancy = z.object({
  code,
  name,
  area_type: z.enum(AREA_TYPES),
  latitude: latitude.nullable(),
  longitude: longitude.nullable(),
  capacity: count.nullable(),
  available_now: count.nullable(),
  available_after_30: count.nullable(),
  available_after_60: count.nullable(),
  occupancy_percent: z.number().min(0).nullable(),
  status: z.enum(AREA_STATUSES),
});

/** What the occupancy answers behind the envelope. */
export const occupancyResponse = z.object({
  api_version: z.literal('1.0'),
  municipality: place,
  timezone: timeZone,
  as_of: dateTime,
  refresh_after_seconds: z.int().min(1),
  data_quality: z.enum(DATA_QUALITIES),
  areas: z.array(areaOccupancy),
});

/** Of a site, what the profile has a place for. */
export const parkingSite = z.object({
  _id: z.string().min(3).max(161),
  lastUpdate: dateTime,
  type: z.object({ value: z.enum(['carPark', 'onStreet']) }),
  name,
  numberOfSpaces: count.optional(),
  availableSpaces: count.optional(),
  locationAndDimension: z.object({ coordinatesForDisplay: z.object({ latitude, longitude }) }),
});

export const parkingPublicationLight = z.object({
  lang: z.enum(['en', 'it']),
  publicationTime: dateTime,
  publicationCreator: z.object({ country: z.string().length(2), nationalIdentifier: code }),
  name,
  description: sentence,
  parkingSite: z.array(parkingSite),
});

/** DATEX II v3, profile "Parking Publication light" 02-00-00: the whole answer, without our envelope. */
export const publicationResponse = z.object({
  _modelBaseVersion: z.literal('3'),
  _version: z.literal('3.0'),
  _profileName: z.literal('Parking Publication light'),
  _profileVersion: z.literal('02-00-00'),
  parkingPublicationLight,
});

export type MunicipalityList = z.infer<typeof municipalityList>;
export type AreaOccupancy = z.infer<typeof areaOccupancy>;
export type OccupancyResponse = z.infer<typeof occupancyResponse>;
export type ParkingSite = z.infer<typeof parkingSite>;
export type PublicationResponse = z.infer<typeof publicationResponse>;
