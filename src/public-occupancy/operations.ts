import { operation } from '../pipeline/operation.ts';
import { findVersion } from '../pipeline/versions.ts';
import { findPublic, qualityOf } from '../snapshots/find-public.ts';
import { readPublicDirectory } from '../snapshots/public-directory.ts';
import {
  featureCollection,
  type MunicipalityList,
  municipalityList,
  municipalityPath,
  occupancyQuery,
  occupancyResponse,
  publicationResponse,
} from './contract.ts';
import { presentFeatures, presentOccupancy } from './present.ts';
import { presentPublication } from './present-publication.ts';

const MUNICIPALITIES = '/api/v2/public/municipalities';

const common = {
  method: 'GET',
  access: { by: 'anybody' },
  // Three reads of KV, of a second at most each.
  deadlineMs: 5_000,
  crossOrigin: { exposeHeaders: ['X-Request-Id', 'ETag', 'Retry-After'] },
  cached: true,
} as const;

/** The municipalities whose occupancy is public. */
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

/** The free spaces of a public municipality, now and in 30 and 60 minutes. */
export const getPublicOccupancy = operation({
  ...common,
  id: 'getPublicOccupancy',
  path: `${MUNICIPALITIES}/:code/occupancy`,
  query: occupancyQuery,
  pathParameters: municipalityPath,
  answer: occupancyResponse,
  errors: ['NOT_FOUND'],
  handle: async ({ path: { code }, query }, context) => {
    const snapshot = await findPublic(code, context);
    const areaType = query.area_type ?? null;
    const quality = qualityOf(snapshot, context.now);
    const answer = await findVersion(snapshot, `occupancy ${areaType} ${quality}`, () =>
      presentOccupancy(snapshot, areaType, quality),
    );
    return { answer, municipality: code };
  },
});

/** The same in GeoJSON, for maps. */
export const getOccupancyFeatures = operation({
  ...common,
  id: 'getOccupancyFeatures',
  path: `${MUNICIPALITIES}/:code/occupancy.geojson`,
  query: occupancyQuery,
  pathParameters: municipalityPath,
  answer: featureCollection,
  envelope: false,
  mediaType: 'application/geo+json',
  errors: ['NOT_FOUND'],
  handle: async ({ path: { code }, query }, context) => {
    const snapshot = await findPublic(code, context);
    const areaType = query.area_type ?? null;
    const quality = qualityOf(snapshot, context.now);
    const answer = await findVersion(snapshot, `features ${areaType} ${quality}`, () =>
      presentFeatures(snapshot, areaType, quality),
    );
    return { answer, municipality: code };
  },
});

/** The same in the JSON of DATEX II, for national access points. */
export const getParkingPublicationLight = operation({
  ...common,
  id: 'getParkingPublicationLight',
  path: `${MUNICIPALITIES}/:code/parking-publication-light`,
  pathParameters: municipalityPath,
  answer: publicationResponse,
  envelope: false,
  errors: ['NOT_FOUND'],
  handle: async ({ path: { code } }, context) => {
    const snapshot = await findPublic(code, context);
    const { language } = context;
    const quality = qualityOf(snapshot, context.now);
    const answer = await findVersion(snapshot, `publication ${language} ${quality}`, () =>
      presentPublication(snapshot, language, quality),
    );
    return { answer, municipality: code };
  },
});
