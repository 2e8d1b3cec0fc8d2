import { findPublic, qualityOf } from '../../core/snapshots/find-public.ts';
import { readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { DataQuality } from '../../domain/public-status.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { findVersion } from '../../serving/pipeline/versions.ts';
import {
  featureCollection,
  type MunicipalityList,
  municipalityList,
  municipalityPath,
  occupancyQuery,
  occupancyResponse,
  publicationResponse,
} from './contract.ts';
import { presentFeatures, presentOccupancy, presentPublication } from './present.ts';

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
