import { findPublic, qualityOf, readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { DataQuality } from '../../domain/public-status.ts';
import { sendVersioned } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import { findVersion } from '../../serving/http/versions.ts';
import { serve } from '../../serving/serve.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './contract.ts';
import { presentFeatures, presentList, presentOccupancy, presentPublication } from './present.ts';

/** Mounts what the public may see: from KV alone, so that no stranger's call reaches the database. */
export function publicOccupancyRoutes(app: App): void {
  serve(app, listPublicMunicipalities, async (c) => {
    const directory = await readPublicDirectory(c);
    return sendVersioned(c, await findVersion(directory, 'list', () => presentList(directory.values())));
  });

  serve(app, getPublicOccupancy, (c) => {
    const { area_type: areaType } = c.req.valid('query');
    return answer(c, `occupancy ${areaType}`, (snapshot, quality) =>
      presentOccupancy(snapshot, quality, areaType),
    );
  });

  serve(app, getOccupancyFeatures, (c) => {
    const { area_type: areaType } = c.req.valid('query');
    const present = (snapshot: Snapshot, quality: DataQuality) =>
      presentFeatures(snapshot, quality, areaType);
    return answer(c, `features ${areaType}`, present, getOccupancyFeatures.mediaType);
  });

  serve(app, getParkingPublicationLight, (c) => {
    const language = c.get('language');
    const present = (snapshot: Snapshot, quality: DataQuality) =>
      presentPublication(snapshot, quality, language);
    return answer(c, `publication ${language}`, present, 'application/json');
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
