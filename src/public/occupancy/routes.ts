import { findPublic, qualityOf, readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { DataQuality } from '../../domain/public-status.ts';
import { sendVersioned } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import { findVersion } from '../../serving/http/versions.ts';
import { cors } from '../../serving/middleware/cors.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { query } from '../../serving/middleware/input.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
  occupancyQuery,
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
    const directory = await readPublicDirectory(c.env.SNAPSHOTS, c.get('now'));
    return sendVersioned(c, await findVersion(directory, 'list', () => presentList(directory.values())));
  });

  app.get(getPublicOccupancy.path, query(occupancyQuery), (c) => {
    const { area_type: areaType } = c.req.valid('query');
    return answer(c, `occupancy ${areaType}`, (snapshot, quality) =>
      presentOccupancy(snapshot, quality, areaType),
    );
  });

  app.get(getOccupancyFeatures.path, query(occupancyQuery), (c) => {
    const { area_type: areaType } = c.req.valid('query');
    const present = (snapshot: Snapshot, quality: DataQuality) =>
      presentFeatures(snapshot, quality, areaType);
    return answer(c, `features ${areaType}`, present, getOccupancyFeatures.mediaType);
  });

  app.get(getParkingPublicationLight.path, (c) => {
    const language = c.get('language');
    const present = (snapshot: Snapshot, quality: DataQuality) =>
      presentPublication(snapshot, quality, language);
    return answer(c, `publication ${language}`, present, getParkingPublicationLight.mediaType);
  });
}

/** Answers from a municipality's snapshot. Each form of the answer is made once per quality of the data. */
async function answer(
  c: Call,
  form: string,
  present: (snapshot: Snapshot, quality: DataQuality) => object,
  mediaType?: string,
): Promise<Response> {
  const snapshot = await findPublic(c, c.req.param('code') ?? '');
  c.get('log').municipalityCode = snapshot.municipality.code;
  const quality = qualityOf(snapshot, c.get('now'));
  const version = await findVersion(snapshot, `${form} ${quality}`, () => present(snapshot, quality));
  return sendVersioned(c, version, mediaType);
}
