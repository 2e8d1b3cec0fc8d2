import type { Language, Text } from '../../base/text/text.ts';
import { findPublic, qualityOf, readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { AreaDetails, Snapshot, SnapshotArea } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess, publicView } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { findVersion } from '../../serving/pipeline/versions.ts';
import { SHOWN_FIELDS, type ShownName } from '../../storage/configuration/area-fields.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import {
  type AreaOccupancy,
  type FeatureCollection,
  featureCollection,
  type MunicipalityList,
  municipalityList,
  municipalityPath,
  type OccupancyResponse,
  occupancyQuery,
  occupancyResponse,
  type ParkingSite,
  type PublicationResponse,
  publicationResponse,
} from './contract.ts';

/** The profile has no field to say that vehicles are not counted, so the description does. */
const DERIVED: Text = { en: 'Derived from payments', it: 'Derivato dai pagamenti' };

const SITE_TYPES = { facility: 'carPark', street: 'onStreet' } as const satisfies Record<AreaType, string>;

/**
 * The occupancy of a municipality in DATEX II: the areas with coordinates, and instants in the municipality's time zone. The
 * profile cannot express a forecast.
 */
function presentPublication(
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
function presentOccupancy(
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
function presentFeatures(
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
export const listPublicMunicipalities = operation({
  ...common,
  id: 'listPublicMunicipalities',
  path: MUNICIPALITIES,
  answer: municipalityList,
  handle: async (_, { env, now, deadline }) => {
    const directory = await deadline.race(readPublicDirectory(env.SNAPSHOTS, now));
    const list = (): MunicipalityList => ({
      municipalities: [...directory.values()].map(({ code, name, timeZone }) => ({
        code,
        name,
        timezone: timeZone,
      })),
    });
    return { answer: await findVersion(directory, 'list', list) };
  },
});

const ofMunicipality = { ...common, pathParameters: municipalityPath, errors: ['NOT_FOUND'] } as const;

/** Makes an answer from a municipality's snapshot, once per quality of the data and form of the answer. */
async function answerFrom<Answer extends object>(
  code: string,
  form: string,
  context: CallContext,
  present: (snapshot: Snapshot, quality: DataQuality) => Answer,
) {
  const snapshot = await findPublic(code, context);
  const quality = qualityOf(snapshot, context.now);
  const answer = await findVersion(snapshot, `${form} ${quality}`, () => present(snapshot, quality));
  return { answer, municipality: code };
}

/** Returns the free spaces of a public municipality, now and in 30 and 60 minutes. */
export const getPublicOccupancy = operation({
  ...ofMunicipality,
  id: 'getPublicOccupancy',
  path: `${MUNICIPALITIES}/:code/occupancy`,
  query: occupancyQuery,
  answer: occupancyResponse,
  handle: ({ path: { code }, query: { area_type: areaType = null } }, context) =>
    answerFrom(code, `occupancy ${areaType}`, context, (snapshot, quality) =>
      presentOccupancy(snapshot, areaType, quality),
    ),
});

/** Returns the free spaces in GeoJSON, for maps. */
export const getOccupancyFeatures = operation({
  ...ofMunicipality,
  id: 'getOccupancyFeatures',
  path: `${MUNICIPALITIES}/:code/occupancy.geojson`,
  query: occupancyQuery,
  answer: featureCollection,
  envelope: false,
  mediaType: 'application/geo+json',
  handle: ({ path: { code }, query: { area_type: areaType = null } }, context) =>
    answerFrom(code, `features ${areaType}`, context, (snapshot, quality) =>
      presentFeatures(snapshot, areaType, quality),
    ),
});

/** Returns the free spaces in DATEX II as JSON, for national access points. */
export const getParkingPublicationLight = operation({
  ...ofMunicipality,
  id: 'getParkingPublicationLight',
  path: `${MUNICIPALITIES}/:code/parking-publication-light`,
  answer: publicationResponse,
  envelope: false,
  handle: ({ path: { code } }, context) =>
    answerFrom(code, `publication ${context.language}`, context, (snapshot, quality) =>
      presentPublication(snapshot, context.language, quality),
    ),
});
