import { ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { input, output } from '../openapi/words.ts';
import { municipalityPath, occupancyQuery } from './request.ts';
import {
  areaOccupancy,
  listedMunicipality,
  municipalityList,
  occupancyResponse,
  parkingPublicationLight,
  parkingSite,
  publicationResponse,
} from './response.ts';

export const PATH = input('PublicMunicipalityPath', municipalityPath, 'Which municipality.', {
  code: 'The code of a public municipality.',
});

export const QUERY = input('PublicOccupancyQuery', occupancyQuery, 'Which areas.', {
  area_type: 'Streets or facilities alone. Absent: both.',
});

const MUNICIPALITY = output('PublicMunicipality', listedMunicipality, 'A public municipality.', {
  code: 'Its code.',
  name: 'Its name, for people.',
  timezone: 'IANA time zone.',
});

export const LIST = output(
  'PublicMunicipalitiesResponse',
  inEnvelope(municipalityList),
  'The public municipalities.',
  { ...ENVELOPE_WORDS, municipalities: 'Ordered by code.' },
);

const AREA = output('AreaOccupancy', areaOccupancy, 'How full an area is.', {
  code: 'Its code.',
  name: 'Its name, for people.',
  area_type: 'Street or facility.',
  latitude: 'WGS 84, in decimal degrees. Null: not known.',
  longitude: 'WGS 84, in decimal degrees. Null: not known.',
  capacity: 'Its spaces. Null: not configured.',
  available_now: 'Free spaces at `as_of`. Null without a capacity.',
  available_after_30: 'Free spaces 30 minutes later, by what is known at `as_of`.',
  available_after_60: 'Free spaces 60 minutes later, likewise.',
  occupancy_percent: 'Vehicles by spaces at `as_of`, with one decimal. Null without any space.',
  status:
    '`unknown` without a capacity, `full` with no space left, `almost_full` with at most 5 % of the spaces or a single one left, else `available`.',
});

export const OCCUPANCY = output(
  'PublicOccupancyResponse',
  inEnvelope(occupancyResponse),
  'How full the areas of a municipality are, derived from payments.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this answer.',
    municipality: 'The municipality.',
    timezone: 'The time zone of the instants.',
    as_of: 'The instant that the counters are true for.',
    refresh_after_seconds: 'When to ask again.',
    data_quality: '`degraded` while an active source has not sent what it should have; else `good`.',
    areas: 'The active areas, ordered by code.',
  },
);

const SITE = output('ParkingSite', parkingSite, 'An area, as DATEX II has it.', {
  _id: 'The codes of the municipality and the area.',
  lastUpdate: 'The instant that the counters are true for.',
  type: 'A facility is a `carPark`, a street `onStreet`.',
  name: 'Its name, for people.',
  numberOfSpaces: 'Its spaces. Absent: not configured.',
  availableSpaces: 'Free spaces. Absent without a capacity.',
  locationAndDimension: 'Where it is.',
});

const PUBLICATION = output(
  'ParkingPublicationLight',
  parkingPublicationLight,
  'The occupancy of a municipality.',
  {
    lang: 'The language of `description`.',
    publicationTime: 'The instant that the counters are true for.',
    publicationCreator: 'The municipality: its country (ISO 3166-1 alpha-2) and its code.',
    name: 'The municipality’s name.',
    description: 'That the counters are derived from payments.',
    parkingSite: 'The active areas that have coordinates, ordered by code.',
  },
);

export const PUBLICATION_ANSWER = output(
  'ParkingPublicationLightResponse',
  publicationResponse,
  'JSON of DATEX II v3. No envelope: the request id stands in the header alone.',
  {
    _modelBaseVersion: 'The version of DATEX II.',
    _version: 'Likewise.',
    _profileName: 'The profile that the answer follows.',
    _profileVersion: 'Its version.',
    parkingPublicationLight: 'The publication.',
  },
);

export const PARTS = [MUNICIPALITY, AREA, SITE, PUBLICATION];
