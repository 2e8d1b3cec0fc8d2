import { findPublic, qualityOf, readPublicDirectory } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { DataQuality } from '../../domain/public-status.ts';
import { sendVersioned } from '../../serving/answer.ts';
import type { App, Call } from '../../serving/call.ts';
import type { Contract } from '../../serving/contract.ts';
import { findVersion } from '../../serving/http/versions.ts';
import { serve } from '../../serving/serve.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './contract.ts';
import { presentFeatures, presentOccupancy, presentPublication } from './present.ts';

/** Mounts what the public may see: from KV alone, so that no stranger's call reaches the database. */
export function publicOccupancyRoutes(app: App): void {
  serve(app, listPublicMunicipalities, async (c) => {
    const directory = await readPublicDirectory(c);
    const version = await findVersion(directory, 'list', () => JSON.stringify({ municipalities: directory }));
    return sendVersioned(c, version);
  });

  for (const [form, present] of [
    [getPublicOccupancy, presentOccupancy],
    [getOccupancyFeatures, presentFeatures],
  ] as const) {
    serve(app, form, (c) => {
      const { area_type: areaType } = c.req.valid('query');
      return answer(c, form, `${areaType}`, (...shown) => present(...shown, areaType));
    });
  }

  serve(app, getParkingPublicationLight, (c) => {
    const language = c.get('language');
    return answer(c, getParkingPublicationLight, language, (...shown) =>
      presentPublication(...shown, language),
    );
  });
}

/**
 * Answers from a municipality's snapshot. Each form of the answer is made once per quality of the data.
 *
 * @param key what else the answer depends on
 */
async function answer(
  c: Call,
  { id, mediaType }: Contract,
  key: string,
  present: (snapshot: Snapshot, quality: DataQuality) => object,
): Promise<Response> {
  const snapshot = await findPublic(c);
  const quality = qualityOf(snapshot, c.get('now'));
  const version = await findVersion(snapshot, `${id} ${key} ${quality}`, () =>
    JSON.stringify(present(snapshot, quality)),
  );
  return sendVersioned(c, version, mediaType);
}
