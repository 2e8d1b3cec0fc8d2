import * as z from 'zod';
import { refuse } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { kvNote } from '../../base/platform/kv-notes.ts';
import { pick } from '../../base/platform/pick.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { type DataQuality, dataQuality } from '../../domain/public-status.ts';
import type { Call } from '../../serving/call.ts';
import type { ActiveMunicipality } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';
import { HeldSnapshots } from './snapshot-store.ts';

/** How long an answer may wait for KV, as for a snapshot. */
const READ_WITHIN_MS = 1_000;
/** How long an isolate answers from what it has read. Short, since a switch has to show within 120 seconds. */
const HELD_MS = 5 * SECOND_MS;

const publicMunicipality = z.object({ code: z.string(), name: z.string(), timeZone: z.string() });

/** A municipality whose occupancy is public. */
export type PublicMunicipality = Readonly<z.output<typeof publicMunicipality>>;

/** By code, ordered by code. */
type PublicDirectory = ReadonlyMap<string, PublicMunicipality>;

const storedDirectory = kvNote(
  'public',
  z.strictObject({ version: z.literal(1), municipalities: z.array(publicMunicipality) }),
);

interface Held {
  readonly kv: KVNamespace;
  readonly readAt: Instant;
  readonly directory: PublicDirectory;
}

/** What this isolate read last. What it writes itself shows at once. */
let held: Held | null = null;

/**
 * The public municipalities, as the last run or configuration wrote them. One KV read at most.
 *
 * @throws Error when KV cannot be read, or holds something else
 */
export async function readPublicDirectory(kv: KVNamespace, now: Instant): Promise<PublicDirectory> {
  if (held !== null && held.kv === kv && held.readAt <= now && now < held.readAt + HELD_MS) {
    return held.directory;
  }
  // No value at all: no municipality has been public yet.
  const stored = await withTimeout(READ_WITHIN_MS, storedDirectory.read(kv));
  const directory = new Map(stored?.municipalities.map((municipality) => [municipality.code, municipality]));
  held = { kv, readAt: now, directory };
  return directory;
}

/** Rewrites the directory. In it are those of active tenants that have switched their occupancy on. */
export async function writePublicDirectory(
  kv: KVNamespace,
  municipalities: readonly ActiveMunicipality[],
): Promise<void> {
  const shown = municipalities
    .filter(({ tenantActive, publicOccupancyEnabled }) => tenantActive && publicOccupancyEnabled)
    .map((municipality) => pick(municipality, 'code', 'name', 'timeZone'));
  await storedDirectory.write(kv, { version: 1, municipalities: shown });
  held = null;
}

/**
 * The recent snapshot of a public municipality, from KV alone, so that no anonymous call reaches the database.
 *
 * @throws Refusal `NOT_FOUND` for a code that is unknown, inactive or not public
 * @throws Error when the municipality has no recent snapshot
 */
export async function findPublic(c: Call, code: string): Promise<Snapshot> {
  const [kv, now] = [c.env.SNAPSHOTS, c.get('now')];
  const directory = await readPublicDirectory(kv, now);
  if (!directory.has(code)) refuse('NOT_FOUND', { message: NOT_PUBLIC });
  const snapshot = await c.get('isolate').get(HeldSnapshots).read(kv, code, now);
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
