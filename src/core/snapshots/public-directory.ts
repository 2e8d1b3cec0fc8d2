import * as z from 'zod';
import { withTimeout } from '../../base/platform/deadline.ts';
import { kvNote } from '../../base/platform/kv-note.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { listPublicMunicipalities } from './public-municipalities-table.ts';

/** A municipality whose occupancy is public. */
export interface PublicMunicipality {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
}

/** By code, ordered by code. */
export type PublicDirectory = ReadonlyMap<string, PublicMunicipality>;

/** How long an answer may wait for KV, as for a snapshot. */
const READ_WITHIN_MS = 1_000;
/** How long an isolate answers from what it has read. Short, since a switch has to show within 120 seconds. */
const HELD_MS = 5 * SECOND_MS;

/** Code, name and time zone of each, ordered by code. */
const packedDirectory = kvNote(
  'public',
  z.strictObject({
    version: z.literal(1),
    municipalities: z.array(z.tuple([z.string(), z.string(), z.string()])),
  }),
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
  const packed = await withTimeout(READ_WITHIN_MS, packedDirectory.read(kv));
  const directory = new Map(
    packed?.municipalities.map(([code, name, timeZone]) => [code, { code, name, timeZone }]),
  );
  held = { kv, readAt: now, directory };
  return directory;
}

/** Rewrites the directory from the primary database. */
export async function writePublicDirectory({ DB, SNAPSHOTS }: Pick<Env, 'DB' | 'SNAPSHOTS'>): Promise<void> {
  const municipalities = await listPublicMunicipalities(DB);
  await packedDirectory.write(SNAPSHOTS, {
    version: 1,
    municipalities: municipalities.map(({ code, name, timeZone }) => [code, name, timeZone]),
  });
  held = null;
}
