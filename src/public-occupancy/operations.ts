import { dataQuality } from '../domain/public-status.ts';
import { sourceFreshness } from '../domain/source-freshness.ts';
import { operation } from '../pipeline/operation.ts';
import { readPublicDirectory } from '../snapshots/public-directory.ts';
import {
  type MunicipalityList,
  municipalityList,
  municipalityPath,
  occupancyQuery,
  occupancyResponse,
  publicationResponse,
} from './contract.ts';
import { findPublic } from './find.ts';
import { presentOccupancy } from './present.ts';
import { presentPublication } from './present-publication.ts';
import { findVersion } from './versions.ts';

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
    const quality = dataQuality(
      snapshot.sources.map((source) => ({
        active: source.active,
        // Judged at the instant of the answer, as in the report.
        freshness: sourceFreshness(source, context.now),
      })),
    );
    const answer = await findVersion(snapshot, `occupancy ${areaType} ${quality}`, () =>
      presentOccupancy(snapshot, areaType, quality),
    );
    return { answer, municipality: code };
  },
});

/** The same in the JSON of DATEX II, as a national access point takes it. */
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
    const answer = await findVersion(snapshot, `publication ${language}`, () =>
      presentPublication(snapshot, language),
    );
    return { answer, municipality: code };
  },
});
