import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, dataQuality } from '../../domain/public-status.ts';
import type { Env } from '../../env.ts';
import type { Call } from '../../serving/call.ts';
import { HeldValues } from './held-values.ts';
import { listActiveMunicipalities } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';
import { readSnapshot } from './snapshot-store.ts';

const KEY = 'public';

const directorySchema = z.array(z.strictObject({ code: z.string(), name: z.string(), timezone: z.string() }));
type Directory = readonly PublicMunicipality[];

/** A municipality whose occupancy is public. */
export type PublicMunicipality = Readonly<z.infer<typeof directorySchema>[number]>;

/** Without a value: no municipality has been public yet. */
const NONE: Directory = [];

/**
 * The public municipalities, ordered by code, as the last run or configuration wrote them. One KV read at most.
 *
 * @throws Error when KV cannot be read, or holds something else
 */
export const readPublicDirectory = async (c: Call): Promise<Directory> =>
  (await c.get('isolate').get(HeldValues).read(c, KEY, directorySchema)) ?? NONE;

/**
 * Rewrites the directory. In it are those of active tenants that have switched their occupancy on: listed now, since a
 * configuration may have been stored while a run wrote its snapshots.
 */
export async function writePublicDirectory({ DB, SNAPSHOTS }: Env): Promise<void> {
  const directory: Directory = (await listActiveMunicipalities(DB))
    .filter(({ tenantActive, publicOccupancyEnabled }) => tenantActive && publicOccupancyEnabled)
    .map(({ code, name, timeZone }) => ({ code, name, timezone: timeZone }));
  await SNAPSHOTS.put(KEY, JSON.stringify(directory));
}

/**
 * The recent snapshot of the public municipality that the path names, from KV alone, so that no anonymous call reaches the
 * database.
 *
 * @throws Refusal `NOT_FOUND` for a code that is unknown, inactive or not public
 * @throws Error when the municipality has no recent snapshot
 */
export async function findPublic(c: Call): Promise<Snapshot> {
  const named = c.req.param('code');
  const listed = (await readPublicDirectory(c)).find(({ code }) => code === named);
  const { code } = listed ?? refuse('NOT_FOUND', { message: NOT_PUBLIC });
  c.get('log').municipalityCode = code;
  const snapshot = await readSnapshot(c, code);
  if (snapshot === null) throw new Error(`the public municipality ${code} has no recent snapshot`);
  return snapshot;
}

/** Judged at the instant of the answer, as in the report: the sources age while the snapshot stays the same. */
export const qualityOf = ({ sources, municipality }: Snapshot, now: Instant): DataQuality =>
  dataQuality(sources, now, municipality.publicMaxAgeMinutes);

const NOT_PUBLIC = {
  en: 'No municipality with this code shows its occupancy to the public.',
  it: 'Nessun comune con questo codice mostra la propria occupazione al pubblico.',
};
