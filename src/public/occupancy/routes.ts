import { findPublic, qualityOf, readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { DataQuality } from '../../domain/public-status.ts';
import { sendVersioned, type Versioned } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import { findVersion } from '../../serving/http/versions.ts';
import { cors } from '../../serving/middleware/cors.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { path, query } from '../../serving/middleware/parameters.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './contract.ts';
import { presentFeatures, presentList, presentOccupancy, presentPublication } from './present.ts';

/** Mounts what the public may see: from KV alone, so that no stranger's call reaches the database. */
export function publicOccupancyRoutes(app: App): void {
  for (const public_ of [
    listPublicMunicipalities,
    getPublicOccupancy,
    getOccupancyFeatures,
    getParkingPublicationLight,
  ]) {
    app.use(public_.path, cors(public_), deadline(public_.deadlineMs));
  }

  app.get(listPublicMunicipalities.path, async (c) => {
    const directory = await readPublicDirectory(c.env.SNAPSHOTS, c.var.now);
    return sendVersioned(c, await findVersion(directory, 'list', () => presentList(directory.values())));
  });

  app.get(
    getPublicOccupancy.path,
    query(getPublicOccupancy.query),
    path(getPublicOccupancy.pathParameters),
    async (c) => {
      const { area_type: areaType = null } = c.req.valid('query');
      return sendVersioned(
        c,
        await versionFor(c, c.req.valid('param').code, `occupancy ${areaType}`, (snapshot, quality) =>
          presentOccupancy(snapshot, areaType, quality),
        ),
      );
    },
  );

  app.get(
    getOccupancyFeatures.path,
    query(getOccupancyFeatures.query),
    path(getOccupancyFeatures.pathParameters),
    async (c) => {
      const { area_type: areaType = null } = c.req.valid('query');
      const version = await versionFor(
        c,
        c.req.valid('param').code,
        `features ${areaType}`,
        (snapshot, quality) => presentFeatures(snapshot, areaType, quality),
      );
      return sendVersioned(c, version, getOccupancyFeatures.mediaType);
    },
  );

  app.get(getParkingPublicationLight.path, path(getParkingPublicationLight.pathParameters), async (c) => {
    const { language } = c.var;
    const version = await versionFor(
      c,
      c.req.valid('param').code,
      `publication ${language}`,
      (snapshot, quality) => presentPublication(snapshot, language, quality),
    );
    return sendVersioned(c, version, getParkingPublicationLight.mediaType);
  });
}

/** Makes an answer from a municipality's snapshot, once per quality of the data and form of the answer. */
async function versionFor(
  c: Call,
  code: string,
  form: string,
  present: (snapshot: Snapshot, quality: DataQuality) => object,
): Promise<Versioned> {
  const snapshot = await findPublic(c.env.SNAPSHOTS, code, c.var.now);
  c.var.log.municipalityCode = code;
  const quality = qualityOf(snapshot, c.var.now);
  return findVersion(snapshot, `${form} ${quality}`, () => present(snapshot, quality));
}
